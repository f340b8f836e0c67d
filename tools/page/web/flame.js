// SPDX-License-Identifier: MIT
// A flame graph of the lost time: by the call paths of those that lost, or of those because of which they lost.
import { hierarchy, partition } from "d3-hierarchy";

import { lostNs, report } from "./data.js";
import { choice, h, hideTip, section, visible, withTip } from "./dom.js";
import { functionName, lines, position, shareText, timeText } from "./text.js";

// The height of a box in pixels; the least part of the width that is shown, and that has text in it.
const ROW = 22, MIN_WIDTH = 0.0015, MIN_WIDTH_OF_TEXT = 0.02;

/** The tree of calls, the outermost function at its root, with the time lost in each. */
function treeOf(side) {
	const root = { name: "all lost time", position: undefined, ns: 0, children: new Map() };
	for (const entry of report.entries) {
		const frames = entry[side].known ? [...entry[side].frames].reverse() : [{ function: "unknown", file: null }];
		let node = root;
		for (const frame of frames) {
			// Callers are one box for each function; the innermost frames are one for each line.
			const key = [frame.function, frame.file, frame.function ? "" : frame.offset, frame === frames.at(-1) ? lines(frame) : ""].join("\n");
			if (!node.children.has(key))
				node.children.set(key, { name: functionName(frame), full: frame.function, position: position(frame), ns: 0, children: new Map() });
			node = node.children.get(key);
		}
		node.ns += entry.lost_ns;
	}
	return hierarchy(root, (node) => [...node.children.values()]).sum((node) => node.ns)
		.sort((a, b) => b.value - a.value || (a.data.name < b.data.name ? -1 : 1));
}

/** Where a node lies within the width of the focus: its left and right end, from 0 to 1. */
function partOf(node, focus) {
	const width = focus.x1 - focus.x0 || 1;
	return [Math.max(0, (node.x0 - focus.x0) / width), Math.min(1, (node.x1 - focus.x0) / width)];
}

function classesOf(node, focus) {
	return [`flame depth${node.depth % 4}`, node === focus && "focus", node.data.name === "unknown" && "unknown"].filter(Boolean).join(" ");
}

/** `go` is called with the node when it is pressed. */
function boxOf(node, root, focus, go) {
	const { name, full, position: at } = node.data;
	const [left, right] = partOf(node, focus);
	const words = at ? `${name} ${at}` : name;
	const element = h("button", {
		type: "button", class: classesOf(node, focus), tabindex: node === focus ? "0" : "-1", "data-lost": String(node.value),
		"aria-label": `${words}, ${timeText(node.value)}, ${shareText(node.value, root.value)}`,
		style: { left: `${100 * left}%`, width: `calc(${100 * (right - left)}% - 1px)`, top: `${node.depth * ROW}px` },
		onclick: () => go(node),
	}, right - left > MIN_WIDTH_OF_TEXT ? words : "");
	element.node = node;
	return withTip(element, () => [h("strong", null, words), h("br"),
		`${timeText(node.value)} lost, ${shareText(node.value, lostNs)}`, full && full !== name && [h("br"), full]]);
}

/** Fills the box with the nodes below and above the focus, which is as wide as the box. */
function draw(box, said, root, focus) {
	const go = (node) => {
		draw(box, said, root, node);
		box.querySelector("[tabindex='0']").focus();
	};
	const shown = root.descendants().filter((node) => {
		const [left, right] = partOf(node, focus);
		return right - left > MIN_WIDTH;
	});
	box.style.height = `${(Math.max(...shown.map((node) => node.depth)) + 1) * ROW}px`;
	box.replaceChildren(...shown.map((node) => boxOf(node, root, focus, go)));
	box.reset = () => focus !== root && go(root);
	hideTip();
	const sum = `${timeText(focus.value)}, ${shareText(focus.value, root.value)} of all`;
	said.textContent = focus === root ? "" : `${visible(focus.data.name)}: ${sum}. Escape shows all again.`;
}

/** The arrow keys go along the tree: down to the costliest function called, up to the caller, and to the neighbours. */
function onKey(box, event) {
	const current = event.target.node;
	if (!current) return;
	const all = [...box.children].map((element) => element.node);
	const row = all.filter((node) => node.depth === current.depth).sort((a, b) => a.x0 - b.x0);
	const next = {
		ArrowDown: () => (current.children ?? []).find((node) => all.includes(node)),
		ArrowUp: () => current.parent,
		ArrowRight: () => row[row.indexOf(current) + 1],
		ArrowLeft: () => row[row.indexOf(current) - 1],
	}[event.key]?.();
	if (event.key === "Escape") box.reset();
	if (!next) return;
	event.preventDefault();
	const element = [...box.children].find((one) => one.node === next);
	for (const one of box.children) one.tabIndex = one === element ? 0 : -1;
	element?.focus();
}

export function flame() {
	if (report.entries.length === 0) return undefined;
	const box = h("div", { class: "flames", role: "group", "aria-label": "Flame graph", onkeydown: (event) => onKey(box, event) });
	const said = h("p", { class: "said", role: "status" });
	const show = (side) => {
		const root = partition()(treeOf(side));
		draw(box, said, root, root);
	};
	show("local");
	return section("flame", "Flame graph of the lost time",
		"Outermost functions on top; a box is as wide as the time that was lost below it. Press one to enlarge it; arrow keys go from box to box.",
		choice("Whose calls", { local: "Victims", remote: "Culprits" }, "local", show), box, said);
}
