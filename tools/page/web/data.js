// SPDX-License-Identifier: MIT
// The data that the command has put into the page, elements with JSON; and what the reader has chosen of them, which one
// section tells another.

// ---- the data ----

/** The value of such an element; undefined: there is none. */
function read(id) {
	const element = document.getElementById(`data-${id}`);
	return element ? JSON.parse(element.textContent) : undefined;
}

export const comparison = read("diff"); // only a page of two sides has it
export const report = read("report") ?? comparison.new;
export const help = read("help");
export const timeline = read("timeline");
export const tasks = read("tasks");

/** The picture of the tasks, SVG; undefined: there are no tasks. */
export const picture = document.getElementById("data-picture")?.textContent;

/** "module\nfile" to {line number: text}. */
const sources = new Map(read("sources")?.map((source) => [`${source.module}\n${source.file}`, source.lines]));

/** The lines of the frame's file that the page has; undefined: none. */
export function sourceLines(frame) {
	return sources.get(`${frame.module}\n${frame.file}`);
}

/** All time that was lost, in ns. */
export const lostNs = report.totals.lost.lost_ns;

/** Whether figures are estimates for all transactions. */
export const isEstimated = !report.sample.exact;

// ---- what one section tells another ----

/** Shows the entries that a filter leaves: { objects }, { anywhere }, { local, remote }, with a `label` for people. */
export function showEntries(filter) {
	document.dispatchEvent(new CustomEvent("stmlog:entries", { detail: filter }));
}

export function onShowEntries(listener) {
	document.addEventListener("stmlog:entries", (event) => listener(event.detail));
}

/** Shows what was lost in a part of the run, as lostIn() returns it; null: in all of it. */
export function showPart(part) {
	document.dispatchEvent(new CustomEvent("stmlog:part", { detail: part }));
}

export function onShowPart(listener) {
	document.addEventListener("stmlog:part", (event) => listener(event.detail));
}
