// SPDX-License-Identifier: MIT
// The timeline's bars by lane: their layout, their scale, and how one is found. Bars of one slot (a row and a depth of a
// lane) do not overlap.

/** Numbers of the command's rows (enum stmlog_row). */
export const ROWS = { transactions: 0, tasks: 1, touches: 2, regions: 3 };
// Bars deeper than the last slot of their row are in that one.
const ROW_KINDS = Object.keys(ROWS).length, DEPTHS = 64;
// Pixels.
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

/** The slots of all bars. Each lane has at least the one of its transactions. */
function slotsOf(bars, lanes) {
	const slots = new Map();
	const slotAt = (lane, row, depth) => {
		const key = (lane * ROW_KINDS + row) * DEPTHS + depth;
		if (!slots.has(key)) slots.set(key, { lane, row, depth, bars: [] });
		return slots.get(key);
	};
	for (let i = 0; i < bars.lane.length; i++)
		slotAt(bars.lane[i], bars.row[i], Math.min(DEPTHS - 1, bars.depth[i])).bars.push(i);
	for (const slot of slots.values()) slot.bars = sorted(slot.bars, bars.from);
	for (let lane = 0; lane < lanes; lane++) slotAt(lane, ROWS.transactions, 0);
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

/** The first position at which the condition no longer holds: it holds at all before that one, and at none behind. */
function firstWithout(end, holds) {
	let low = 0, high = end;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (holds(middle)) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The position in the slot's bars of the first one that does not end before the time. */
export function firstAfter(slot, bars, at) {
	return firstWithout(slot.bars.length, (i) => bars.from[slot.bars[i]] + bars.time[slot.bars[i]] < at);
}

/** The first position in an ascending column whose time is not before this one. */
export function firstFrom(column, at) {
	return firstWithout(column.length, (i) => column[i] < at);
}

// ---- the scale: from times to pixels and back ----

/** Maps the times from `from` to `to` to the pixels from 0 to `width`. */
export function scaleOf(from, to, width) {
	const x = (time) => (to > from ? (time - from) / (to - from) : 0.5) * width;
	x.domain = () => [from, to];
	x.invert = (at) => from + at / width * (to - from);
	return x;
}

/** Round times between `from` and `to`, about `count` of them: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf(from, to, count) {
	const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough)), rest = rough / power;
	const step = power * (rest >= Math.sqrt(50) ? 10 : rest >= Math.sqrt(10) ? 5 : rest >= Math.sqrt(2) ? 2 : 1);
	const first = Math.ceil(from / step), last = Math.floor(to / step);
	return rough > 0 ? Array.from({ length: Math.max(0, last - first + 1) }, (none, i) => (first + i) * step) : [];
}

// ---- finding bars, each together with its slot, and points ----

/** The bar at a position of the canvas, or the nearest one that is at most three pixels off; undefined: none. */
export function barAt(model, view, x, y) {
	const slot = model.slots.find((one) => y >= one.top && y <= one.top + one.height);
	if (!slot) return undefined;
	const [at, reach] = [view.x.invert(x), Math.abs(view.x.invert(x + 3) - view.x.invert(x))];
	const { bars } = model;
	let best, distance = reach;
	for (let i = firstAfter(slot, bars, at - reach); i < slot.bars.length && bars.from[slot.bars[i]] <= at + reach; i++) {
		const bar = slot.bars[i];
		const off = Math.max(bars.from[bar] - at, at - bars.from[bar] - bars.time[bar], 0);
		if (off === 0) return { bar, slot };
		if (off < distance) [best, distance] = [{ bar, slot }, off];
	}
	return best;
}

/** The point nearest to a position, at most four pixels off; undefined: none. */
export function pointAt(model, view, x, y) {
	const { points, lanes } = model;
	const lane = lanes.findIndex((one) => one.hasPoints && y >= one.pointsTop && y < one.barTop);
	if (lane < 0) return undefined;
	let best, distance = 4;
	for (let i = 0; i < points.at.length; i++) {
		const off = Math.abs(view.x(points.at[i]) - x);
		if (points.lane[i] === lane && off < distance) [best, distance] = [i, off];
	}
	return best;
}

/** The next bar of these fates after a time (direction 1) or before it (-1), of a lane's transactions in any depth;
 * undefined: none. */
export function nextBar({ bars, slots, fates: names }, lane, direction, at, fates) {
	let best;
	for (const slot of slots.filter((one) => one.lane === lane && one.row === ROWS.transactions)) {
		let i = firstAfter(slot, bars, at);
		if (direction < 0) while (i >= slot.bars.length || (i >= 0 && bars.from[slot.bars[i]] >= at)) i--;
		else while (i < slot.bars.length && bars.from[slot.bars[i]] <= at) i++;
		while (slot.bars[i] !== undefined && !fates.includes(names[bars.fate[slot.bars[i]]])) i += direction;
		const bar = slot.bars[i];
		if (bar !== undefined && (!best || direction * (bars.from[bar] - bars.from[best.bar]) < 0)) best = { bar, slot };
	}
	return best;
}
