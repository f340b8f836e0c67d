// SPDX-License-Identifier: MIT
// The tasks: their fork-join graph or the tree of their creations, with zoom; the run replayed; two pins compared.
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";

import { tasks as data } from "./data.js";
import { actOnKey, choice, h, scroller, section, signButton } from "./dom.js";
import { countText, timeText } from "./numbers.js";
import { draw, drawLanes, fillOf, layoutOf, placeOf, running, timeAt } from "./tasks_draw.js";
import { compared, modelOf, pinOfBox, pinOfSegment, segmentAt, toldBox, toldSegment } from "./tasks_model.js";
import { wheelDelta } from "./timeline.js";
import { coloursOf } from "./timeline_draw.js";
import { asNodes } from "./timeline_words.js";
import { hideTip, showTip } from "./tip.js";

// A replay takes so long, in ms; the slider has so many steps.
const REPLAY_MS = 12000, STEPS = 1000;

class Tasks {
	constructor(model) {
		this.model = model;
		this.form = "graph";
		this.pins = [];
		this.canvas = h("canvas", { tabindex: "0", role: "application", "aria-label": "Tasks", "aria-describedby": "tasks-keys", id: "tasks-canvas" });
		this.lanes = document.createElement("canvas");
		this.said = h("p", { class: "said", id: "tasks-said" });
		this.panel = h("div", { class: "chosen", role: "status", id: "tasks-pins" });
		this.slider = h("input", {
			type: "range", min: "0", max: String(STEPS), value: "0", "aria-label": "Time of the run", id: "tasks-time", oninput: () => this.seek(this.slider.value / STEPS),
		});
		this.player = h("button", { type: "button", id: "tasks-play", onclick: () => this.play(!this.isPlaying) }, "Play");
		this.zoom = zoom()
			.filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey || document.activeElement === this.canvas : !event.button))
			.wheelDelta(wheelDelta)
			.on("zoom", () => this.requestRedraw());
		select(this.canvas).call(this.zoom);
		this.listen();
		this.show("graph");
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("pointermove", (event) => this.hover(event));
		canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
		canvas.addEventListener("pointerleave", hideTip);
		canvas.addEventListener("click", (event) => this.pinAt(event.offsetX, event.offsetY));
		canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.resize()).observe(canvas);
		const recolour = () => { this.width = undefined; this.resize(); };
		document.addEventListener("stmlog:theme", recolour);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
		addEventListener("beforeprint", recolour);
		addEventListener("afterprint", recolour);
	}

	/** Shows the graph, or the tree of creations. */
	show(form) {
		this.form = form;
		this.layout = layoutOf(this.model, form);
		this.chosen = undefined;
		this.canvas.style.height = `${this.layout.height}px`;
		this.width = undefined;
		select(this.canvas).call(this.zoom.transform, zoomIdentity);
		this.resize();
	}

	resize() {
		const width = Math.floor(this.canvas.clientWidth);
		if (width === 0 || width === this.width) return;
		const { layout } = this;
		this.width = width;
		this.ratio = Math.min(2, devicePixelRatio || 1);
		for (const canvas of [this.canvas, this.lanes]) {
			canvas.width = width * this.ratio;
			canvas.height = layout.height * this.ratio;
		}
		this.colours = coloursOf(this.canvas);
		this.isDark = getComputedStyle(this.canvas).colorScheme.startsWith("dark");
		this.base = scaleLinear([0, this.model.forms[this.form].extent], [0, width]);
		this.zoom.extent([[0, layout.top], [width, layout.bottom]]).translateExtent([[0, layout.top], [width, layout.bottom]]).scaleExtent([1, 1e5]);
		const context = this.lanes.getContext("2d");
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		drawLanes(context, this.view, layout, this.model);
		this.redraw();
	}

	/** Wheel and keys zoom both ways. */
	get view() {
		const transform = zoomTransform(this.canvas), { width, ratio, colours, isDark } = this;
		return { x: transform.rescaleX(this.base), y: (y) => transform.applyY(y), k: transform.k, width, ratio, colours, isDark };
	}

	requestRedraw() {
		this.frame ??= requestAnimationFrame(() => this.redraw());
	}

	redraw() {
		this.frame = undefined;
		if (!this.width) return;
		const began = performance.now();
		draw(this.canvas.getContext("2d"), this.view, this.layout, this.model, this);
		performance.measure("stmlog:tasks", { start: began, end: performance.now() });
		this.tell();
	}

	/** Says what is shown: the time and how many threads work then, or the part of the picture. */
	tell() {
		const { model, at } = this;
		const [from, to] = this.view.x.domain();
		if (at !== undefined)
			this.said.textContent = `${timeText(at - model.begin)} of ${timeText(model.end - model.begin)}: ` +
				`${countText(running(model, at).length)} of ${countText(model.lanes.length)} threads work on tasks.`;
		else
			this.said.textContent = this.form === "graph" ? `${timeText(to - from)} of the longest chain, ${timeText(model.longest_ns)}.` : `${countText(model.tasks.length)} tasks.`;
	}

	// ---- the replay ----

	/** Shows the tasks that run at this part of the run, 0 to 1. */
	seek(part) {
		const { begin, end } = this.model;
		this.at = begin + part * (end - begin);
		this.slider.setAttribute("aria-valuetext", timeText(this.at - begin));
		this.requestRedraw();
	}

	play(isPlaying) {
		this.isPlaying = isPlaying;
		this.player.textContent = isPlaying ? "Pause" : "Play";
		if (!isPlaying) return;
		const from = Number(this.slider.value) >= STEPS ? 0 : this.slider.value / STEPS, began = performance.now();
		const step = () => {
			if (!this.isPlaying) return;
			const part = Math.min(1, from + (performance.now() - began) / REPLAY_MS);
			this.slider.value = String(Math.round(part * STEPS));
			this.seek(part);
			if (part >= 1) this.play(false);
			else requestAnimationFrame(step);
		};
		step();
	}

	stop() {
		this.play(false);
		this.at = undefined;
		this.slider.value = "0";
		this.requestRedraw();
	}

	// ---- what is at a place ----

	boxAt(x, y) {
		const { layout, view } = this, { boxes, count } = this.model.forms[this.form];
		if (y < layout.top || y >= layout.bottom) return undefined;
		for (let i = 0; i < count; i++) {
			const place = placeOf(view, layout, boxes, i);
			if (x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height) return i;
		}
		return undefined;
	}

	segmentAt(x, y) {
		const { layout, model } = this, lane = Math.floor((y - layout.lanesTop) / layout.lane);
		if (lane < 0 || lane >= layout.lanes || x < layout.names) return undefined;
		return segmentAt(model, model.lanes[lane], timeAt(model, layout, this.width, x));
	}

	hover(event) {
		if (!this.width) return;
		const box = this.boxAt(event.offsetX, event.offsetY), segment = this.segmentAt(event.offsetX, event.offsetY);
		if (box !== undefined) showTip(event.clientX, event.clientY, asNodes(toldBox(this.model, this.form, box)));
		else if (segment !== undefined) showTip(event.clientX, event.clientY, asNodes(toldSegment(this.model, segment)));
		else hideTip();
	}

	// ---- pins ----

	pinAt(x, y) {
		const box = this.boxAt(x, y), segment = this.segmentAt(x, y);
		if (box !== undefined) this.chosen = box;
		if (box !== undefined) this.pin(pinOfBox(this.model, this.form, box));
		else if (segment !== undefined) this.pin(pinOfSegment(this.model, segment));
	}

	/** A third one takes the place of the second; one that is pinned already is taken off. */
	pin(pin) {
		const rest = this.pins.filter((one) => one.key !== pin.key);
		this.pins = rest.length < this.pins.length ? rest : [...this.pins.slice(0, 1), pin];
		this.tellPins();
	}

	unpin() {
		this.pins = [];
		this.tellPins();
	}

	tellPins() {
		const [first, second] = this.pins;
		this.panel.replaceChildren(...this.pins.map((pin, i) => h("p", null, h("strong", null, `${"AB"[i]}: `), asNodes(pin.lines))));
		if (second) this.panel.append(h("p", { id: "tasks-compared" }, compared(first, second).join(" ")));
		this.requestRedraw();
	}

	// ---- keys and buttons ----

	/** Chooses the next box in the order of their places, and shows it. */
	step(direction) {
		const { boxes, count } = this.model.forms[this.form];
		this.chosen = this.chosen === undefined ? (direction > 0 ? 0 : count - 1) : (this.chosen + direction + count) % count;
		const middle = (boxes.from[this.chosen] + boxes.until[this.chosen]) / 2, [from, to] = this.view.x.domain();
		if (middle < from || middle > to) select(this.canvas).call(this.zoom.translateTo, this.base(middle), this.layout.top + (boxes.row[this.chosen] + boxes.rows[this.chosen] / 2) * this.layout.row);
		this.panel.replaceChildren(h("p", null, asNodes(toldBox(this.model, this.form, this.chosen))));
		this.requestRedraw();
	}

	zoomBy(factor) {
		select(this.canvas).call(this.zoom.scaleBy, factor);
	}

	move(x, y) {
		const { k } = zoomTransform(this.canvas);
		select(this.canvas).call(this.zoom.translateBy, -x * this.width / k, -y * this.layout.bottom / k);
	}

	key(event) {
		actOnKey(event, {
			"+": () => this.zoomBy(2), "=": () => this.zoomBy(2), "-": () => this.zoomBy(0.5),
			"0": () => select(this.canvas).call(this.zoom.transform, zoomIdentity),
			ArrowLeft: () => this.move(-0.2, 0), ArrowRight: () => this.move(0.2, 0), ArrowUp: () => this.move(0, -0.2), ArrowDown: () => this.move(0, 0.2),
			n: () => this.step(1), p: () => this.step(-1),
			Enter: () => this.chosen !== undefined && this.pin(pinOfBox(this.model, this.form, this.chosen)),
			" ": () => this.play(!this.isPlaying),
			Escape: () => { this.chosen = undefined; this.stop(); this.unpin(); },
		});
	}

	controls() {
		return h("div", { class: "controls" },
			choice("Which picture", { graph: "Graph", creations: "Creations" }, "graph", (form) => this.show(form)),
			signButton("\u2212", "Zoom out of the tasks", () => this.zoomBy(0.5)), signButton("+", "Zoom into the tasks", () => this.zoomBy(2)),
			this.player, this.slider, signButton("Stop", "Stop the replay", () => this.stop()),
			h("span", { class: "legend" }, legendOf(this.model).map(([fill, words]) =>
				h("span", null, h("span", { class: "swatch", style: { background: fill }, "aria-hidden": "true" }), words))));
	}
}

