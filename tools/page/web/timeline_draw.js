// SPDX-License-Identifier: MIT
// Draws the part of the timeline that is in the window. What is narrower than a pixel is added up by pixel, so that
// each pixel shows the shares of what happened in it.
import { timeText } from "./text.js";
import { firstAfter, firstFrom, ticksOf } from "./timeline_model.js";

// Of more arrows those that end near each other are drawn as one; more points are not drawn, as that would take too long.
const ARROWS_MOST = 600, POINTS_MOST = 200000;
// Pixels between two lines of a gap.
const HATCH = 6;

/** The colours of the page, by the names of its style sheet. */
export function coloursOf(element) {
	const style = getComputedStyle(element);
	const names = ["committed", "aborted", "waiting", "open", "outside", "task", "touch", "region", "text", "quiet", "line", "culprit", "panel", "code", "accent"];
	const colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
	return { ...colours, wait: colours.waiting, missing: colours.outside };
}

function drawAxis(context, view, model, colours) {
	const { x, width } = view;
	context.fillStyle = colours.quiet;
	context.strokeStyle = colours.line;
	context.lineWidth = 1;
	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "alphabetic";
	context.textAlign = "left";
	const [from, to] = x.domain();
	// Where only the last digits differ, times count from the left border.
	const isFar = (to - from) * 1000 < to;
	context.beginPath();
	for (const tick of ticksOf(from, to, Math.max(2, width / 120))) {
		const at = Math.round(x(tick)) + 0.5;
		context.moveTo(at, 16);
		context.lineTo(at, model.height);
		const text = isFar ? `+${timeText(tick - from)}` : timeText(tick);
		if (at + context.measureText(text).width + 6 < width) context.fillText(text, at + 3, 12);
	}
	context.stroke();
}

/** Part of a row that no event is known of. */
function drawGap(context, x0, x1, slot, colours) {
	context.fillStyle = colours.missing;
	context.globalAlpha = 0.35;
	context.fillRect(x0, slot.top, x1 - x0, slot.height);
	context.globalAlpha = 1;
	context.strokeStyle = colours.quiet;
	context.save();
	context.beginPath();
	context.rect(x0, slot.top, x1 - x0, slot.height);
	context.clip();
	context.beginPath();
	for (let at = x0 - slot.height - (x0 % HATCH); at < x1; at += HATCH) {
		context.moveTo(at, slot.top + slot.height);
		context.lineTo(at + slot.height, slot.top);
	}
	context.stroke();
	context.restore();
}

/** The sums by pixel of one slot, as columns of shares. */
function drawSums(context, sums, slot, fates, colours, width, nsPerPixel) {
	for (let pixel = 0; pixel < width; pixel++) {
		let all = 0;
		for (let fate = 0; fate < fates.length; fate++) all += sums[fate * width + pixel];
		if (all === 0) continue;
		context.globalAlpha = Math.max(0.3, Math.min(1, all / nsPerPixel));
		let y = slot.top + slot.height;
		for (let fate = 0; fate < fates.length; fate++) {
			const part = sums[fate * width + pixel];
			if (part === 0) continue;
			const height = slot.height * part / all;
			y -= height;
			context.fillStyle = colours[fates[fate]];
			context.fillRect(pixel, y, 1, height);
		}
	}
	context.globalAlpha = 1;
}

function drawSlot(context, view, model, slot, colours, sums) {
	const { bars, fates } = model;
	const { x, width } = view;
	const [from, to] = x.domain();
	const scale = width / (to - from);
	let isSummed = false;
	sums.fill(0);
	for (let i = firstAfter(slot, bars, from); i < slot.bars.length; i++) {
		const bar = slot.bars[i], begin = bars.from[bar];
		if (begin > to) break;
		const x0 = Math.max(-1, (begin - from) * scale), x1 = Math.min(width + 1, (begin + bars.time[bar] - from) * scale);
		const fate = bars.fate[bar];
		if (fates[fate] === "missing") {
			drawGap(context, x0, Math.max(x0 + 2, x1), slot, colours);
		} else if (x1 - x0 < 1.5) {
			const pixel = Math.min(width - 1, Math.max(0, x0 | 0));
			sums[fate * width + pixel] += Math.max(bars.time[bar], 1);
			isSummed = true;
		} else {
			context.fillStyle = colours[fates[fate]];
			context.fillRect(x0, slot.top, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), slot.height);
		}
	}
	if (isSummed) drawSums(context, sums, slot, fates, colours, width, 1 / scale);
}

