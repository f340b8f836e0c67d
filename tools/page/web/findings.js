// SPDX-License-Identifier: MIT
// The findings: what several entries have in common, the place to mend, and what to try.
import { help, lostNs, report } from "./data.js";
import { h, section } from "./dom.js";
import { showEntries } from "./events.js";
import { basename, placeKey, placeText, position } from "./names.js";
import { count, interval, lost, shareText, time, timeText } from "./numbers.js";
import { sourceLine } from "./source.js";

/** The source of the place that a text such as "bank.c:61 transfer" begins with: of a frame with this position, or of
 * another line of a frame's file. */
function sourceOf(text, frames) {
	const [, at, file, line, last] = text?.match(/^((\S+?):(\d+)(?:-(\d+))?) /) ?? [];
	const frame = frames.find((one) => position(one) === at) ?? frames.find((one) => one.file && basename(one.file) === file);
	return frame && file && sourceLine({ ...frame, line: Number(line), last_line: Number(last) });
}

/** The entries behind a finding: those over its data; or those with its place on either side. */
function filterOf(finding) {
	const { objects } = finding.because;
	if (objects.length > 0) return { objects, label: objects.join(", ") };
	const frame = finding.where[0];
	return frame && { anywhere: placeKey(frame), label: placeText(frame) };
}

/** By how much shorter the run could be. */
function savingOf(finding) {
	return ["saves at most ", time(finding.saves_at_most_ns, "saves_at_most_ns"), ` of ${timeText(report.wall_ns)}`];
}

function explanation(finding) {
	const { rule } = finding;
	const page = help.rules[rule];
	return page && h("details", null, h("summary", null, "What does this mean?"),
		h("p", null, page.meaning), h("p", null, h("strong", null, "It rests on: "), page.figures, " Here ", count(finding.count, "count"), " measured losses."),
		h("p", null, h("strong", null, "How to mend it: "), page.mending),
		h("p", { class: "quiet" }, "On a terminal: ", h("code", null, `stmlog help ${rule}`)));
}

function item(finding, index) {
	const title = help.rules[finding.rule]?.title ?? finding.rule;
	const filter = filterOf(finding);
	const part = finding.lost_ns / lostNs;
	const { objects } = finding.because;
	const frames = [...finding.where, ...finding.because.frames];
	const { where, because, share, via } = finding.parts;
	const beside = [share, via].filter(Boolean).join("; ");
	const code = objects.length === 0 && sourceOf(where, finding.where);
	return h("li", { class: "finding", "data-rule": finding.rule },
		h("div", { class: "cost" }, h("span", { class: "rank" }, String(index + 1)),
			h("span", { class: "loss" }, lost(finding)), interval(finding),
			lostNs > 0 && h("span", { class: "meter", "aria-hidden": "true" },
				h("span", { style: { width: `${Math.min(100, 100 * part)}%` } })),
			h("span", { class: "quiet" }, finding.lost_ns > 0 && `${shareText(finding.lost_ns, lostNs)} of all lost, `, savingOf(finding))),
		h("div", null,
			h("h3", null, h("span", { class: "cause" }, title), beside && h("span", { class: "quiet" }, ` (${beside})`),
				where && [": ", h("span", { class: objects.length > 0 ? "data" : "place" }, where)], code),
			because && h("p", null, "because of ", h("span", { class: "culprit" }, because), sourceOf(because, frames)),
			h("div", { class: "actions" }, h("span", { class: "try" }, "try: ", h("strong", null, finding.try)),
				filter && h("button", { type: "button", onclick: () => showEntries(filter) }, "Show its entries"),
				explanation(finding))));
}

export function findings() {
	const all = report.findings;
	return section("findings", "Findings", all.length > 0
		? "What several losses have in common, the costliest first. Each loss is a part of one finding at most."
		: undefined,
	all.length > 0 ? h("ol", { class: "findings" }, all.map(item))
		: h("p", null, "No rule has found a cause. The entries below are what was recorded."));
}
