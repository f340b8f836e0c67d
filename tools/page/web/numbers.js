// SPDX-License-Identifier: MIT
// Numbers as text, in the forms of the report on a terminal, and as elements that keep the number itself.
import { h } from "./dom.js";

export function timeText(ns) {
	if (ns < 1000) return `${Math.round(ns)} ns`;
	if (ns < 999950) return `${(ns / 1e3).toFixed(1)} \u00b5s`;
	if (ns < 999950000) return `${(ns / 1e6).toFixed(1)} ms`;
	return `${(ns / 1e9).toFixed(2)} s`;
}

export function shareText(part, whole) {
	return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "\u2013";
}

export function perMilleText(tenths) {
	return `${(tenths / 10).toFixed(1)} %`;
}

export function countText(count) {
	return Math.round(count).toLocaleString("en-US");
}

/** A time; `field` names the member of the report that it shows. */
export function time(ns, field) {
	return h("data", { class: "figure", value: String(ns), "data-field": field }, timeText(ns));
}

export function count(number, field) {
	return h("data", { class: "figure", value: String(number), "data-field": field }, countText(number));
}

export function share(part, whole) {
	return h("span", { class: "figure" }, shareText(part, whole));
}

/** The time lost: with "~" if it is an estimate. */
export function lost(sum) {
	const isExact = sum.lost_low_ns === sum.lost_ns && sum.lost_high_ns === sum.lost_ns;
	return [!isExact && "~\u00a0", time(sum.lost_ns, "lost_ns")];
}

/** "(18.9 - 45.9 ms)"; nothing where the figure is exact. */
export function interval(sum, prefix = "lost") {
	const low = sum[`${prefix}_low_ns`], high = sum[`${prefix}_high_ns`];
	if (low === high) return undefined;
	if (sum.too_few) return h("span", { class: "interval" }, "too few to say");
	const [lowText, unit] = timeText(low).split(" ");
	const isShort = timeText(high).endsWith(` ${unit}`);
	return h("span", { class: "interval" },
		h("data", { class: "figure", value: String(low), "data-field": `${prefix}_low_ns` }, isShort ? lowText : timeText(low)),
		" \u2013 ", time(high, `${prefix}_high_ns`));
}
