// SPDX-License-Identifier: MIT
// Sections of sums: where all the time went (the account, the processes, what was blocked), how many attempts
// transactions need, and what the figures of the page rest on.
import { help, isEstimated, report } from "./data.js";
import { fact, h, scroller, section, table, withTip } from "./dom.js";
import { count, countText, interval, lost, perMilleText, place, placeKey, placeText, share, shareText, time, timeText } from "./text.js";

// ---- the account: all time of all threads by what became of it ----

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

function accountRow(account, row) {
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

function accountTable(account) {
	return scroller("The account as a table", h("table", { class: "account" },
		h("thead", null, h("tr", null, h("td"), ["time", isEstimated && "between", "share", "count"].filter(Boolean).map((name) =>
			h("th", { scope: "col", class: "number" }, name)), h("th", { scope: "col", class: "meaning" }, "the time"))),
		h("tbody", null, shown(account).map((row) => accountRow(account, row)),
			h("tr", { class: "sum" }, h("th", { scope: "row" }, "attached"),
				h("td", { class: "number" }, time(account.attached_ns, "attached_ns")), isEstimated && h("td"),
				h("td", { class: "number" }, "100.0 %"), h("td"), h("td", { class: "meaning" }, help.terms.attached ?? "")))));
}

function threadList() {
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
		bar(totals, "All threads"), accountTable(totals), totals.unexplained.text.map((line) => h("p", { class: "note" }, line)),
		threadList());
}

// ---- the processes of the run, as `report --by=process` prints them ----

const PROCESS_COLUMNS = [["pid", "number"], ["program"], ["threads", "number wide"], ["commits", "number"], ["aborts", "number"],
	["lost", "number"], ["of its time", "number"]];

/** Of merged runs a process has no number. */
function processRow({ pid, program, threads, commits, aborts, lost_ns: ns, attached_ns: attached, descheduled_ns: off }) {
	return [pid ?? "\u2013", program, count(threads, "threads"), count(commits, "commits"), count(aborts, "aborts"),
		h("span", { class: "loss" }, isEstimated && "~\u00a0", time(ns, "lost_ns")), share(ns, attached - off)];
}

export function processes() {
	if (report.processes.length < 2) return undefined;
	const sorted = [...report.processes].sort((a, b) => b.lost_ns - a.lost_ns);
	return section("processes", "Processes", "Each process of the run, the costliest first, with what it lost of its time on processors.",
		table("Table of processes", "processes", PROCESS_COLUMNS, sorted.map(processRow)));
}

// ---- transactions that were blocked after a retry, by the place where they begin ----

const BLOCKED_LISTED = 100;
const BLOCKED_COLUMNS = [["begins at"], ["blocked", "number"], ["times", "number"], ["in vain", "number"], ["longest", "number"]];
const WAIT_COLUMNS = [["waits at"], ["for"], ["woken by"]];

/** Whether of any transaction more is known than that it was blocked. */
const hasWaits = report.blocked.some(({ waits_at: at, object, woken_by: waker }) => at.known || object !== null || waker.known);

/** Behind the figures: where it has read what it waits for, unless that is where it begins; what that is; who has changed it. */
function blockedRow({ begin, waits_at: at, object, woken_by: waker, ...site }) {
	const waits = [at.known && placeKey(at) !== placeKey(begin) && place(at), object && h("span", { class: "data" }, object), waker.known && place(waker, "culprit")];
	return [place(begin), time(site.blocked_ns, "blocked_ns"), count(site.count, "count"), count(site.in_vain, "in_vain"),
		time(site.longest_ns, "longest_ns"), ...hasWaits ? waits : []];
}

function blockedSums() {
	const { blocked: times, blocked_in_vain: vain, blocked_unattached: unattached } = report.totals;
	const spurious = report.blocked_spurious === null ? "" : `, ${countText(report.blocked_spurious)} of these spurious`;
	return h("p", null, `In all ${countText(times + unattached.count)} times, ${countText(vain + unattached.in_vain)} in vain${spurious}.`,
		unattached.count > 0 && [` Of these by green threads: ${countText(unattached.count)} times, `,
			time(unattached.blocked_ns, "unattached_ns"), "; that is no part of the account."]);
}

export function blocked() {
	if (report.blocked.length === 0) return undefined;
	return section("blocked", "Blocked",
		"A transaction that calls retry sleeps until something changes that it has read. It waits for a condition, and for no other transaction: this is no loss. " +
		"In vain: it was woken, and slept again.",
		blockedSums(),
		table("Blocked transactions by place", "blocked-sites", [...BLOCKED_COLUMNS, ...hasWaits ? WAIT_COLUMNS : []], report.blocked.slice(0, BLOCKED_LISTED).map(blockedRow)),
		report.blocked.length > BLOCKED_LISTED && h("p", null, `${report.blocked.length - BLOCKED_LISTED} more places.`));
}

// ---- how many attempts transactions need, and what they lose, by the place where they begin ----

