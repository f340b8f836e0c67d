// SPDX-License-Identifier: MIT
// What replaying the recorded transactions has told: commits per second after a change, as a multiple of those before.
import { help, report } from "./data.js";
import { h, scroller, section } from "./dom.js";
import { gainText } from "./numbers.js";

const STEPS = [1, 2, 5];

/** All changes that were replayed, each with its name, `ratio`, `low` and `high`. */
function changes() {
	const { replay } = report;
	const ratioOf = (percent) => 1 + percent / 100;
	const mended = report.findings.map((finding, index) => finding.rule !== "method-bound" && finding.gain_percent !== null && {
		name: `without finding ${index + 1}: ${help.rules[finding.rule]?.title ?? finding.rule}`, ratio: ratioOf(finding.gain_percent),
		low: ratioOf(finding.gain_low_percent), high: ratioOf(finding.gain_high_percent) });
	return [...mended, ...Object.entries(replay.methods).map(([name, gain]) => ({ name: `ITM_DEFAULT_METHOD=${name}`, ...gain })),
		replay.no_shared_data && { name: "if threads shared no data", ...replay.no_shared_data },
		replay.one_thread && { name: "one thread alone", ...replay.one_thread }].filter(Boolean);
}

/** Multiples for marks between the two, 1 among them: at most some ten. */
function marks(low, high) {
	const all = [];
	for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
		all.push(...STEPS.map((step) => step * 10 ** power));
	return all.filter((mark) => mark >= low && mark <= high);
}

function markText(mark) {
	return mark === 1 ? "as it is" : `${mark < 1 ? mark.toPrecision(1) : Math.round(mark)} times`;
}

export function gains() {
	const all = report.replay ? changes() : [];
	if (all.length === 0) return undefined;
	const low = Math.min(0.5, ...all.map((change) => change.low)), high = Math.max(2, ...all.map((change) => change.high));
	const percent = (ratio) => `${100 * Math.log(Math.max(ratio, low) / low) / Math.log(high / low)}%`;
	const words = (change) => `${gainText(change.ratio)} (${gainText(change.low)} to ${gainText(change.high)})`;
	const row = (change) => h("tr", null, h("th", { scope: "row" }, change.name),
		h("td", { class: "plot" }, marks(low, high).map((mark) => h("span", { class: mark === 1 ? "as-it-is" : "mark", style: { left: percent(mark) } })),
			h("span", { class: "range", style: { left: percent(change.low), right: `calc(100% - ${percent(change.high)})` } }),
			h("span", { class: change.low > 1 ? "value surely" : "value", style: { left: percent(change.ratio) } })),
		h("td", { class: "number" }, words(change)));
	return section("gains", "What would gain",
		`The recorded transactions were run again, as they were and changed. The replay as it was is ${(100 * report.replay.off).toFixed(0)} % off, which is part of each interval. ` +
		"A change is the best that mending can reach; the mending itself may do less.",
		scroller("Gains", h("table", { class: "gains" },
			h("thead", null, h("tr", null, h("th", { scope: "col" }, "change"),
				h("th", { scope: "col", class: "plot", "aria-label": "commits per second" },
					marks(low, high).map((mark) => h("span", { style: { left: percent(mark) } }, markText(mark)))),
				h("th", { scope: "col", class: "number" }, "commits/s"))),
			h("tbody", null, all.map(row)))));
}
