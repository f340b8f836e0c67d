// SPDX-License-Identifier: MIT
// The timeline: a lane for each thread, with zoom, tips, and the keyboard.
import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";

import { onShowPart, report, timeline as data } from "./data.js";
import { actOnKey, asNodes, h, hideTip, section, showTip, signButton } from "./dom.js";
import { countText, timeText } from "./text.js";
import { coloursOf, draw } from "./timeline_draw.js";
import { barAt, modelOf, nextBar, pointAt, ROWS, scaleOf } from "./timeline_model.js";

// ---- the words: names of lanes, what the tips say, and the legend ----

function laneName(lane) {
	return lane.name ? `${lane.name} (thread ${lane.thread})` : `thread ${lane.thread}`;
}

/** The thread of the other transaction. */
function other(model, thread) {
	const lane = model.lanes.find((one) => one.thread === thread);
	return lane ? laneName(lane) : `thread ${thread}`;
}

const TITLES = {
	committed: "Transaction, committed", aborted: "Transaction, aborted", open: "Transaction; its end is not known", wait: "Wait",
	task: "Task", touch: "Wait for a task", region: "Region",
};

/** Lines of text about a bar. */
function toldBar(model, bar) {
	const { bars, fates, texts } = model;
	const fate = fates[bars.fate[bar]];
	const when = `${timeText(bars.time[bar])} from ${(bars.from[bar] / 1e9).toFixed(9)} s`;
	if (fate === "missing") return [`${countText(Number(texts[bars.what[bar]] ?? 0))} events are missing`, when];
	const what = texts[bars.what[bar]], isTask = fate === "task" || fate === "touch";
	return [TITLES[fate], texts[bars.place[bar]], when, texts[bars.why[bar]],
		bars.other[bar] > 0 && `because of ${other(model, bars.other[bar])}`, what && (isTask ? `task ${what}` : `data ${what}`)].filter(Boolean);
}

/** The same about a point. */
function toldPoint(model, point) {
	const { points, texts } = model;
	return [texts[points.kind[point]], texts[points.place[point]], `at ${(points.at[point] / 1e9).toFixed(9)} s`,
		texts[points.what[point]]].filter(Boolean);
}

/** What the timeline has in it: pairs of a class, which has the colour, and a word. */
function legendOf({ slots, points, arrows }) {
	const has = (row) => slots.some((slot) => slot.row === row);
	return [
		["committed", "committed"], ["aborted", "aborted"], ["waiting", "waits"], ["open", "no end known"], ["outside", "events missing"],
		points.at.length > 0 && ["point", "other events"],
		arrows.at.length > 0 && ["arrow", "from the culprit to its victim"],
		has(ROWS.tasks) && ["task", "task"],
		has(ROWS.touches) && ["touch", "waits for a task"],
		has(ROWS.regions) && ["region", "region"],
	].filter(Boolean);
}

// ---- the picture and its keys ----

const SHORTEST_NS = 50;
const ATTEMPTS = ["committed", "aborted", "open"];

/** One turn of a wheel, with Ctrl or without, is half a doubling at most; a pinch on a touchpad comes in smaller steps. */
function wheelDelta(event) {
	const unit = [0.002, 0.05, 1][event.deltaMode] * (event.ctrlKey ? 5 : 1);
	return Math.max(-0.5, Math.min(0.5, -event.deltaY * unit));
}

class Timeline {
	constructor(model) {
		this.model = model;
		this.canvas = h("canvas", {
			tabindex: "0", role: "application", "aria-label": "Timeline", "aria-describedby": "timeline-keys", id: "timeline-canvas",
		});
		this.names = h("div", { class: "lanes", "aria-hidden": "true" }, model.lanes.map((lane) =>
			h("span", { title: laneName(lane), style: { top: `${lane.top}px`, height: `${lane.bottom - lane.top}px` } }, laneName(lane))));
		this.said = h("p", { class: "said", id: "timeline-said" });
		this.panel = h("p", { class: "chosen", role: "status", id: "timeline-chosen" });
		this.chosen = undefined;
		this.lane = 0;
		this.canvas.style.height = this.names.style.height = `${model.height}px`;
		this.zoom = zoom()
			.filter((event) => (event.type === "wheel" ? this.takesWheel(event) : !event.button))
			.wheelDelta(wheelDelta)
			.on("zoom", () => this.requestRedraw());
		select(this.canvas).call(this.zoom);
		this.listen();
	}

