// SPDX-License-Identifier: MIT
// The page of a comparison: the verdict, each run as a dot, the places of both sides, and the two first screens.
import { comparison } from "./data.js";
import { h, section, svg, table } from "./dom.js";
import { commandText, figures, head, screen, some } from "./screen.js";
import { innermost, place } from "./text.js";
import { scaleOf, ticksOf } from "./timeline_model.js";

// Pixels: the runs of a side, and the words above them.
const SIDES = ["old", "new"], HEIGHT = 72, WORDS = 24, LANE = HEIGHT + WORDS, LISTED = 10;
const { diff, typical } = comparison ?? {};
const numberText = (value, notation) => value.toLocaleString("en-US", { maximumSignificantDigits: 6, notation });

export function verdict() {
	const { is_decided: isDecided, regressions, notes, alpha, threshold } = diff;
	const title = !isDecided ? "Not decided" : regressions === 0 ? "No regression" : some(regressions, "regression");
	const facts = [[...new Set(SIDES.map((side) => commandText(comparison[side])))].join(" \u2192 "),
		`${diff.old.runs} old and ${some(diff.new.runs, "new run")}`, `alpha ${alpha}`, `threshold ${100 * threshold} %`];
	return head(title, undefined, h("p", { class: "facts" }, facts.map((fact) => h("span", null, fact))), notes.map((line) => h("p", { class: "note" }, line)),
		h("div", { class: "verdict" }, comparison.verdict.trim().split(/\n+/).map((line) => h("p", { class: line.startsWith("regression: ") && "loss" }, line))));
}

/** The dots of a side, its median, and the interval of that. */
function lane(row, number, x) {
	const side = SIDES[number], { values, median, low, high, confidence } = row[side], y = number * LANE + WORDS;
	const dot = (value, i) => svg("circle", { cx: `${x(value)}%`, cy: y + HEIGHT * (i + 0.5) / values.length, r: 5, class: i === typical[number] && "typical" },
		svg("title", null, `${diff[side].files[i]}: ${numberText(value)}`));
	return svg("g", { class: side }, svg("text", { y: y - 8 }, `${side}, ${some(values.length, "run")}, median ${row.text[side]}`),
		confidence > 0 && svg("rect", { x: `${x(low)}%`, y, width: `${x(high) - x(low)}%`, height: HEIGHT }),
		svg("line", { class: "median", x1: `${x(median)}%`, x2: `${x(median)}%`, y1: y, y2: y + HEIGHT }), values.map(dot));
}

function plot(name, row, unit) {
	const values = SIDES.flatMap((side) => row[side].values), least = Math.min(...values), most = Math.max(...values);
	const margin = (most - least) / 12 || most / 12 || 1, from = Math.max(0, least - margin), to = most + margin;
	const scale = scaleOf(from, to, 96), x = (value) => 2 + scale(value);
	const label = SIDES.map((side) => `${side}: ${row[side].values.map((value) => numberText(value)).join(", ")}`).join("; ");
	const tick = (value) => [svg("line", { x1: `${x(value)}%`, x2: `${x(value)}%`, y1: WORDS, y2: 2 * LANE + 4 }),
		svg("text", { x: `${x(value)}%`, y: 2 * LANE + 18, "text-anchor": x(value) < 10 ? "start" : x(value) > 90 ? "end" : "middle" }, numberText(value, "compact"))];
	return h("figure", { class: "dots" }, h("h3", null, name, h("span", { class: row.verdict === "worse" && "loss" }, ` ${row.text.change}`), row.text.p && `, p ${row.text.p}`),
		svg("svg", { role: "img", "aria-label": `${unit}: ${label}`, height: 2 * LANE + 24 }, ticksOf(from, to, 3.5).map(tick), SIDES.map((_, number) => lane(row, number, x))),
		h("figcaption", null, unit));
}

export function runs() {
	const confidence = Math.min(...SIDES.map((side) => diff.total[side].confidence));
	return section("runs", "Runs", "Each dot is a run; the runs of a side are in their order, from above. The line is their median" +
		(confidence > 0 ? `, in its interval of at least ${(100 * confidence).toFixed(1)} % confidence` : "") + ". A ring marks the run whose first screen is below.",
	h("div", { class: "sides" }, diff.throughput && plot("Throughput", diff.throughput, "commits per second"), plot("Total", diff.total, diff.unit)));
}

function side(traceback, kind) {
	const frame = innermost(traceback), callers = traceback.frames.slice(1, 3).map((one) => ` < ${one.function ?? "?"}`);
	return [place(frame && { ...frame, short: frame.function ?? "?" }, kind), h("span", { class: "quiet wide" }, callers)];
}

function cells({ evicted, local, remote, reason, contention, detail, text, verdict: word }) {
	return [evicted ? "(evicted)" : [side(local, "place"), h("div", null, h("span", { class: "quiet" }, "blocked by "), side(remote, "culprit")),
		h("div", { class: "quiet" }, [reason, contention, detail].filter(Boolean).join(", "))],
	text.old, text.new, [text.change, h("div", { class: word === "worse" ? "loss" : "quiet" }, text.verdict)], ...text.p ? [text.p] : []];
}

export function matchedPlaces() {
	const isWorse = (key) => key.verdict === "worse", keys = [...diff.keys.filter(isWorse), ...diff.keys.filter((key) => !isWorse(key))];
	const columns = ["place", "old", "new", "change", diff.total.text.p && "p"].filter(Boolean).map((name, i) => [name, i > 0 && "number"]);
	const part = (label, from, to) => table(label, "matched", columns, keys.slice(from, to).map(cells));
	return keys.length > 0 && section("places", "Places",
		`The places of both sides: ${diff.unit.replace(/^ns /, "")}, medians of the runs. Those that are worse come first, then the largest change; ~ is no significant change.`,
		part("Table of places", 0, LISTED), keys.length > LISTED && h("details", null, h("summary", null, `${keys.length - LISTED} more places`), part("Table of more places", LISTED)));
}

export function bothScreens() {
	return h("div", { id: "screens", class: "sides" }, SIDES.map((name, i) => h("div", { class: "side" },
		section(name, `${name}: ${commandText(comparison[name])}`, ["The run next to the median: ", h("span", { class: "data" }, diff[name].files[typical[i]])],
			figures(comparison[name]), screen(comparison[name], `${name}-`)))));
}
