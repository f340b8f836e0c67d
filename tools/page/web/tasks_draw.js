// SPDX-License-Identifier: MIT
// Draws the boxes of tasks, in the part of the picture that is in the window, and the lanes of the threads below them.
import { segmentAt, wordsIn } from "./tasks_model.js";
import { timeText } from "./numbers.js";

const ROW_MIN = 8, ROW_MAX = 34, HEIGHT = 520, AXIS = 18, LANE = 16, LANES_MAX = 32, NAMES = 80;
// Tags with a colour of their own. People with any kind of colour vision tell these apart.
const FILLS = ["#0072b2", "#f0b400", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"], OTHER_TAG = "#6e6e6e", NO_TAG = "#a8a8a8";

export function fillOf(tag) {
	return tag === 0 ? NO_TAG : FILLS[tag - 1] ?? OTHER_TAG;
}

const opacityOf = (speed) => 0.4 + 0.6 * speed / 1000;

const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);

/** Black or white, whichever is read more easily on the fill, of which the ground shines through. */
function inkOn(fill, opacity, isDark) {
	const ground = isDark ? 0.12 : 1;
	const [red, green, blue] = parts(fill).map((part) => (ground + (part - ground) * opacity) ** 2.2);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/** Where all is: the boxes' top and the height of a row, and the lanes. */
export function layoutOf(model, form) {
	const { rows } = model.forms[form];
	const row = Math.max(ROW_MIN, Math.min(ROW_MAX, HEIGHT / rows));
	const lanes = Math.min(LANES_MAX, model.lanes.length);
	const lanesTop = AXIS + row * rows + AXIS + 22;
	return { row, top: AXIS, bottom: AXIS + row * rows, lanesTop, lanes, lane: LANE, names: NAMES, height: lanesTop + lanes * LANE + 4 };
}

/** A box's place in pixels. */
export function placeOf(view, layout, boxes, i) {
	const x = view.x(boxes.from[i]);
	return { x, y: view.y(layout.top + boxes.row[i] * layout.row), width: Math.max(0.7, view.x(boxes.until[i]) - x), height: boxes.rows[i] * layout.row * view.k };
}

/** The time of the run at this x of the lanes, and the reverse. */
export const timeAt = (model, layout, width, x) => model.begin + (x - layout.names) / (width - layout.names) * (model.end - model.begin);
const laneX = (model, layout, width, at) => layout.names + (at - model.begin) / (model.end - model.begin) * (width - layout.names);

function drawAxis(context, view, layout, form, colours) {
	context.fillStyle = colours.quiet;
	context.font = "11px system-ui, sans-serif";
	context.textAlign = "left";
	if (form === "creations") {
		context.fillText("creations from left to right", 3, 12);
		return;
	}
	context.strokeStyle = colours.line;
	context.lineWidth = 1;
	context.beginPath();
	for (const tick of view.x.ticks(Math.max(2, view.width / 130))) {
		const at = Math.round(view.x(tick)) + 0.5, text = timeText(tick);
		context.moveTo(at, 15);
		context.lineTo(at, layout.bottom);
		if (at + context.measureText(text).width + 6 < view.width) context.fillText(text, at + 3, 12);
	}
	context.stroke();
}

function drawWords(context, words, place, ink) {
	const length = words.length * 6 + 6;
	const isAlong = length <= place.width && place.height >= 12, isAcross = !isAlong && length <= place.height && place.width >= 12;
	if (!isAlong && !isAcross) return;
	context.save();
	context.fillStyle = ink;
	context.textAlign = "center";
	context.textBaseline = "middle";
	context.translate(place.x + place.width / 2, place.y + place.height / 2);
	if (isAcross) context.rotate(-Math.PI / 2);
	context.fillText(words, 0, 0);
	context.restore();
}

/** The part of a place that is in the window, so that its words are. */
function seen(place, view, layout) {
	const x0 = Math.max(0, place.x), x1 = Math.min(view.width, place.x + place.width);
	const y0 = Math.max(layout.top, place.y), y1 = Math.min(layout.bottom, place.y + place.height);
	return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}

function drawBox(context, view, layout, model, form, i, isLit) {
	const { boxes } = model.forms[form];
	const part = seen(placeOf(view, layout, boxes, i), view, layout);
	if (part.width <= 0 || part.height <= 0) return;
	const fill = fillOf(boxes.tag[i]), opacity = opacityOf(boxes.speed[i]);
	context.globalAlpha = isLit === false ? opacity * 0.3 : opacity;
	context.fillStyle = fill;
	const gap = part.width > 3 ? 0.7 : 0;
	context.fillRect(part.x, part.y, part.width - gap, part.height - (part.height > 3 ? 0.7 : 0));
	context.globalAlpha = 1;
	drawWords(context, wordsIn(model, form, i), part, isLit === false ? view.colours.text : inkOn(fill, opacity, view.isDark));
}

function outline(context, view, layout, place, colour, mark) {
	const part = seen(place, view, layout);
	if (part.width < 0 || part.height < 0) return;
	context.strokeStyle = colour;
	context.lineWidth = 2;
	context.strokeRect(part.x + 1, part.y + 1, Math.max(2, part.width - 2), Math.max(2, part.height - 2));
	if (mark) drawMark(context, mark, part.x, part.y, view.colours);
}

/** Edges between boxes of other rows, which the order of the boxes does not show. */
function drawEdges(context, view, layout, model) {
	const { edges, forms: { graph: { boxes } } } = model;
	context.save();
	context.beginPath();
	context.rect(0, layout.top, view.width, layout.bottom - layout.top);
	context.clip();
	context.strokeStyle = view.colours.quiet;
	context.lineWidth = 1;
	context.beginPath();
	for (let i = 0; i < edges.from.length; i++) {
		const from = placeOf(view, layout, boxes, edges.from[i]), to = placeOf(view, layout, boxes, edges.to[i]);
		const x = from.x + from.width, middle = (x + to.x) / 2, y0 = from.y + from.height / 2, y1 = to.y + to.height / 2;
		context.moveTo(x, y0);
		context.bezierCurveTo(middle, y0, middle, y1, to.x, y1);
	}
	context.stroke();
	context.restore();
}

/** A letter at a pinned box or segment. */
function drawMark(context, mark, x, y, colours) {
	context.fillStyle = colours.text;
	context.fillRect(x, y, 13, 13);
	context.fillStyle = colours.panel;
	context.textAlign = "center";
	context.textBaseline = "middle";
	context.fillText(mark, x + 6.5, y + 7);
	context.textBaseline = "alphabetic";
}

/** Segments too short to be seen are added up by pixel. */
function drawLane(context, view, layout, model, lane, top) {
	const { segments } = model, { colours } = view;
	context.fillStyle = colours.outside;
	context.fillRect(layout.names, top + 2, view.width - layout.names, layout.lane - 4);
	for (const i of lane.segments) {
		const x0 = laneX(model, layout, view.width, segments.from[i]), x1 = laneX(model, layout, view.width, segments.from[i] + segments.time[i]);
		context.globalAlpha = opacityOf(segments.speed[i]) * Math.max(0.15, Math.min(1, x1 - x0));
		context.fillStyle = fillOf(segments.tag[i]);
		context.fillRect(x0, top + 2, Math.max(1, x1 - x0), layout.lane - 4);
	}
	context.globalAlpha = 1;
	context.fillStyle = colours.quiet;
	context.textAlign = "left";
	context.fillText(`thread ${lane.thread}`, 4, top + 12);
}

/** The lanes without what moves; the caller keeps the picture. */
export function drawLanes(context, view, layout, model) {
	context.font = "11px system-ui, sans-serif";
	context.fillStyle = view.colours.quiet;
	context.fillText(`threads, ${timeText(model.end - model.begin)} of the run; grey: no task`, layout.names, layout.lanesTop - 5);
	for (let i = 0; i < layout.lanes; i++) drawLane(context, view, layout, model, model.lanes[i], layout.lanesTop + i * layout.lane);
}

/** The segments that run at this time. */
export function running(model, at) {
	return model.lanes.map((lane) => segmentAt(model, lane, at)).filter((one) => one !== undefined);
}

function drawTime(context, view, layout, model, at) {
	const x = laneX(model, layout, view.width, at);
	context.fillStyle = view.colours.text;
	context.fillRect(x - 0.75, layout.lanesTop - 2, 1.5, layout.lanes * layout.lane + 4);
}

function drawPins(context, view, layout, model, form, pins) {
	const { of, boxes } = model.forms[form];
	pins.forEach((pin, number) => {
		const mark = "AB"[number];
		for (const box of new Set(pin.segments.slice(0, 1).map((one) => of[one]))) outline(context, view, layout, placeOf(view, layout, boxes, box), view.colours.text, mark);
		const [first] = pin.segments, lane = first === undefined ? layout.lanes : model.segments.lane[first];
		if (lane < layout.lanes) drawMark(context, mark, laneX(model, layout, view.width, model.segments.from[first]), layout.lanesTop + lane * layout.lane + 1, view.colours);
	});
}

/** Draws all. `state`: the form, the time that is shown (undefined: none), the chosen box, the pins, the picture of the lanes. */
export function draw(context, view, layout, model, state) {
	const { form, at, chosen, pins, lanes } = state, { boxes, count, of } = model.forms[form];
	const lit = at === undefined ? undefined : new Set(running(model, at).map((one) => of[one]));
	context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	context.clearRect(0, 0, view.width, layout.height);
	context.fillStyle = view.colours.code;
	context.fillRect(0, layout.top, view.width, layout.bottom - layout.top);
	drawAxis(context, view, layout, form, view.colours);
	if (form === "graph") drawEdges(context, view, layout, model);
	context.font = "10px system-ui, sans-serif";
	for (let i = 0; i < count; i++) drawBox(context, view, layout, model, form, i, lit && lit.has(i));
	for (const i of lit ?? []) outline(context, view, layout, placeOf(view, layout, boxes, i), view.colours.text);
	if (chosen !== undefined) outline(context, view, layout, placeOf(view, layout, boxes, chosen), view.colours.accent);
	context.drawImage(lanes, 0, 0, lanes.width / view.ratio, lanes.height / view.ratio);
	drawPins(context, view, layout, model, form, pins);
	if (at !== undefined) drawTime(context, view, layout, model, at);
}
