// SPDX-License-Identifier: MIT
// The graph: culprits on the left, victims on the right, and between them bands as thick as the time lost.
import { svg } from "./dom.js";
import { showEntries } from "./events.js";
import { filterOf, told } from "./matrix.js";
import { functionName, position } from "./names.js";
import { timeText } from "./numbers.js";
import { withTip } from "./tip.js";

const MAX_NAME = 30, WIDTH = 900, LEFT = 260, RIGHT = 640, GAP = 8, TEXT = 30, MIN_HEIGHT = 2, HEIGHT = 260;

/** Puts the places of one side below each other, each with room for its two lines of text. */
function laidOut(places, scale, room) {
	const heights = places.map((place) => Math.max(MIN_HEIGHT, place.lostNs * scale));
	const all = heights.reduce((sum, height) => sum + Math.max(height, TEXT) + GAP, -GAP);
	let y = Math.max(0, (room - all) / 2);
	return places.map((place, i) => {
		const height = heights[i], taken = Math.max(height, TEXT);
		const node = { place, y: y + (taken - height) / 2, height, used: 0 };
		y += taken + GAP;
		return node;
	});
}

/** The next part of a node's side that is as thick as the time. */
function takePart(node, scale, lostNs) {
	const from = node.y + node.used;
	const height = lostNs * scale;
	node.used += height;
	return from + height / 2;
}

function bandOf(culprit, victim, cell, scale) {
	const from = takePart(culprit, scale, cell.lostNs), to = takePart(victim, scale, cell.lostNs);
	const middle = (LEFT + RIGHT) / 2, half = Math.max(1.5, cell.lostNs * scale) / 2;
	const edge = (x0, y0, x1, y1) => `${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
	const ask = () => showEntries(filterOf(victim.place, culprit.place));
	const band = svg("path", {
		d: `M${edge(LEFT + 8, from - half, RIGHT - 8, to - half)}L${edge(RIGHT - 8, to + half, LEFT + 8, from + half)}Z`,
		class: "band", tabindex: "0", role: "button",
		"aria-label": `${victim.place.text} lost ${timeText(cell.lostNs)} because of ${culprit.place.text}`,
		onclick: ask,
		onkeydown: (event) => {
			if (event.key !== "Enter" && event.key !== " ") return;
			event.preventDefault();
			ask();
		},
	});
	return withTip(band, () => told(victim.place, culprit.place, cell));
}

function label(node, isCulprit) {
	const x = isCulprit ? LEFT - 8 : RIGHT + 8, anchor = isCulprit ? "end" : "start";
	const { frame, text } = node.place;
	const name = frame?.known ? functionName(frame) : text, at = frame?.known ? position(frame) : undefined;
	const middle = node.y + node.height / 2;
	return svg("g", null,
		svg("rect", { x: isCulprit ? LEFT : RIGHT - 8, y: node.y, width: 8, height: node.height, class: isCulprit ? "node culprit" : "node loss" }),
		svg("text", { x, y: middle - 2, "text-anchor": anchor, class: "name" }, name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}\u2026` : name,
			svg("title", null, frame?.function ?? text)),
		svg("text", { x, y: middle + 13, "text-anchor": anchor, class: "sum" }, at && svg("tspan", { class: "at" }, `${at} `), timeText(node.place.lostNs)));
}

export function graph({ victims, culprits, cells }) {
	const sum = Math.max(1, victims.reduce((ns, place) => ns + place.lostNs, 0));
	const scale = HEIGHT / sum;
	const room = Math.max(...[victims, culprits].map((places) =>
		places.reduce((all, place) => all + Math.max(TEXT, place.lostNs * scale) + GAP, 0)));
	const lefts = laidOut(culprits, scale, room), rights = laidOut(victims, scale, room);
	const bands = rights.flatMap((victim, i) => lefts.map((culprit, k) => cells[i][k] && bandOf(culprit, victim, cells[i][k], scale)));
	return svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${room + 24}`, role: "group", "aria-label": "Culprits on the left, victims on the right" },
		svg("g", { transform: "translate(0 24)" },
			svg("text", { x: LEFT - 8, y: -8, "text-anchor": "end", class: "head" }, "because of"),
			svg("text", { x: RIGHT + 8, y: -8, class: "head" }, "lost at"),
			bands, lefts.map((node) => label(node, true)), rights.map((node) => label(node, false))));
}
