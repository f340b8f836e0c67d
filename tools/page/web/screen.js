// SPDX-License-Identifier: MIT
// The first screen: which program, how it was recorded, its figures; and the transactions in the way, the costliest
// first, how they make others lose time, and what to try.
import { help, onShowPart, report, showEntries } from "./data.js";
import { choice, h, section, unbroken, visible } from "./dom.js";
import { basename, countText, framesAndBegin, interval, lost, placeKey, placeText, shareText, sourceLine, timeText } from "./text.js";

// ---- the head ----

export function some(count, word) {
	return `${countText(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** "1 in 64 measured": as the report on a terminal says it. */
function measured({ exact, commits, measured }) {
	if (exact) return "all measured";
	if (measured > 0 && measured * 2 > commits) return `${shareText(measured, commits)} measured`;
	return measured === 0 ? "none measured" : `1 in ${countText(Math.floor((commits + measured / 2) / measured))} measured`;
}

/** In GHC's programs the threads of a recording are capabilities. */
function threadsText({ runtime }, threads) {
	return runtime === "ghc" ? `${countText(threads)} ${threads === 1 ? "capability" : "capabilities"}` : some(threads, "thread");
}

function facts(report) {
	const threads = report.threads.filter((thread) => thread.id !== 0 && !thread.spare).length || report.threads.length;
	return [
		[report.runtime || "unknown runtime", report.method].filter(Boolean).join(", "),
		(report.processes.length > 1 ? `${countText(report.processes.length)} processes, ` : "") + threadsText(report, threads) + (report.processors ? ` on ${some(report.processors, "processor")}` : ""),
		timeText(report.wall_ns), report.runs > 1 && `${countText(report.runs)} runs`, measured(report.sample),
	].filter(Boolean);
}

function ending({ snapshot, signal }) {
	if (signal !== null) return h("p", { class: "note" }, `Signal ${signal} ended the program.`);
	return snapshot && h("p", { class: "note" }, "The program went on after this was recorded.");
}

function tile(figure, between, words, kind) {
	return h("div", { class: `tile ${kind}` }, h("span", { class: "big" }, figure),
		between && h("span", { class: "interval" }, between), h("span", { class: "label" }, words));
}

/** Of the time in which the threads had processors, as on the first screen. */
function lostTile({ totals: { lost, attached_ns: attached, descheduled_ns: off }, other_rows: { retried_ns: retried } }) {
	const all = attached - off;
	const share = (ns) => shareText(Math.min(Math.max(ns - retried, 0), all), all);
	const between = `${share(lost.lost_low_ns).replace(" %", "")} \u2013 ${share(lost.lost_high_ns)}`;
	return tile(all > 0 ? share(lost.lost_ns) : "\u2013", lost.lost_low_ns === lost.lost_high_ns ? undefined : between,
		"of the time on processors is lost", "loss");
}

function tiles(report) {
	const { totals, totals: { attached_ns: attached, descheduled_ns: off } } = report;
	const aborts = totals.aborts - report.other_rows.retries;
	return h("div", { class: "tiles" }, lostTile(report),
		tile(shareText(aborts, totals.commits + aborts), undefined,
			totals.exact ? "of the attempts abort" : "of the recorded attempts abort", "cause"),
		report.wall_ns > 0 && tile(countText(totals.commits * 1e9 / report.wall_ns), undefined, "commits per second", ""),
		off * 100 >= attached && off > 0 && tile(shareText(off, attached), undefined, "of the time without a processor", ""));
}

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	document.dispatchEvent(new CustomEvent("stmlog:theme"));
}

/** The program and its arguments. */
export function commandText({ command }) {
	return [basename(command[0] ?? "?"), ...command.slice(1)].filter((word) => word !== null).join(" ");
}

export function figures(report) {
	return [h("p", { class: "facts" }, facts(report).map((fact) => h("span", null, fact))),
		ending(report.ending), report.warnings.map((line) => h("p", { class: "note" }, line)), tiles(report)];
}

/** The head of the page, with a title that is the window's, too. */
export function head(title, tip, ...content) {
	document.title = `${visible(title)} - stmlog`;
	return h("div", null,
		h("div", { class: "topline" }, h("span", { class: "brand" }, "stmlog"),
			choice("Colours", { auto: "Auto", light: "Light", dark: "Dark" }, "auto", setTheme)),
		h("h1", { title: tip }, unbroken(title)), content);
}

// ---- the transactions in the way ----

/** The frame at which the row's transaction begins: of its line, if the frames have it. */
function beginOf(row) {
	return framesAndBegin(row).find((frame) => frame.short === row.name && `${row.line}-`.includes(`:${frame.line}-`)) ?? row.frames[0];
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
