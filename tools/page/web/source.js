// SPDX-License-Identifier: MIT
// Lines of source beside frames.
import { sourceLines } from "./data.js";
import { h } from "./dom.js";
import { functionName, position } from "./names.js";

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