/** Returns how many points are in the window. */
function drawPoints(context, view, model, colours) {
	const { points, lanes } = model;
	const [from, to] = view.x.domain();
	const first = firstFrom(points.at, from), end = firstFrom(points.at, to);
	context.fillStyle = colours.text;
	let last = "";
	for (let i = first; i < end && i - first < POINTS_MOST; i++) {
		const at = Math.round(view.x(points.at[i])), key = `${at} ${points.lane[i]}`;
		if (key === last) continue;
		last = key;
		const top = lanes[points.lane[i]].pointsTop;
		context.fillRect(at, top, 1, 7);
		context.fillRect(at - 1, top, 3, 3);
	}
	return end - first;
}

function drawArrow(context, x0, y0, x1, y1, head) {
	const angle = Math.atan2(y1 - y0, x1 - x0);
	context.beginPath();
	context.moveTo(x0, y0);
	context.lineTo(x1, y1);
	context.stroke();
	context.beginPath();
	context.moveTo(x1, y1);
	for (const turn of [-0.4, 0.4]) context.lineTo(x1 - head * Math.cos(angle + turn), y1 - head * Math.sin(angle + turn));
	context.fill();
}

/** Arrows between the same lanes that end in the same few pixels are drawn as one, which is thicker. Returns how many
 * arrows end in the window. */
function drawArrows(context, view, model, colours) {
	const { arrows, lanes } = model;
	const [from, to] = view.x.domain();
	const first = firstFrom(arrows.to, from), end = firstFrom(arrows.to, to);
	const grain = end - first > ARROWS_MOST ? 12 : 2, folded = new Map();
	for (let i = first; i < end; i++) {
		const key = ((Math.round(view.x(arrows.to[i]) / grain) * 1024 + arrows.lane[i]) * 1024 + arrows.to_lane[i]);
		const one = folded.get(key);
		if (one) one.count++;
		else folded.set(key, { i, count: 1 });
	}
	context.strokeStyle = context.fillStyle = colours.culprit;
	context.globalAlpha = folded.size > 200 ? 0.4 : 0.8;
	for (const { i, count } of folded.values()) {
		if (arrows.lane[i] === arrows.to_lane[i]) continue;
		const source = lanes[arrows.lane[i]], target = lanes[arrows.to_lane[i]];
		const isDown = arrows.to_lane[i] > arrows.lane[i];
		context.lineWidth = Math.min(3, 1 + Math.log2(count) / 4);
		drawArrow(context, view.x(arrows.at[i]), isDown ? source.barTop + source.barHeight : source.barTop,
			view.x(arrows.to[i]), isDown ? target.barTop : target.barTop + target.barHeight, 6 + context.lineWidth);
	}
	context.globalAlpha = 1;
	return end - first;
}

function drawLanes(context, view, model, colours) {
	context.strokeStyle = colours.line;
	context.lineWidth = 1;
	context.beginPath();
	for (const lane of model.lanes) {
		context.moveTo(0, Math.round(lane.bottom) + 0.5);
		context.lineTo(view.width, Math.round(lane.bottom) + 0.5);
	}
	context.stroke();
}

/** Draws over the bar that the pointer or the keyboard has chosen. */
function drawChosen(context, view, model, colours, chosen) {
	if (!chosen) return;
	const { bars } = model, { bar, slot } = chosen;
	const x0 = view.x(bars.from[bar]), x1 = view.x(bars.from[bar] + bars.time[bar]);
	context.strokeStyle = colours.text;
	context.lineWidth = 2;
	context.strokeRect(x0 - 1, slot.top - 1, Math.max(3, x1 - x0 + 1), slot.height + 2);
}

/** Draws all. Returns what there was to see. */
export function draw(context, view, model, colours, chosen) {
	context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	context.clearRect(0, 0, view.width, model.height);
	drawAxis(context, view, model, colours);
	drawLanes(context, view, model, colours);
	const sums = new Float64Array(model.fates.length * view.width);
	for (const slot of model.slots) drawSlot(context, view, model, slot, colours, sums);
	const points = drawPoints(context, view, model, colours);
	const arrows = drawArrows(context, view, model, colours);
	drawChosen(context, view, model, colours, chosen);
	return { points, arrows };
}
