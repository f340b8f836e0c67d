// SPDX-License-Identifier: MIT
// The timeline's bars by lane, and their layout. Bars of one slot (a row and a depth of a lane) do not overlap.

export const ROWS = { transactions: 0, tasks: 1, touches: 2, regions: 3 };
const LANE_GAP = 10, POINTS = 8;

function heightOf(row, depth, isTight) {
	if (isTight) return 8;
	return row === ROWS.transactions && depth === 0 ? 20 : 10;
}

/** The indexes of the slot's bars by their beginnings. */
function sorted(indexes, from) {
	for (let i = 1; i < indexes.length; i++)
		if (from[indexes[i]] < from[indexes[i - 1]]) return indexes.sort((a, b) => from[a] - from[b]);
	return indexes;
}

function slotsOf(bars, lanes) {
	const slots = new Map();
	for (let i = 0; i < bars.lane.length; i++) {
		const key = (bars.lane[i] * 4 + bars.row[i]) * 64 + Math.min(63, bars.depth[i]);
		if (!slots.has(key)) slots.set(key, { lane: bars.lane[i], row: bars.row[i], depth: Math.min(63, bars.depth[i]), bars: [] });
		slots.get(key).bars.push(i);
	}
	for (const slot of slots.values()) slot.bars = sorted(slot.bars, bars.from);
	for (let lane = 0; lane < lanes; lane++)
		if (!slots.has(lane * 4 * 64)) slots.set(lane * 4 * 64, { lane, row: 0, depth: 0, bars: [] });
	return [...slots.values()].sort((a, b) => a.lane - b.lane || b.row - a.row || a.depth - b.depth);
}

/** Regions on top, then tasks, then waits for tasks; points stand above transactions. */
function layOut(slots, lanes) {
	const isTight = lanes.length > 40;
	let y = 24;
	for (const [i, lane] of lanes.entries()) {
		lane.top = y;
		y += LANE_GAP / 2;
		for (const slot of slots.filter((one) => one.lane === i)) {
			if (slot.row === ROWS.transactions && slot.depth === 0) {
				lane.pointsTop = y;
				y += lane.hasPoints ? POINTS : 0;
				lane.barTop = y;
			}
			slot.top = y;
			slot.height = heightOf(slot.row, slot.depth, isTight);
			if (slot.row === ROWS.transactions && slot.depth === 0) lane.barHeight = slot.height;
			y += slot.height + 1;
		}
		y += LANE_GAP / 2;
		lane.bottom = y;
	}
	return y;
}

/** When the last thread begins to have events: before that the picture would look as if it had done nothing. */
function coveredFrom(slots, bars, missing) {
	const ends = slots.filter((slot) => slot.row === ROWS.transactions && slot.depth === 0 && slot.bars.length > 0)
		.map(({ bars: [first] }) => (bars.fate[first] === missing ? bars.from[first] + bars.time[first] : 0));
	return Math.max(0, ...ends);
}

/** All that is drawn, from the data of the command. */
export function modelOf(data) {
	const { bars, points, arrows, fates, texts } = data;
	const lanes = data.lanes.map((lane) => ({ ...lane, hasPoints: false }));
	for (const lane of points.lane) lanes[lane].hasPoints = true;
	let end = 1, begin = Infinity;
	for (let i = 0; i < bars.from.length; i++) {
		end = Math.max(end, bars.from[i] + bars.time[i]);
		begin = Math.min(begin, bars.from[i]);
	}
	for (const at of points.at) {
		end = Math.max(end, at);
		begin = Math.min(begin, at);
	}
	const slots = slotsOf(bars, lanes.length);
	const covered = coveredFrom(slots, bars, fates.indexOf("missing"));
	const height = layOut(slots, lanes);
	return { bars, points, arrows, fates, texts, lanes, slots, height, begin: Number.isFinite(begin) ? begin : 0, end, covered };
}

/** The position in the slot's bars of the first one that ends after the time. */
export function firstAfter(slot, bars, at) {
	let low = 0, high = slot.bars.length;
	while (low < high) {
		const middle = (low + high) >> 1, bar = slot.bars[middle];
		if (bars.from[bar] + bars.time[bar] < at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The first position in an ascending column whose time is not before this one. */
export function firstFrom(column, at) {
	let low = 0, high = column.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (column[middle] < at) low = middle + 1;
		else high = middle;
	}
	return low;
}
