// SPDX-License-Identifier: MIT
// The tasks: the command's picture of their fork-join graph and of the tree of their creations, with zoom; the run
// replayed; two pins compared.
import { picture, report, tasks as data } from "./data.js";
import { actOnKey, asNodes, choice, h, scroller, section, signButton, table } from "./dom.js";
import { countText, timeText } from "./text.js";

// A replay takes so long, in ms; the slider has so many steps; the picture is at most so many times as wide as the page.
const REPLAY_MS = 12000, STEPS = 1000, ZOOM_MOST = 64;
const WHAT = { graph: "Fork-join graph", creations: "Tree of creations" };

/** The part of the picture with this id. It is XML: no name in it becomes an element. */
function partOf(image, id) {
	const part = document.importNode(image.getElementById(id), true);
	part.setAttribute("role", "img");
	part.setAttribute("aria-label", WHAT[id] ?? "Colours");
	part.removeAttribute("width");
	part.removeAttribute("height");
	return part;
}

/** When in the run these segments began and ended, and their time. */
function spanOf({ from, time }, which) {
	return which.reduce((all, i) => ({
		from: Math.min(all.from, from[i]), until: Math.max(all.until, from[i] + time[i]), time: all.time + time[i],
	}), { from: Infinity, until: 0, time: 0 });
}

class Tasks {
	constructor(image) {
		this.forms = { graph: partOf(image, "graph"), creations: partOf(image, "creations") };
		this.run = spanOf(data.segments, [...data.segments.from.keys()]);
		this.pins = [];
		this.holder = scroller("Picture of the tasks");
		this.holder.id = "tasks-picture";
		this.holder.setAttribute("aria-describedby", "tasks-keys");
		this.said = h("p", { class: "said", id: "tasks-said" });
		this.panel = h("div", { class: "chosen", role: "status", id: "tasks-pins" });
		this.slider = h("input", {
			type: "range", min: "0", max: String(STEPS), value: "0", "aria-label": "Time of the run", id: "tasks-time", oninput: () => this.seek(this.slider.value / STEPS),
		});
		this.player = h("button", { type: "button", id: "tasks-play", onclick: () => this.play(!this.isPlaying) }, "Play");
		this.holder.addEventListener("click", ({ target }) => target.matches(".box") && this.pin(target));
		this.holder.addEventListener("keydown", (event) => this.key(event));
		this.holder.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.show("graph");
	}

	/** Shows the graph, or the tree of creations. */
	show(form) {
		this.form = form;
		this.boxes = [...this.forms[form].querySelectorAll(".box")];
		this.chosen = undefined;
		this.holder.replaceChildren(this.forms[form]);
		this.zoomTo(1);
		this.light();
	}

	// ---- zoom ----

	/** What was in the middle stays there. */
	zoomTo(factor) {
		const { holder } = this, middle = [(holder.scrollLeft + holder.clientWidth / 2) / holder.scrollWidth, (holder.scrollTop + holder.clientHeight / 2) / holder.scrollHeight];
		this.factor = Math.max(1, Math.min(ZOOM_MOST, factor));
		this.forms[this.form].style.width = `${100 * this.factor}%`;
		holder.scrollTo(middle[0] * holder.scrollWidth - holder.clientWidth / 2, middle[1] * holder.scrollHeight - holder.clientHeight / 2);
	}

	wheel(event) {
		if (!event.ctrlKey && !event.metaKey) return;
		event.preventDefault();
		this.zoomTo(this.factor * 2 ** (-event.deltaY / 300));
	}

	// ---- the replay ----

	/** Marks the boxes that stand for a segment that runs at this time, and says how many threads work then. */
	light() {
		const { at, run, form } = this, { segments, threads } = data;
		const running = at === undefined ? [] : [...segments.from.keys()].filter((i) => segments.from[i] <= at && at < segments.from[i] + segments.time[i]);
		const lit = new Set(running.map((i) => segments[form][i]));
		this.holder.classList.toggle("replayed", at !== undefined);
		this.boxes.forEach((box, number) => box.classList.toggle("lit", lit.has(number)));
		if (at !== undefined) this.said.textContent = `${timeText(at - run.from)} of ${timeText(run.until - run.from)}: ${countText(running.length)} of ${countText(threads)} threads work on tasks.`;
		else this.said.textContent = form === "graph" ? `The longest chain takes ${timeText(report.tasks.longest_chain_ns)}.` : `${countText(report.tasks.count)} tasks.`;
	}

	/** Shows what runs at this part of the run, 0 to 1. */
	seek(part) {
		const { from, until } = this.run;
		this.at = from + part * (until - from);
		this.slider.setAttribute("aria-valuetext", timeText(this.at - from));
		this.light();
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
		this.light();
	}

	// ---- pins ----

	/** A third one takes the place of the second; one that is pinned already is taken off. */
	pin(box) {
		const rest = this.pins.filter((one) => one !== box);
		this.setPins(rest.length < this.pins.length ? rest : [...this.pins.slice(0, 1), box]);
	}

