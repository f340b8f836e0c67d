// SPDX-License-Identifier: MIT
// The head of a report: which program, how it was recorded, and its three figures.
import { choice, h, visible } from "./dom.js";
import { basename } from "./names.js";
import { countText, shareText, timeText } from "./numbers.js";

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
		h("h1", { title: tip }, title), content);
}
