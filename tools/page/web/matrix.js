// SPDX-License-Identifier: MIT
// The matrix: a row for each victim, a column for each culprit.
import { h } from "./dom.js";
import { showEntries } from "./events.js";
import { countText, timeText } from "./numbers.js";
import { withTip } from "./tip.js";

/** What the victim lost because of the culprit, in words. */
export function told(victim, culprit, cell) {
	return [h("strong", null, timeText(cell.lostNs)), ` lost at `, h("span", { class: "place" }, victim.text), " because of ",
		h("span", { class: "culprit" }, culprit.text), cell.count > 0 ? `, ${countText(cell.count)} times measured.` : ".",
		cell.pairs === 1 && cell.savesAtMost > 0 ? ` Without it the run could be ${(100 * cell.savesAtMost).toFixed(1)} % shorter at most.` : ""];
}

/** The filter for the entries of two places. "Others" have no key, and let entries of all places through. */
export function filterOf(victim, culprit) {
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

export function matrix({ victims, culprits, cells }) {
	const most = Math.max(1, ...cells.flat().filter(Boolean).map((cell) => cell.lostNs));
	return h("table", { class: "matrix" },
		h("thead", null,
			h("tr", null, h("td", null, h("span", { class: "quiet" }, "lost at \u2193, because of \u2192")),
				culprits.map((culprit) => h("th", { scope: "col" }, h("span", { class: "culprit", title: culprit.frame?.function }, culprit.text))))),
		h("tbody", null, victims.map((victim, i) => h("tr", null,
			h("th", { scope: "row" }, h("span", { class: "place", title: victim.frame?.function }, victim.text)),
			culprits.map((culprit, k) => cellOf(victim, culprit, cells[i][k], most))))));
}
