// SPDX-License-Identifier: MIT
// Elements of the page, and the tip beside the pointer or beside the element that has the focus. All text becomes text
// nodes: no name of a recording is ever read as HTML.

// The characters of utf8_acts(), but for tabs and newlines, which are blanks here.
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The text without characters that act on the text around them, as in the report on a terminal. */
export function visible(text) {
	return String(text).replace(ACTS, "?");
}

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (name === "style") Object.assign(element.style, value);
		else element.setAttribute(name, value === true ? "" : visible(value));
	}
	element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false)
		.map((child) => (child instanceof Node ? child : visible(child))));
	return element;
}

/** An HTML element; `style` is an object, names with "on" are listeners, and children without a value are left out. */
export function h(tag, properties, ...children) {
	return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function svg(tag, properties, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

/** The words of a command, each on one line where there is room: browsers break "--threads" behind its dashes. */
export function unbroken(text) {
	return text.split(" ").map((word, i) => [i > 0 && " ", h("span", { class: "word" }, word)]);
}

/** A section of the page, with its heading and an introduction. */
export function section(id, title, intro, ...children) {
	return h("section", { id, "aria-labelledby": `${id}-title` },
		h("h2", { id: `${id}-title` }, title), intro && h("p", { class: "intro" }, intro), ...children);
}

/** A word and what there is to say of it, for a list of facts (dl); nothing if there is nothing to say. */
export function fact(word, ...content) {
	return content.some(Boolean) && [h("dt", null, word), h("dd", null, content)];
}

/** A part that may be wider than the window; the keyboard can scroll it. */
export function scroller(label, ...children) {
	return h("div", { class: "scroller", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}

/** A table of this class in a scroller. Its columns are [name, class]; its rows arrays of cells, the first one its name. */
export function table(label, kind, columns, rows) {
	const cell = (content, i) => h(i === 0 ? "th" : "td", { scope: i === 0 && "row", class: columns[i][1] }, content);
	return scroller(label, h("table", { class: kind },
		h("thead", null, h("tr", null, columns.map(([name, style]) => h("th", { scope: "col", class: style }, name)))),
		h("tbody", null, rows.map((cells) => h("tr", null, cells.map(cell))))));
}

/** A button of a picture's controls. Its text is a sign; `words` say what it does. */
export function signButton(sign, words, act) {
	return h("button", { type: "button", "aria-label": words, title: words, onclick: act }, sign);
}

/** Calls the function that `keys` has for the key of the event, if it has one; not for keys of the browser's own. */
export function actOnKey(event, keys) {
	const act = keys[event.key];
	if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
	event.preventDefault();
	act();
}

/** Buttons of which one is pressed. `choose` is called with the value of the button that becomes the pressed one. */
export function choice(label, values, first, choose) {
	const buttons = Object.entries(values).map(([value, text]) => h("button", {
		type: "button", "data-value": value, "aria-pressed": String(value === first),
		onclick: () => {
			for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
			choose(value);
		},
	}, text));
	return h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

// ---- the tip ----

const tip = h("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
document.body.append(tip);

export function showTip(x, y, content) {
	tip.replaceChildren(...[content].flat(Infinity).filter(Boolean));
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const left = Math.min(x + 14, document.documentElement.clientWidth - width - 8);
	const top = y + 18 + height > window.innerHeight ? y - height - 10 : y + 18;
	tip.style.left = `${Math.max(8, left)}px`;
	tip.style.top = `${Math.max(8, top)}px`;
}

export function hideTip() {
	tip.hidden = true;
}

/** Shows what `content` returns while the pointer is over the owner or the owner has the focus. */
export function withTip(owner, content) {
	owner.addEventListener("pointermove", (event) => showTip(event.clientX, event.clientY, content()));
	owner.addEventListener("pointerleave", hideTip);
	owner.addEventListener("focus", () => {
		if (!owner.matches(":focus-visible")) return;
		const box = owner.getBoundingClientRect();
		showTip(box.left, box.bottom - 10, content());
	});
	owner.addEventListener("blur", hideTip);
	return owner;
}

document.addEventListener("keydown", (event) => {
	if (event.key === "Escape") hideTip();
});

/** The lines as nodes, the first one as a heading. */
export const asNodes = (lines) => lines.flatMap((line, i) => (i === 0 ? [h("strong", null, line)] : [h("br"), line]));
