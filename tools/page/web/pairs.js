// SPDX-License-Identifier: MIT
// Who aborts whom: the pairs of places, as a matrix and as a graph.
import { onShowPart, report, showEntries } from "./data.js";
import { choice, h, scroller, section, svg, withTip } from "./dom.js";
import { countText, functionName, innermost, placeKey, placeText, position, timeText } from "./text.js";

// ---- the matrix: a row for each victim, a column for each culprit ----

/** What the victim lost because of the culprit, in words. */
function told(victim, culprit, cell) {
	return [h("strong", null, timeText(cell.lostNs)), ` lost at `, h("span", { class: "place" }, victim.text), " because of ",
		h("span", { class: "culprit" }, culprit.text), cell.count > 0 ? `, ${countText(cell.count)} times measured.` : ".",
		cell.pairs === 1 && cell.savesAtMost > 0 ? ` Without it the run could be ${(100 * cell.savesAtMost).toFixed(1)} % shorter at most.` : ""];
}

/** The filter for the entries of two places. "Others" have no key, and let entries of all places through. */
function filterOf(victim, culprit) {
	return { local: victim.key, remote: culprit.key, label: `${victim.text} \u2190 ${culprit.text}` };
}

function cellOf(victim, culprit, cell, most) {
	if (!cell) return h("td", null, h("span", { class: "hidden" }, "nothing"));
	const level = Math.ceil(5 * Math.sqrt(cell.lostNs / most));
	const button = h("button", {
		type: "button", "data-lost": String(cell.lostNs), onclick: () => showEntries(filterOf(victim, culprit)),
	}, timeText(cell.lostNs));
	return h("td", { class: `heat heat${level}` }, withTip(button, () => told(victim, culprit, cell)));
}

function matrix({ victims, culprits, cells }) {
	const most = Math.max(1, ...cells.flat().filter(Boolean).map((cell) => cell.lostNs));
	return h("table", { class: "matrix" },
		h("thead", null,
			h("tr", null, h("td", null, h("span", { class: "quiet" }, "lost at \u2193, because of \u2192")),
				culprits.map((culprit) => h("th", { scope: "col" }, h("span", { class: "culprit", title: culprit.frame?.function }, culprit.text))))),
		h("tbody", null, victims.map((victim, i) => h("tr", null,
			h("th", { scope: "row" }, h("span", { class: "place", title: victim.frame?.function }, victim.text)),
			culprits.map((culprit, k) => cellOf(victim, culprit, cells[i][k], most))))));
}

// ---- the graph: culprits on the left, victims on the right, between them bands as thick as the time lost ----

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

function graph({ victims, culprits, cells }) {
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

// ---- the section ----

const MAX_PAIRS = 12;

/** The costliest places of one side, and "others" for the rest. */
function placesOf(side, all) {
	const sums = new Map();
	for (const pair of all) {
		const key = placeKey(pair[side]);
		const sum = sums.get(key) ?? { key, frame: pair[side], text: placeText(pair[side].known ? pair[side] : undefined), lostNs: 0 };
		sum.lostNs += pair.lost_ns;
		sums.set(key, sum);
	}
	const places = [...sums.values()].sort((a, b) => b.lostNs - a.lostNs);
	if (places.length <= MAX_PAIRS) return places;
	const rest = places.slice(MAX_PAIRS - 1);
	return [...places.slice(0, MAX_PAIRS - 1), {
		key: undefined, text: `${rest.length} others`, lostNs: rest.reduce((sum, place) => sum + place.lostNs, 0),
	}];
}

/** Victims, culprits, and for each two of them what the one lost because of the other; undefined: nothing. */
function network(all) {
	const victims = placesOf("local", all), culprits = placesOf("remote", all);
	// "Others" come last, and have no key.
	const find = (places, key) => places.findIndex((place) => place.key === key || place.key === undefined);
	const cells = victims.map(() => culprits.map(() => undefined));
	for (const pair of all) {
		const i = find(victims, placeKey(pair.local)), k = find(culprits, placeKey(pair.remote));
		const cell = cells[i][k] ??= { lostNs: 0, count: 0, savesAtMost: 0, pairs: 0 };
		cell.lostNs += pair.lost_ns;
		cell.count += pair.count;
		cell.pairs++;
		cell.savesAtMost = Math.max(cell.savesAtMost, pair.saves_at_most ?? 0);
	}
	return { victims, culprits, cells };
}

/** The losses of a part of the run, a pair for each entry. How often they happened there is not known. */
function pairsIn({ lost }) {
	const placeOf = (side) => innermost(side) ? { ...innermost(side), known: true } : { known: false };
	return report.entries.flatMap((entry, i) => (lost[i] > 0 ? [{ local: placeOf(entry.local), remote: placeOf(entry.remote), lost_ns: lost[i], count: 0 }] : []));
}

export function pairs() {
	if (report.pairs.length === 0) return undefined;
	const views = {
		matrix: h("div", { class: "view", id: "pairs-matrix" }, scroller("Matrix of victims and culprits")),
		graph: h("div", { class: "view", id: "pairs-graph", hidden: true }, scroller("Graph of culprits and victims")),
	};
	const fill = (list) => {
		const all = network(list);
		views.matrix.firstChild.replaceChildren(matrix(all));
		views.graph.firstChild.replaceChildren(graph(all));
	};
	fill(report.pairs);
	onShowPart((part) => fill(part ? pairsIn(part) : report.pairs));
	const show = (name) => {
		for (const [view, element] of Object.entries(views)) element.hidden = view !== name;
	};
	return section("pairs", "Who aborts whom",
		"The time that a row's place has lost because of a column's place. In the graph culprits are on the left. Press a figure to see its entries.",
		choice("View", { matrix: "Matrix", graph: "Graph" }, "matrix", show), Object.values(views));
}