	/** Otherwise the wheel scrolls the page. */
	takesWheel(event) {
		return event.ctrlKey || event.metaKey || document.activeElement === this.canvas;
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("pointermove", (event) => this.hover(event));
		canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
		canvas.addEventListener("pointerleave", hideTip);
		canvas.addEventListener("click", (event) => this.choose(barAt(this.model, this.view, event.offsetX, event.offsetY)));
		canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.resize()).observe(canvas);
		onShowPart((part) => {
			this.part = part;
			if (this.base) this.zoomToPart();
		});
		document.addEventListener("stmlog:theme", () => this.requestRedraw());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.requestRedraw());
		// A page on paper has light colours.
		addEventListener("beforeprint", () => this.redraw());
		addEventListener("afterprint", () => this.requestRedraw());
	}

	resize() {
		const width = Math.floor(this.canvas.clientWidth);
		if (width === 0 || width === this.width) return;
		const { begin, end, height } = this.model;
		this.width = width;
		this.ratio = Math.min(2, devicePixelRatio || 1);
		this.canvas.width = width * this.ratio;
		this.canvas.height = height * this.ratio;
		this.base = scaleOf(begin, end, width);
		this.zoom.extent([[0, 0], [width, height]]).translateExtent([[0, 0], [width, height]])
			.scaleExtent([1, Math.max(1, (end - begin) / SHORTEST_NS)]);
		if (!this.view) this.zoomToPart();
		this.redraw();
	}

	/** Shows the part of the run that was chosen, or that in which all threads have events. */
	zoomToPart() {
		const { begin, end, covered } = this.model;
		const { from, to } = this.part ?? { from: covered < end ? Math.max(begin, covered) : begin, to: end };
		const scale = (end - begin) / (to - from);
		if (to > from) select(this.canvas).call(this.zoom.transform, zoomIdentity.scale(scale).translate(-this.base(from), 0));
	}

	requestRedraw() {
		this.frame ??= requestAnimationFrame(() => this.redraw());
	}

	redraw() {
		this.frame = undefined;
		if (!this.width) return;
		const began = performance.now();
		const [from, to] = [0, this.width].map((at) => this.base.invert(zoomTransform(this.canvas).invertX(at)));
		this.view = { x: scaleOf(from, to, this.width), width: this.width, ratio: this.ratio };
		const seen = draw(this.canvas.getContext("2d"), this.view, this.model, coloursOf(this.canvas), this.chosen);
		performance.measure("stmlog:redraw", { start: began, end: performance.now() });
		this.said.textContent = `${timeText(to - from)} from ${(from / 1e9).toFixed(6)} s, of ${timeText(this.model.end - this.model.begin)}. ` +
			`${countText(seen.arrows)} arrows from a culprit to its victim${seen.points > 0 ? `, ${countText(seen.points)} points` : ""}.`;
	}

	hover(event) {
		const { model, view } = this;
		const found = view && barAt(model, view, event.offsetX, event.offsetY);
		const point = view && !found ? pointAt(model, view, event.offsetX, event.offsetY) : undefined;
		if (found) showTip(event.clientX, event.clientY, asNodes(toldBar(model, found.bar)));
		else if (point !== undefined) showTip(event.clientX, event.clientY, asNodes(toldPoint(model, point)));
		else hideTip();
	}

	choose(found) {
		this.chosen = found;
		this.panel.replaceChildren(...(found ? asNodes([`${laneName(this.model.lanes[found.slot.lane])}: ${toldBar(this.model, found.bar)[0]}`,
			...toldBar(this.model, found.bar).slice(1)]) : []));
		if (found) this.lane = found.slot.lane;
		this.requestRedraw();
	}

	zoomBy(factor) {
		select(this.canvas).call(this.zoom.scaleBy, factor);
	}

	move(part) {
		select(this.canvas).call(this.zoom.translateBy, -part * this.width / zoomTransform(this.canvas).k, 0);
	}

	showAll() {
		select(this.canvas).call(this.zoom.transform, zoomIdentity);
	}

	/** Chooses the lane's next bar of these fates in this direction (1 or -1), and shows it. If no bar of the lane is chosen,
	 * begins at the left edge of the window, or at the right one for -1. */
	step(direction, fates = ATTEMPTS) {
		const { bars } = this.model;
		const [from, to] = this.view.x.domain();
		const isHere = this.chosen?.slot.lane === this.lane;
		const found = nextBar(this.model, this.lane, direction, isHere ? bars.from[this.chosen.bar] : direction > 0 ? from - 1 : to, fates);
		if (!found) return;
		const begin = bars.from[found.bar], end = begin + bars.time[found.bar];
		if (begin < from || end > to) select(this.canvas).call(this.zoom.translateTo, this.base((begin + end) / 2), 0);
		this.choose(found);
	}

	key(event) {
		const lanes = this.model.lanes.length;
		actOnKey(event, {
			"+": () => this.zoomBy(2), "=": () => this.zoomBy(2), "-": () => this.zoomBy(0.5), "0": () => this.showAll(), Home: () => this.showAll(),
			ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
			ArrowUp: () => { this.lane = (this.lane + lanes - 1) % lanes; this.step(1); },
			ArrowDown: () => { this.lane = (this.lane + 1) % lanes; this.step(1); },
			n: () => this.step(1), p: () => this.step(-1), a: () => this.step(1, ["aborted"]), w: () => this.step(1, ["wait"]),
			Escape: () => this.choose(undefined),
		});
	}

	buttons() {
		return h("div", { class: "controls" },
			signButton("\u2212", "Zoom out", () => this.zoomBy(0.5)), signButton("+", "Zoom in", () => this.zoomBy(2)),
			signButton("\u2190", "Earlier", () => this.move(-0.5)), signButton("\u2192", "Later", () => this.move(0.5)),
			signButton("All", "Show all", () => this.showAll()),
			h("span", { class: "legend" }, legendOf(this.model).map(([name, words]) =>
				h("span", null, h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), words))));
	}
}

