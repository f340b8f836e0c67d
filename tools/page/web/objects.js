// SPDX-License-Identifier: MIT
// The data over which transactions conflicted, drawn in their cache lines.
import { help, lostNs, report, showEntries } from "./data.js";
import { h, scroller, section, table } from "./dom.js";
import { count, countText, dataName, interval, lost, share } from "./text.js";

const LINE = 64, WORD = 8, STRIPE = 32, MAX_LINES = 8;
// Below it no process has memory: such an address is a number that the runtime has given, as GHC's TVars have.
const MEMORY = 65536n;
const HAS_STRIPES = report.runtime === "libitm";

/** Conflicts by cache line: each word with how often transactions met over it, and with which other word. */
function linesOf() {
	const lines = new Map();
	const lineAt = (address) => {
		const key = (address / BigInt(LINE)).toString();
		if (!lines.has(key)) lines.set(key, { base: address - address % BigInt(LINE), words: new Map(), count: 0, apart: 0, far: new Set() });
		return lines.get(key);
	};
	const put = (line, data, number) => {
		const at = Number((BigInt(data.address) - line.base) / BigInt(WORD));
		const word = line.words.get(at) ?? { at, names: new Set(), count: 0 };
		word.names.add(dataName(data));
		word.count += number;
		line.words.set(at, word);
	};
	for (const entry of report.entries) {
		for (const data of entry.objects.filter((object) => BigInt(object.address) >= MEMORY)) {
			const line = lineAt(BigInt(data.address));
			line.count += data.count;
			put(line, data, data.count);
			if (!data.other) continue;
			const address = BigInt(data.other.address);
			line.apart += data.count;
			if (address / BigInt(LINE) === line.base / BigInt(LINE)) put(line, data.other, data.count);
			else line.far.add(dataName(data.other));
		}
	}
	return [...lines.values()].sort((a, b) => b.count - a.count);
}

function verdict(line) {
	if (line.far.size > 0)
		return `shares a lock by chance with ${[...line.far].slice(0, 3).join(", ")}, which lies elsewhere`;
	if (line.apart > 0)
		return `false sharing: in ${countText(line.apart)} of ${countText(line.count)} conflicts the two transactions used different data`;
	return line.words.size > 1 ? "several words; the two transactions met over the same one each time"
		: "one word: both transactions used it";
}

function wordBox(line, at, most) {
	const word = line.words.get(at);
	const edge = HAS_STRIPES && at * WORD === STRIPE ? " stripe" : "";
	if (!word) return h("div", { class: `word${edge}` }, h("span", { class: "offset" }, `+${at * WORD}`));
	const level = Math.ceil(5 * Math.sqrt(word.count / most));
	return h("div", { class: `word used heat${level}${edge}` }, h("span", { class: "offset" }, `+${at * WORD}`),
		h("span", { class: "data" }, [...word.names].slice(0, 2).join(", ")), h("span", { class: "times" }, countText(word.count)));
}

function picture(line) {
	const most = Math.max(...[...line.words.values()].map((word) => word.count));
	const names = [...new Set([...line.words.values()].flatMap((word) => [...word.names]))];
	const addresses = report.entries.flatMap((entry) => entry.objects)
		.filter((data) => BigInt(data.address) / BigInt(LINE) === line.base / BigInt(LINE)).map((data) => data.address);
	const address = `0x${line.base.toString(16)}`;
	return h("li", { class: `cacheline${line.apart > 0 ? " false" : ""}` },
		h("p", null, h("code", null, address), ` ${countText(line.count)} ${line.count === 1 ? "conflict" : "conflicts"} at least; `,
			h("span", { class: line.apart > 0 ? "cause" : "quiet" }, verdict(line)), " ",
			h("button", { type: "button", onclick: () => showEntries({ objects: addresses, label: names.slice(0, 2).join(", ") }) }, "Show the entries")),
		scroller(`cache line ${address}, ${names.slice(0, 2).join(", ")}`,
			h("div", { class: "words" }, Array.from({ length: LINE / WORD }, (_, at) => wordBox(line, at, most)))));
}

function objectTable() {
	const named = report.objects.filter((object) => object.lost_ns > 0).slice(0, 30);
	const kind = (object) => object.name ?? (object.evicted ? "of entries that were given up" : "not known");
	const columns = [
		["data", "", (object) => h("span", { class: object.name ? "data" : "unknown" }, kind(object))],
		["lost", "number", (object) => h("span", { class: "loss" }, lost(object))],
		named.some((object) => object.lost_low_ns !== object.lost_high_ns) && ["between", "number", (object) => interval(object)],
		["share", "number", (object) => share(object.lost_ns, lostNs)],
		["times measured", "number", (object) => count(object.count, "count")],
		named.some((object) => object.false_conflicts > 0) &&
			["false conflicts", "number", (object) => (object.false_conflicts > 0 ? count(object.false_conflicts) : "")],
	].filter(Boolean);
	return named.length > 0 && table("Table of objects", undefined, columns, named.map((object) => columns.map(([, , make]) => make(object))));
}

export function objects() {
	const lines = linesOf();
	if (report.objects.every((object) => object.name === null) && lines.length === 0) return undefined;
	return section("objects", "Objects", lines.length > 0 &&
		`Cache lines of ${LINE} bytes in words of ${WORD}, with those over which transactions conflicted. ` +
		(HAS_STRIPES ? `The double line is the border of two stripes of ${STRIPE} bytes, which libitm locks as one each. ` : "") +
		"Each entry keeps four words and counts them at least.",
		h("ol", { class: "cachelines" }, lines.slice(0, MAX_LINES).map(picture)),
		lines.length > MAX_LINES && h("p", { class: "quiet" }, `${lines.length - MAX_LINES} more cache lines have fewer conflicts.`),
		h("h3", null, "Time lost by object"), h("p", { class: "quiet" }, help.terms.object ?? ""), objectTable());
}
