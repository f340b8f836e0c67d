// SPDX-License-Identifier: MIT
// The words of the timeline: names of lanes, what the tips say, and the legend.
import { h } from "./dom.js";
import { countText, timeText } from "./numbers.js";
import { ROWS } from "./timeline_model.js";

export function laneName(lane) {
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
export function toldBar(model, bar) {
	const { bars, fates, texts } = model;
	const fate = fates[bars.fate[bar]];
	const when = `${timeText(bars.time[bar])} from ${(bars.from[bar] / 1e9).toFixed(9)} s`;
	if (fate === "missing") return [`${countText(Number(texts[bars.what[bar]] ?? 0))} events are missing`, when];
	const what = texts[bars.what[bar]], isTask = fate === "task" || fate === "touch";
	return [TITLES[fate], texts[bars.place[bar]], when, texts[bars.why[bar]],
		bars.other[bar] > 0 && `because of ${other(model, bars.other[bar])}`, what && (isTask ? `task ${what}` : `data ${what}`)].filter(Boolean);
}

/** The same about a point. */
export function toldPoint(model, point) {
	const { points, texts } = model;
	return [texts[points.kind[point]], texts[points.place[point]], `at ${(points.at[point] / 1e9).toFixed(9)} s`,
		texts[points.what[point]]].filter(Boolean);
}

/** The lines as nodes, the first one as a heading. */
export const asNodes = (lines) => lines.flatMap((line, i) => (i === 0 ? [h("strong", null, line)] : [h("br"), line]));

/** What the timeline has in it: pairs of a class, which has the colour, and a word. */
export function legendOf({ slots, points, arrows }) {
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
