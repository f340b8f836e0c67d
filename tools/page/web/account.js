// SPDX-License-Identifier: MIT
// The account: all time of all threads by what became of it.
import { help, isEstimated, report } from "./data.js";
import { h, scroller, section } from "./dom.js";
import { countText, interval, perMilleText, shareText, time } from "./numbers.js";
import { withTip } from "./tip.js";

const ROWS = ["committed", "aborted", "paused", "waiting", "blocked", "descheduled", "other", "outside", "open"];
const COUNTS = { committed: "commits", aborted: "aborts", paused: "pauses", blocked: "blocked", descheduled: "descheduled" };
const LOST = new Set(["aborted", "paused", "waiting"]);

function shown(account) {
	return ROWS.filter((row) => account[`${row}_ns`] > 0);
}

/** A bar of all the time, whose parts are as long as theirs. */
function bar(account, label) {
	const all = account.attached_ns;
	const words = (row) => `${row} ${shareOf(account, row)}`;
	const rows = shown(account);
	const parts = rows.map((row) => withTip(h("span", {
		class: `part ${row}`, style: { width: `${100 * account[`${row}_ns`] / all}%` },
	}), () => words(row)));
	return h("div", { class: "bar", role: "img", "aria-label": `${label}: ${rows.map(words).join(", ")}` }, parts);
}

/** Of the totals rounded so that the shares add up. */
function shareOf(account, row) {
	const tenths = account.per_mille?.[row];
	return tenths === undefined ? shareText(account[`${row}_ns`], account.attached_ns) : perMilleText(tenths);
}

function tableRow(account, row) {
	const ns = account[`${row}_ns`];
	const known = row !== "descheduled" || report.totals.descheduled_known;
	return h("tr", { class: LOST.has(row) ? "lost" : undefined },
		h("th", { scope: "row" }, h("span", { class: `swatch ${row}`, "aria-hidden": "true" }), row),
		h("td", { class: "number" }, known ? time(ns, `${row}_ns`) : "not known"),
		isEstimated && h("td", { class: "number" }, account[`${row}_low_ns`] !== undefined && known ? interval(account, row) : undefined),
		h("td", { class: "number" }, known ? shareOf(account, row) : ""),
		h("td", { class: "number" }, COUNTS[row] ? countText(account[COUNTS[row]]) : ""),
		h("td", { class: "meaning" }, help.terms[row] ?? ""));
}

function table(account) {
	return scroller("The account as a table", h("table", { class: "account" },
		h("thead", null, h("tr", null, h("td"), ["time", isEstimated && "between", "share", "count"].filter(Boolean).map((name) =>
			h("th", { scope: "col", class: "number" }, name)), h("th", { scope: "col", class: "meaning" }, "the time"))),
		h("tbody", null, shown(account).map((row) => tableRow(account, row)),
			h("tr", { class: "sum" }, h("th", { scope: "row" }, "attached"),
				h("td", { class: "number" }, time(account.attached_ns, "attached_ns")), isEstimated && h("td"),
				h("td", { class: "number" }, "100.0 %"), h("td"), h("td", { class: "meaning" }, help.terms.attached ?? "")))));
}

function threads() {
	const all = report.threads.filter((thread) => thread.attached_ns > 0);
	if (all.length < 2) return undefined;
	return h("details", { open: all.length <= 16 }, h("summary", null, `Each of the ${all.length} threads`),
		h("ul", { class: "threads" }, all.map((thread) => {
			const name = thread.name ? `${thread.name} (thread ${thread.id})` : `thread ${thread.id}`;
			return h("li", null, h("span", { class: "name" }, name), bar(thread, name),
				h("span", { class: "number" }, time(thread.attached_ns)));
		})));
}

export function account() {
	const totals = report.totals;
	if (totals.attached_ns === 0) return undefined;
	return section("account", "Account", "All time of all threads. What is lost has warm colours: aborted, paused, waiting.",
		bar(totals, "All threads"), table(totals), totals.unexplained.text.map((line) => h("p", { class: "note" }, line)),
		threads());
}