function legendOf({ tags, segments }) {
	const own = tags.slice(0, 6).map((tag, i) => [fillOf(i + 1), tag]);
	return [...own, tags.length > 6 && [fillOf(7), "other regions"], segments.tag.includes(0) && [fillOf(0), "in no region"]].filter(Boolean);
}

/** For what tasks waited, by the word that the program gave. */
function waitTable({ waits }) {
	if (waits.length === 0) return undefined;
	const row = ({ wait, word, count, abandoned, time_ns: ns, handled_ns: handled }) => h("tr", null,
		h("th", { scope: "row" }, word || h("span", { class: "unknown" }, "no word given")), h("td", null, wait),
		[countText(count), timeText(ns), wait === "blocked" ? timeText(handled) : "", abandoned > 0 ? countText(abandoned) : ""]
			.map((text) => h("td", { class: "number" }, text)));
	return scroller("What tasks waited for", h("table", { class: "waits", id: "tasks-waits" },
		h("caption", null, "What tasks waited for"),
		h("thead", null, h("tr", null, ["word", "wait", "count", "time", "handled", "abandoned"].map((name, i) => h("th", { scope: "col", class: i > 1 && "number" }, name)))),
		h("tbody", null, waits.map(row))));
}

export function tasks() {
	if (!data) return undefined;
	const model = modelOf(data), all = new Tasks(model), left = data.segments.left_out;
	const intro = `${countText(model.tasks.length)} tasks, ${timeText(model.work_ns)} of work, longest chain ${timeText(model.longest_ns)}. ` +
		"A box is as wide as its time, and begins when all that it waits for has ended. What may run in parallel is one below the other. Paler boxes were slower than others of their region.";
	return section("tasks", "Tasks", intro,
		left > 0 && h("p", { class: "note" }, `The replay and the threads have the longest segments; ${countText(left)} shorter ones are only in the boxes.`),
		all.controls(), h("div", { class: "timeline tasks" }, all.canvas), all.said, all.panel,
		h("p", { class: "quiet", id: "tasks-keys" },
			"Press a box, or a segment of a thread, to pin it; two pins are compared. Keys: + and \u2212 zoom, arrows move, 0 shows all, n and p choose the next and the previous box, ",
			"Enter pins it, the space bar plays the run, Escape takes all off."),
		waitTable(model));
}
