// SPDX-License-Identifier: MIT
// Numbers, names and lines of source: as text, in the forms of the report on a terminal, and as elements.
import { sourceLines } from "./data.js";
import { h } from "./dom.js";

// ---- numbers; elements keep the number itself ----

export function timeText(ns) {
	if (ns < 1000) return `${Math.round(ns)} ns`;
	if (ns < 999950) return `${(ns / 1e3).toFixed(1)} \u00b5s`;
	if (ns < 999950000) return `${(ns / 1e6).toFixed(1)} ms`;
	return `${(ns / 1e9).toFixed(2)} s`;
}

export function shareText(part, whole) {
	return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "\u2013";
}

export function perMilleText(tenths) {
	return `${(tenths / 10).toFixed(1)} %`;
}

export function countText(count) {
	return Math.round(count).toLocaleString("en-US");
}

/** A time; `field` names the member of the report that it shows. */
export function time(ns, field) {
	return h("data", { class: "figure", value: String(ns), "data-field": field }, timeText(ns));
}

export function count(number, field) {
	return h("data", { class: "figure", value: String(number), "data-field": field }, countText(number));
}

export function share(part, whole) {
	return h("span", { class: "figure" }, shareText(part, whole));
}

/** The time lost: with "~" if it is an estimate. */
export function lost(sum) {
	const isExact = sum.lost_low_ns === sum.lost_ns && sum.lost_high_ns === sum.lost_ns;
	return [!isExact && "~\u00a0", time(sum.lost_ns, "lost_ns")];
}

/** "(18.9 - 45.9 ms)"; nothing where the figure is exact. */
export function interval(sum, prefix = "lost") {
	const low = sum[`${prefix}_low_ns`], high = sum[`${prefix}_high_ns`];
	if (low === high) return undefined;
	if (sum.too_few) return h("span", { class: "interval" }, "too few to say");
	const [lowText, unit] = timeText(low).split(" ");
	const isShort = timeText(high).endsWith(` ${unit}`);
	return h("span", { class: "interval" },
		h("data", { class: "figure", value: String(low), "data-field": `${prefix}_low_ns` }, isShort ? lowText : timeText(low)),
		" \u2013 ", time(high, `${prefix}_high_ns`));
}

// ---- functions, files and places ----

export function basename(path) {
	return path.replace(/^.*\//, "") || path;
}

/** ":51", or ":51-53" if the line is one of these; "": not known. */
export function lines(frame) {
	if (!frame.line) return "";
	return frame.last_line ? `:${frame.line}-${frame.last_line}` : `:${frame.line}`;
}

/** "bank.c:51"; undefined: the file is not known. */
export function position(frame) {
	if (frame.file === null || frame.file === undefined) return undefined;
	return basename(frame.file) + lines(frame);
}

export function functionName(frame) {
	if (frame.short) return frame.short;
	if (frame.module) return `${basename(frame.module)}+0x${frame.offset.toString(16)}`;
	return frame.offset ? `0x${frame.offset.toString(16)}` : "unknown";
}

/** "bank.c:51 transfer" */
export function placeText(frame) {
	const at = frame ? position(frame) : undefined;
	return frame ? (at ? `${at} ` : "") + functionName(frame) : "unknown";
}

/** The same for all frames of one place. */
export function placeKey(frame) {
	if (!frame || frame.known === false) return "unknown";
	return frame.file ? `${frame.function}\n${frame.file}${lines(frame)}`
		: `${frame.function}\n${frame.module}\n${frame.offset}`;
}

/** The frames of one side of an entry, and where its transaction begins, which may be none of them. */
export function framesAndBegin(side) {
	return side.begin ? [...side.frames, side.begin] : side.frames;
}

/** The innermost frame of one side of an entry; undefined: it is not known. */
export function innermost(side) {
	return side.known ? side.frames[0] : undefined;
}

/** The name, with places where a line may break behind each sign that separates its parts. */
function breakable(name) {
	return name.split(/(::|[_/.<,])/).map((part, i) => (i % 2 === 1 ? [part, h("wbr")] : part));
}

/** A place as elements: position, then function. */
export function place(frame, kind = "place") {
	if (!frame || frame.known === false) return h("span", { class: "place unknown" }, "unknown");
	const at = position(frame);
	return h("span", { class: kind, title: [frame.function, frame.file && frame.file + lines(frame), frame.module]
		.filter(Boolean).join("\n") },
	at && h("span", { class: "position" }, breakable(at)), at && " ", h("span", { class: "function" }, breakable(functionName(frame))));
}

/** The name of data: the runtime's, or that of a symbol, or what the program's code accesses there, or an address. */
export function dataName(data) {
	return data.name || data.symbol || data.member || (data.line && `\`${data.line}\``) || data.address;
}

/** The class, and so the colour, of a loss by what happened to the transaction. */
export function causeClass(reason) {
	return { "pause": "paused", "wait": "waiting", "user-abort": "asked" }[reason] ?? "aborted";
}

// ---- lines of source beside frames ----

const AROUND = 3;

/** The line of a frame as one line of code; a few lines, if it is one of them. undefined: the page has no such line, or it
 * is one of many. */
export function sourceLine(frame) {
	if (frame.last_line) return frame.last_line - frame.line < 2 * AROUND ? excerpt(frame, 0) : undefined;
	const text = sourceLines(frame)?.[frame.line];
	return text === undefined ? undefined : h("code", { class: "line" }, text.trim());
}

/** The line, or the lines of which it is one, with those around; undefined: the page has no such line. */
function excerpt(frame, around = AROUND) {
	const lines = sourceLines(frame), last = frame.last_line || frame.line;
	if (lines?.[frame.line] === undefined) return undefined;
	const shown = [];
	for (let line = frame.line - around; line <= last + around; line++)
		if (lines[line] !== undefined)
			shown.push(h("span", { class: line >= frame.line && line <= last ? "row hit" : "row" },
				h("span", { class: "number", "aria-hidden": "true" }, `${line} `), lines[line].replace(/\t/g, "    "), "\n"));
	return h("pre", { class: "excerpt", tabindex: "0", "aria-label": `source around ${position(frame)}` }, shown);
}

/** One side of an entry, the innermost frame first: that one with the lines around it, the others with their own. */
export function stack(side, kind) {
	if (!side.known) return h("p", { class: "unknown" }, "not known");
	if (side.frames.length === 0) return h("p", { class: "unknown" }, "no frames");
	return h("ol", { class: `stack ${kind}` }, side.frames.map((frame, i) => h("li", null,
		h("span", { class: "frame", title: frame.function ?? "" },
			h("span", { class: "function" }, functionName(frame)), " ",
			h("span", { class: "position" }, position(frame) ?? "")),
		i === 0 ? excerpt(frame) ?? sourceLine(frame) : sourceLine(frame))),
	side.cut && h("li", { class: "unknown" }, "further callers were not recorded"),
	side.left_out ? h("li", { class: "unknown" }, `${side.left_out} frames left out`) : undefined);
}
