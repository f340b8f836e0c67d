// SPDX-License-Identifier: MIT
// Transactions that were blocked after a retry, by the place where they begin, with what they waited for.
import { report } from "./data.js";
import { h, section, table } from "./dom.js";
import { place, placeKey } from "./names.js";
import { count, countText, time } from "./numbers.js";

const LISTED = 100;
const COLUMNS = [["begins at"], ["blocked", "number"], ["times", "number"], ["in vain", "number"], ["longest", "number"]];
const WAITS = [["waits at"], ["for"], ["woken by"]];

/** Whether of any transaction more is known than that it was blocked. */
const hasWaits = report.blocked.some(({ waits_at: at, object, woken_by: waker }) => at.known || object !== null || waker.known);

/** Behind the figures: where it has read what it waits for, unless that is where it begins; what that is; who has changed it. */
function row({ begin, waits_at: at, object, woken_by: waker, ...site }) {
	const waits = [at.known && placeKey(at) !== placeKey(begin) && place(at), object && h("span", { class: "data" }, object), waker.known && place(waker, "culprit")];
	return [place(begin), time(site.blocked_ns, "blocked_ns"), count(site.count, "count"), count(site.in_vain, "in_vain"),
		time(site.longest_ns, "longest_ns"), ...hasWaits ? waits : []];
}

function sums() {
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
		sums(),
		table("Blocked transactions by place", "blocked-sites", [...COLUMNS, ...hasWaits ? WAITS : []], report.blocked.slice(0, LISTED).map(row)),
		report.blocked.length > LISTED && h("p", null, `${report.blocked.length - LISTED} more places.`));
}
