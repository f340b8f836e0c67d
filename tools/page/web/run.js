// SPDX-License-Identifier: MIT
// The strip of the whole run: how much was lost when, by the timeline. A part that is chosen on it is all that rows,
// matrix, entries and timeline show. The address has it, #from=..&to=.. in seconds, beside the place of the page.
import { report, showPart, timeline as data } from "./data.js";
import { actOnKey, h, svg } from "./dom.js";
import { timeText } from "./text.js";
import { firstFrom, ROWS } from "./timeline_model.js";

// ---- what was lost in a part of the run ----
//
// The losses of the timeline have a kind, that is, a cause and a place, but not the place of the other transaction. So the
// time of a kind is divided among its entries as in the whole run, but only among those whose first and last loss allow it.

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
function lossesOf(data) {
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
function lostIn({ kinds, entries }, { from, to }) {
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

// ---- the strip ----

// The height of the picture in pixels; how many steps of the keys the run has, and the part that the first key chooses.
// A part is in the address after some ms, since browsers limit how often a page may change that.
const HEIGHT = 40, STEPS = 100, FIRST = 10, ADDRESS_MS = 250;

function picture(bins) {
	const max = Math.max(...bins), bar = (ns, i) => (ns > 0 ? `M${i} ${HEIGHT}v${-Math.max(1, HEIGHT * ns / max)}h1V${HEIGHT}z` : "");
	return svg("svg", { viewBox: `0 0 ${bins.length} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
		svg("path", { d: bins.map(bar).join("") }));
}

/** The part of the run, and the place of the page, that the address has; undefined: none. */
function addressed() {
	const words = location.hash.slice(1).split("&").filter(Boolean);
	const [from, to] = ["from=", "to="].map((name) => Math.round(1e9 * words.find((word) => word.startsWith(name))?.slice(name.length)));
	return { part: to > from ? { from, to } : undefined, place: words.find((word) => !/^(from|to)=/.test(word)) };
}

function address(part) {
	const words = [addressed().place, part && `from=${part.from / 1e9}&to=${part.to / 1e9}`].filter(Boolean).join("&");
	history.replaceState(null, "", location.href.split("#")[0] + (words && `#${words}`));
}

class Strip {
	constructor(losses) {
		this.losses = losses;
		this.chosen = h("div", { class: "part-chosen" });
		this.said = h("p", { class: "said", id: "run-said" });
		this.strip = h("div", {
			class: "strip", id: "run-strip", tabindex: "0", role: "slider", "aria-label": "Part of the run", "aria-describedby": "run-keys",
			onpointerdown: (event) => !event.button && this.press(event), onpointermove: (event) => this.anchor !== undefined && this.drag(event),
			onlostpointercapture: () => { this.anchor = undefined; }, onkeydown: (event) => this.key(event),
		}, picture(losses.bins), this.chosen);
		addEventListener("hashchange", () => this.follow());
		this.say();
		this.follow();
	}

	/** Chooses the part that the address has. The browser goes to a place only if that is alone in the address. */
	follow() {
		const { part, place } = addressed();
		if (part) this.choose(part.from, part.to);
		if (part && place) location.replace(`#${place}`);
		else if (!part && this.part) address(this.part);
	}

	/** Without times, chooses the whole run. The next frame shows it. */
	choose(from, to) {
		const part = { from: Math.max(this.losses.begin, from), to: Math.min(this.losses.end, to) };
		this.part = part.from < part.to ? part : undefined;
		this.frame ??= requestAnimationFrame(() => this.redraw());
	}

	redraw() {
		this.frame = undefined;
		const part = this.part && lostIn(this.losses, this.part);
		this.say(part);
		showPart(part);
		clearTimeout(this.addressing);
		this.addressing = setTimeout(() => address(this.part), ADDRESS_MS);
	}

	say(part) {
		const { begin, end } = this.losses, { from, to } = part ?? { from: begin, to: end };
		const percent = (ns) => 100 * (ns - begin) / (end - begin), seconds = (ns) => `${(ns / 1e9).toFixed(6)} s`;
		const words = part ? `${seconds(from)} to ${seconds(to)}` : "The whole run";
		Object.assign(this.chosen.style, { left: `${percent(from)}%`, width: `${percent(to) - percent(from)}%` });
		this.strip.setAttribute("aria-valuenow", String(Math.round(percent((from + to) / 2))));
		this.strip.setAttribute("aria-valuetext", words);
		this.said.textContent = `${words}: ${timeText(part?.all ?? this.losses.all)} lost, by the events of the timeline.` +
			(part ? " Rows, matrix, entries and timeline show this part." : "");
	}

	timeAt({ clientX }) {
		const { begin, end } = this.losses, { left, width } = this.strip.getBoundingClientRect();
		return Math.round(begin + (clientX - left) / width * (end - begin));
	}

	press(event) {
		this.strip.setPointerCapture(event.pointerId);
		this.anchor = this.timeAt(event);
		this.choose();
	}

	drag(event) {
		const at = this.timeAt(event);
		this.choose(Math.min(at, this.anchor), Math.max(at, this.anchor));
	}

	/** Moves the ends of the part by so many steps, within the run. Without a part, chooses one at an end of the run. */
	move(left, right) {
		const { begin, end } = this.losses, step = Math.ceil((end - begin) / STEPS), first = FIRST * step;
		if (!this.part) return left + right < 0 ? this.choose(end - first, end) : this.choose(begin, begin + first);
		const { from, to } = this.part, both = Math.max(begin - from, Math.min(end - to, left * step));
		if (left === right) this.choose(from + both, to + both);
		else if (from + left * step < to + right * step) this.choose(from + left * step, to + right * step);
	}

	key(event) {
		actOnKey(event, {
			ArrowLeft: () => this.move(-1, event.shiftKey ? 0 : -1), ArrowRight: () => this.move(event.shiftKey ? 0 : 1, 1),
			ArrowUp: () => this.move(-1, 1), ArrowDown: () => this.move(1, -1), Escape: () => this.choose(),
		});
	}
}

/** undefined: there is no timeline, or no loss in it. */
export function run() {
	const losses = data?.bars && lossesOf(data);
	if (!(losses?.all > 0)) return undefined;
	const { strip, said } = new Strip(losses);
	return h("div", { id: "run" }, strip, said, h("p", { class: "quiet", id: "run-keys" },
		"Drag over a part to see that alone; a press shows the whole run. Keys: \u2190 and \u2192 move the part, with Shift they widen it; \u2191 and \u2193 widen and narrow it; Escape shows the whole run."));
}