const PLACES_DRAWN = 12, PLACES_LISTED = 500;
const DISTRIBUTION_COLUMNS = [["begins at"], ["commits", "number"], ["attempts"], ["half / 99 % / most", "number"], ["time lost"],
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

function distributionRow(site) {
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
		table("Distributions by place", "distributions", DISTRIBUTION_COLUMNS, all.slice(0, PLACES_DRAWN).map(distributionRow)),
		all.length > PLACES_DRAWN && h("details", null, h("summary", null, `${all.length - PLACES_DRAWN} more places`),
			h("ul", { class: "plain" }, all.slice(PLACES_DRAWN, PLACES_DRAWN + PLACES_LISTED).map((site) => h("li", null,
				`${placeText(site.begin)}: ${countText(site.commits)} commits, at most ${countText(site.attempts.most)} attempts and ${timeText(site.lost.longest_ns)} lost`)))));
}

// ---- how far the figures of this page can be trusted ----

function sampling() {
	const { exact, commits, timed, measured } = report.sample;
	const every = measured > 0 ? Math.round(commits / measured) : 0;
	if (exact) return "Each transaction was measured.";
	return [`Of ${countText(commits)} commits `, timed > 0 && [count(timed, "timed"), " were timed, and "], count(measured, "measured"),
		` ${timed > 0 ? "measured closely" : "were measured"}, at random${every > 1 ? `, about 1 in ${countText(every)}` : ""}. Counts of losses are of these. `,
		"A time behind ~ is an estimate for all; the true time lies in the interval beside it in 95 of 100 such runs."];
}

function observer() {
	const { probe } = report;
	const { observer_effect: effect, observer_effect_low: low, observer_effect_high: high, per_transaction: each } = probe;
	const isKnown = typeof effect === "number", hasInterval = typeof low === "number" && typeof high === "number";
	if (!isKnown && !hasInterval) return "This recording cannot tell how recording has changed the number of aborts.";
	const times = `${low.toFixed(2)} to ${high.toFixed(2)} times as many aborts while measuring as without`;
	if (!isKnown) return `${times}.`;
	return `${times}, about ${effect.toFixed(2)}${typeof each === "number" ? ` (${each.toFixed(2)} per transaction)` : ""}, ` +
		`in ${probe.phases_on} phases with and ${probe.phases_off} without.`;
}

function probes() {
	const { events, cost_ns: ns, origins, origins_cost_ns: originsNs, share } = report.probe;
	return [count(events), " readings of the clock took ", time(ns), originsNs > 0 && [", ", count(origins), " origins ", time(originsNs)],
		`, ${(100 * share).toFixed(2)} % of the run.`];
}

function exactness() {
	const { exact, commits_known: known, waits_estimated: estimated, descheduled_known: off, residual_ns: residual } = report.totals;
	return [
		exact ? "Counts of commits and aborts are exact, of all transactions." : "Counts of aborts are of measured transactions only.",
		known ? "" : " The runtime's own count of commits was not known.",
		estimated ? " Times of pauses and waits are estimated from how long the STM's calls have taken." : "",
		off ? "" : " Times off the processor could not be told apart.",
		` The rows of the account add up to the attached time${residual === 0 ? "." : `, but for ${residual} ns: a mistake of the profiler.`}`,
	];
}

function unrecorded() {
	const all = Object.entries(report.losses).filter(([, number]) => number > 0);
	if (all.length === 0) return "Nothing: all that happened was recorded.";
	return h("ul", { class: "plain" }, all.map(([key, number]) => {
		const [name, meaning] = help.losses[key] ?? [key, ""];
		return h("li", { "data-loss": key }, count(number), ` ${name}`, meaning && h("span", { class: "quiet" }, `: ${meaning}`));
	}));
}

function hardware() {
	const { hardware } = report;
	if (!hardware) return undefined;
	return `${countText(hardware.commits)} commits in hardware, ${countText(hardware.fallbacks)} without.`;
}

export function truth() {
	const { evicted, undecided, wasted, stmlog, clock } = report;
	return section("truth", "Truth", "What these figures rest on.",
		h("dl", { class: "truth" },
			fact("Measured", sampling()),
			fact("Counts", exactness()),
			fact("Observer effect", observer()),
			fact("Probes", probes()),
			fact("Hardware", hardware()),
			fact("All lost time", lost(report.totals.lost), " ", interval(report.totals.lost), ", in ", count(report.totals.lost.count), " measured losses"),
			evicted.count > 0 && fact("Evicted", count(evicted.count), " losses, ", lost(evicted), ": ", help.terms.evicted ?? ""),
			wasted.count > 0 && fact("For nothing", count(wasted.count), " aborts: ", help.terms["for nothing"] ?? ""),
			undecided > 0 && fact("Undecided", count(undecided), " aborts because of which it is not known whether the other one committed"),
			fact("Could not be recorded", unrecorded()),
			fact("Recorded by", `stmlog ${stmlog.version}, clock ${clock}`),
			report.totals.attached_ns > 0 && fact("Lost of all time", shareText(report.totals.lost.lost_ns, report.totals.attached_ns))));
}
