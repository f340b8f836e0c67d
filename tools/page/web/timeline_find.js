// SPDX-License-Identifier: MIT
// Finds bars and points: those below the pointer, and the next ones of a lane. A bar is found together with its slot.
import { firstAfter, ROWS } from "./timeline_model.js";

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
