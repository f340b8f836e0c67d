// SPDX-License-Identifier: MIT
// A tip beside the pointer, or beside the element that has the focus.
import { h } from "./dom.js";

const element = h("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
document.body.append(element);

export function showTip(x, y, content) {
	element.replaceChildren(...[content].flat(Infinity).filter(Boolean));
	element.hidden = false;
	const { width, height } = element.getBoundingClientRect();
	const left = Math.min(x + 14, document.documentElement.clientWidth - width - 8);
	const top = y + 18 + height > window.innerHeight ? y - height - 10 : y + 18;
	element.style.left = `${Math.max(8, left)}px`;
	element.style.top = `${Math.max(8, top)}px`;
}

export function hideTip() {
	element.hidden = true;
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
