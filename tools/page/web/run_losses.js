// SPDX-License-Identifier: MIT
// What was lost in a part of the run, by the timeline. Its losses have a kind, that is, a cause and a place, but not the
// place of the other transaction. So the time of a kind is divided among its entries as in the whole run, but only among
// those whose first and last loss allow it.
import { report } from "./data.js";
import { firstFrom, ROWS } from "./timeline_model.js";

const BINS = 400;

/** The time of each bar: of an attempt without the waits in it, which are losses of their own. */
function ownTimes({ lane, row, depth, time }) {
	const own = Float64Array.from(time), attempts = [];
	for (let i = 0; i < own.length; i++) {
		if (row[i] !== ROWS.transactions) continue;
		if (depth[i] === 0) attempts[lane[i]] = i;
		else if (attempts[lane[i]] !== undefined) own[attempts[lane[i]]] -= time[i];
	}
	return own;
}

/** All losses, by the time of their end: for each kind those times, the sums of what was lost before each of them, and
 * the numbers of its entries; and what was lost in each of so many parts of the run. */
export function lossesOf(data) {
	const { bars, entries } = data, own = ownTimes(bars), endOf = (i) => bars.from[i] + bars.time[i];
	const begin = bars.from.reduce((first, from) => Math.min(first, from), Infinity);
	const end = bars.from.reduce((last, from, i) => Math.max(last, endOf(i)), 0);
	const kinds = new Map(), bins = new Array(BINS).fill(0);
	for (const [i, kind] of entries.kind.entries()) {
		if (!kinds.has(kind)) kinds.set(kind, { ends: [], sums: [0], members: [] });
		kinds.get(kind).members.push(i);
	}
	const losses = [...bars.kind.keys()].filter((i) => kinds.has(bars.kind[i])).sort((a, b) => endOf(a) - endOf(b));
	for (const i of losses) {
		const { ends, sums } = kinds.get(bars.kind[i]);
		ends.push(endOf(i));
		sums.push(sums.at(-1) + own[i]);
		bins[Math.min(BINS - 1, Math.floor(BINS * (endOf(i) - begin) / (end - begin)))] += own[i];
	}
	return { begin, end, kinds, entries, bins, all: bins.reduce((sum, ns) => sum + ns, 0) };
}

/** The losses that ended in this part of the run: the time of each entry, of each row of the first screen, and of all.
 * It takes no longer with many events than with few. */
export function lostIn({ kinds, entries }, { from, to }) {
	const lost = entries.kind.map(() => 0), rows = report.rows.map(() => 0);
	for (const { ends, sums, members } of kinds.values()) {
		const ns = sums[firstFrom(ends, to + 1)] - sums[firstFrom(ends, from)];
		if (ns <= 0) continue;
		const possible = members.filter((i) => entries.first[i] <= to && entries.last[i] >= from);
		const those = possible.length > 0 ? possible : members;
		const whole = those.reduce((sum, i) => sum + report.entries[i].lost_ns, 0);
		for (const i of those) lost[i] = whole > 0 ? ns * report.entries[i].lost_ns / whole : ns / those.length;
	}
	for (const [i, row] of entries.row.entries()) if (row > 0) rows[row - 1] += lost[i];
	return { from, to, lost, rows, all: lost.reduce((sum, ns) => sum + ns, 0) };
}
