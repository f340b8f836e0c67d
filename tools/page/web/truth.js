// SPDX-License-Identifier: MIT
// How far the figures of this page can be trusted: what was measured, what recording has changed, what is missing.
import { help, report } from "./data.js";
import { fact, h, section } from "./dom.js";
import { count, countText, interval, lost, shareText, time } from "./numbers.js";

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

function missing() {
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
			fact("Could not be recorded", missing()),
			fact("Recorded by", `stmlog ${stmlog.version}, clock ${clock}`),
			report.totals.attached_ns > 0 && fact("Lost of all time", shareText(report.totals.lost.lost_ns, report.totals.attached_ns))));
}
