// SPDX-License-Identifier: MIT
// Who aborts whom: the pairs of places, as a matrix and as a graph.
import { report } from "./data.js";
import { choice, h, scroller, section } from "./dom.js";
import { onShowPart } from "./events.js";
import { graph } from "./graph.js";
import { matrix } from "./matrix.js";
import { innermost, placeKey, placeText } from "./names.js";

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
