// SPDX-License-Identifier: MIT
// The transactions in the way, as on the first screen: the costliest first, how they make others lose time, and what to try.
import { help, report } from "./data.js";
import { h, section } from "./dom.js";
import { onShowPart, showEntries } from "./events.js";
import { placeKey, placeText } from "./names.js";
import { interval, lost, shareText, timeText } from "./numbers.js";
import { sourceLine } from "./source.js";

/** The frame at which the row's transaction begins: of its line, if the frames have it. */
function beginOf(row) {
	return row.frames.find((frame) => frame.short === row.name && `${row.line}-`.includes(`:${frame.line}-`)) ?? row.frames[0];
}

/** The entries with the row's transaction on either side; if it is not known, with that which has lost most. */
function filterOf(row) {
	const frame = beginOf(row) ?? row.losers[0]?.frames[0];
	return frame && { anywhere: placeKey(frame), label: placeText(frame) };
}

/** "conflict" and "neighbours" are pages of `stmlog help`. */
function explanation(row) {
	const words = [row.how, row.data].filter((word) => word && help?.rows[word]);
	return words.map((word) => h("details", null, h("summary", null, `What is “${word}”?`),
		h("p", null, help.rows[word].meaning), h("p", null, h("strong", null, "It rests on: "), help.rows[word].figures),
		h("p", null, h("strong", null, "How to mend it: "), help.rows[word].mending),
		h("p", { class: "quiet" }, "On a terminal: ", h("code", null, `stmlog help ${word}`))));
}

function losersText(row) {
	return row.losers.map(({ text, share }) => `${text} ${Math.round(100 * share)} %`).join(", ");
}

function line(label, text) {
	return text && h("p", null, h("span", { class: "quiet" }, `${label} `), label === "try" ? h("strong", { class: "try" }, text) : text);
}

function item(row, index, { totals }, side) {
	const filter = filterOf(row);
	const frame = beginOf(row);
	const id = `${side}row=${index + 1}`;
	return h("li", { class: "ranked", id, "data-how": row.how },
		h("div", { class: "cost" },
			h("a", { class: "rank", href: `#${id}`, title: "A link to this row" }, `${row.may_be_higher ? "~" : ""}${index + 1}`),
			h("span", { class: "loss" }, lost(row)), interval(row),
			h("span", { class: "meter", "aria-hidden": "true" }, h("span", { style: { width: `${Math.min(100, 100 * row.share)}%` } })),
			h("span", { class: "quiet" }, `${shareText(row.lost_ns, totals.lost.lost_ns)} of all lost`), h("span", { class: "quiet in-part" })),
		h("div", null,
			h("h3", null, h("span", { class: "culprit" }, row.name), row.line && ` ${row.line}`, frame && sourceLine(frame)),
			row.losers.length > 0 && h("p", null, h("span", { class: "quiet" }, "who loses "), h("span", { class: "place" }, losersText(row))),
			line("how", row.text.how), line("data", row.text.data), line("try", row.text.try),
			h("div", { class: "actions" },
				side === "" && filter && h("button", { type: "button", onclick: () => showEntries(filter) }, "Show its entries"),
				explanation(row))));
}

/** Leaves the rows with losses in the part of the run, each with their time. */
function showRows(items, part) {
	items.forEach((one, i) => {
		one.hidden = part !== null && part.rows[i] === 0;
		one.querySelector(".in-part").textContent = part ? `${timeText(part.rows[i])} in this part of the run` : "";
	});
}

/** The rows of a report; on a page of two, `side` tells its rows from the other one's. */
export function screen(report, side = "") {
	const { rows, other_rows: others, wakes } = report;
	const parts = [others.rows > 0 && `${others.rows} other${others.rows === 1 ? "" : "s"}: ${timeText(others.lost_ns)}`,
		others.preempted_ns > 0 && `waits for a processor: ${timeText(others.preempted_ns)}`].filter(Boolean);
	const rest = parts.length > 0 && h("p", { class: "quiet" }, parts.join("; "));
	const items = rows.map((row, i) => item(row, i, report, side));
	onShowPart((part) => showRows(items, part));
	return [rows.length > 0 ? [h("ol", { class: "ranking" }, items), rest] : h("p", null, "No transaction was in the way of others."),
		wakes && h("p", { class: "wakes" }, wakes)];
}

export function ranking() {
	return section("ranking", "In the way", report.rows.length > 0 &&
		"The transactions because of which others have lost time, the costliest first. Each loss is a part of one row.", screen(report));
}