	setPins(pins) {
		for (const box of this.pins) box.classList.remove("first", "second");
		this.pins = pins;
		pins.forEach((box, i) => box.classList.add(["first", "second"][i]));
		this.panel.replaceChildren(...pins.map((box, i) => h("p", null, h("strong", null, `${"AB"[i]}: `), told(box))));
		if (pins.length === 2) this.panel.append(h("p", { id: "tasks-compared" }, compared(...pins.map(spanOfBox)).join(" ")));
	}

	/** Chooses the next box, and shows it. */
	step(direction) {
		const { boxes } = this, now = boxes.indexOf(this.chosen);
		this.chosen?.classList.remove("chosen-box");
		this.chosen = boxes[now < 0 ? (direction > 0 ? 0 : boxes.length - 1) : (now + direction + boxes.length) % boxes.length];
		this.chosen.classList.add("chosen-box");
		this.chosen.scrollIntoView({ block: "nearest", inline: "center" });
		this.panel.replaceChildren(h("p", null, told(this.chosen)));
	}

	leave() {
		this.chosen?.classList.remove("chosen-box");
		this.chosen = undefined;
		this.stop();
		this.setPins([]);
	}

	// ---- keys and buttons ----

	key(event) {
		actOnKey(event, {
			"+": () => this.zoomTo(2 * this.factor), "=": () => this.zoomTo(2 * this.factor), "-": () => this.zoomTo(this.factor / 2), "0": () => this.zoomTo(1),
			n: () => this.step(1), p: () => this.step(-1), Enter: () => this.chosen && this.pin(this.chosen),
			" ": () => this.play(!this.isPlaying), Escape: () => this.leave(),
		});
	}

	controls() {
		return h("div", { class: "controls" },
			choice("Which picture", { graph: "Graph", creations: "Creations" }, "graph", (form) => this.show(form)),
			signButton("\u2212", "Zoom out of the tasks", () => this.zoomTo(this.factor / 2)), signButton("+", "Zoom into the tasks", () => this.zoomTo(2 * this.factor)),
			this.player, this.slider, signButton("Stop", "Stop the replay", () => this.stop()));
	}
}

/** What the command says of a box: its title. */
const told = (box) => asNodes(box.querySelector("title").textContent.split("\n"));

/** When the segments of a box ran. */
function spanOfBox(box) {
	const [, form, number] = box.id.match(/^([a-z]+)(\d+)$/), column = data.segments[form];
	return spanOf(data.segments, [...column.keys()].filter((i) => column[i] === Number(number)));
}

/** How the second one stands to the first one. */
function compared(first, second) {
	const apart = second.from - first.from, between = second.from - first.until;
	if (!Number.isFinite(apart)) return ["This page does not have when both ran."];
	const when = apart === 0 ? "B begins when A does." : `B begins ${timeText(Math.abs(apart))} ${apart > 0 ? "after" : "before"} A.`;
	const gap = between >= 0 ? `B begins ${timeText(between)} after the end of A.`
		: first.from - second.until >= 0 ? `A begins ${timeText(first.from - second.until)} after the end of B.`
			: `They overlap for ${timeText(Math.min(first.until, second.until) - Math.max(first.from, second.from))}.`;
	const work = first.time > 0 ? `B has ${(second.time / first.time).toPrecision(3)} times as much work as A.` : `A has no work; B has ${timeText(second.time)}.`;
	return [when, gap, work];
}

/** For what tasks waited, by the word that the program gave. */
function waitTable({ waits }) {
	if (waits.length === 0) return undefined;
	const row = ({ wait, word, count, abandoned, time_ns: ns, handled_ns: handled }) => [word || h("span", { class: "unknown" }, "no word given"), wait,
		countText(count), timeText(ns), wait === "blocked" && timeText(handled), abandoned > 0 && countText(abandoned)];
	const columns = ["word", "wait", "count", "time", "handled", "abandoned"].map((name, i) => [name, i > 1 && "number"]);
	return [h("h3", { class: "waited" }, "What tasks waited for"), table("What tasks waited for", "waits", columns, waits.map(row))];
}

export function tasks() {
	if (!data) return undefined;
	const image = new DOMParser().parseFromString(picture, "image/svg+xml"), all = new Tasks(image), left = data.segments.left_out;
	const intro = `${countText(report.tasks.count)} tasks, ${timeText(report.tasks.work_ns)} of work, longest chain ${timeText(report.tasks.longest_chain_ns)}. ` +
		"A box is as wide as its time, and begins when all that it waits for has ended. Each row is a task, and behind it others. Paler boxes were slower than others of their region.";
	return section("tasks", "Tasks", intro,
		left > 0 && h("p", { class: "note" }, `The replay has the longest segments; ${countText(left)} shorter ones are only in the boxes.`),
		all.controls(), h("div", { class: "picture" }, partOf(image, "legend"), all.holder), all.said, all.panel,
		h("p", { class: "quiet", id: "tasks-keys" },
			"The pointer on a box shows what it is. Press a box to pin it; two pins are compared. Keys: + and \u2212 zoom, arrows move, 0 shows all, n and p choose the next and the previous box, ",
			"Enter pins it, the space bar plays the run, Escape takes all off."),
		waitTable(report.tasks));
}
