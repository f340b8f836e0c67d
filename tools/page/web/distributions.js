// SPDX-License-Identifier: MIT
// How many attempts transactions need, and what they lose, by the place where they begin.
import { report } from "./data.js";
import { h, section, table } from "./dom.js";
import { place, placeText } from "./names.js";
import { count, countText, shareText, time, timeText } from "./numbers.js";
import { withTip } from "./tip.js";

const MAX_ROWS = 12, LISTED = 500;
const COLUMNS = [["begins at"], ["commits", "number"], ["attempts"], ["half / 99 % / most", "number"], ["time lost"],
	["half / 99 % / most", "number"]];

/** Bars of equal width. Their heights are logarithms, so that rare values are seen: these matter here. */
function histogram(label, buckets, text, all) {
	const most = Math.max(...buckets.map(([, number]) => number));
	const height = (number) => 100 * Math.log1p(number) / Math.log1p(most);
	const words = ([bound, number]) => `${bound === null ? "more" : `up to ${text(bound)}`}: ${countText(number)} (${shareText(number, all)})`;
	const first = buckets[0], last = buckets[buckets.length - 1];
	return h("figure", null,
		h("div", { class: "histogram", role: "img", "aria-label": `${label}: ${buckets.map(words).join("; ")}` },
			buckets.map((bucket) => withTip(h("span", { style: { height: `${Math.max(4, height(bucket[1]))}%` } }), () => words(bucket)))),
		h("figcaption", null, h("span", null, first[0] === null ? "" : text(first[0])), h("span", null, label),
			h("span", null, last[0] === null ? "more" : buckets.length > 1 ? text(last[0]) : "")));
}

function row(site) {
	const { attempts, lost } = site;
	return [place(site.begin), count(site.commits, "commits"), histogram("attempts", attempts.buckets, countText, site.commits),
		[`${countText(attempts.p50)} / ${countText(attempts.p99)} / `, count(attempts.most, "most")],
		histogram("time lost", lost.buckets, timeText, site.commits),
		[`${timeText(lost.p50_ns)} / ${timeText(lost.p99_ns)} / `, time(lost.longest_ns, "longest_ns")]];
}

export function distributions() {
	const all = report.transactions.filter((site) => site.commits > 0);
	if (all.length === 0) return undefined;
	return section("distributions", "Distributions",
		"Of measured transactions that have committed, by the place where they begin: how many attempts each took, and what its aborted attempts cost together. " +
		"The height of a bar is the logarithm of its transactions.",
		table("Distributions by place", "distributions", COLUMNS, all.slice(0, MAX_ROWS).map(row)),
		all.length > MAX_ROWS && h("details", null, h("summary", null, `${all.length - MAX_ROWS} more places`),
			h("ul", { class: "plain" }, all.slice(MAX_ROWS, MAX_ROWS + LISTED).map((site) => h("li", null,
				`${placeText(site.begin)}: ${countText(site.commits)} commits, at most ${countText(site.attempts.most)} attempts and ${timeText(site.lost.longest_ns)} lost`)))));
}
