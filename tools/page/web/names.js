// SPDX-License-Identifier: MIT
// Names of functions, files and places.
import { h } from "./dom.js";

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