function missing() {
	const { events_missing: events, attempts_without_events: attempts } = report.losses;
	const { descheduled_ns: off } = report.totals, left = data.bars.left_out;
	return [
		events > 0 && `${countText(events)} events did not fit and are missing, where the rows are hatched.`,
		attempts > 0 && `${countText(attempts)} attempts were not measured and are not shown.`,
		left > 0 && `This page has the last bars; ${countText(left)} earlier ones are in stmlog export --format=perfetto.`,
		off > 0 && `In transactions and waits threads were off the processor for ${timeText(off)}. No event says when: bars are longer by it.`,
	].filter(Boolean);
}

export function timeline() {
	const intro = "A lane for each thread, a bar for each attempt of a transaction, an arrow from each culprit to its victim.";
	if (data.fault) return section("timeline", "Timeline", undefined, h("p", { class: "note" }, `The timeline contradicts itself and is not shown: ${data.fault}.`));
	if (data.events === 0) return undefined;
	const all = new Timeline(modelOf(data));
	return section("timeline", "Timeline", intro, missing().map((text) => h("p", { class: "note" }, text)), all.buttons(),
		h("div", { class: "timeline" }, all.names, all.canvas), all.said, all.panel,
		h("p", { class: "quiet", id: "timeline-keys" },
			"Drag to move. Ctrl and the wheel zoom; after a click the wheel alone does. Keys: + and \u2212 zoom, \u2190 and \u2192 move, 0 shows all, ",
			"\u2191 and \u2193 choose a thread, n and p its next and previous attempt, a its next abort, w its next wait."));
}
