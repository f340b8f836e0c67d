// SPDX-License-Identifier: MIT
// The tasks of the command's data: the boxes of both forms, and the segments that each stands for.
import { laneName } from "./timeline_words.js";
import { countText, shareText, timeText } from "./numbers.js";

/** The segments of each box, by the column that names it; ascending. */
function segmentsBy(column, count) {
	const lists = Array.from({ length: count }, () => []);
	for (let i = 0; i < column.length; i++) lists[column[i]].push(i);
	return lists;
}

/** The segments of each lane by time: they do not overlap. */
function lanesOf(data) {
	const lanes = data.lanes.map((lane) => ({ ...lane, name: laneName(lane), segments: [] }));
	const { lane, from } = data.segments;
	for (let i = 0; i < lane.length; i++) lanes[lane[i]].segments.push(i);
	for (const one of lanes) one.segments.sort((a, b) => from[a] - from[b]);
	return lanes;
}

function formOf(boxes, column) {
	const count = boxes.from.length;
	return {
		boxes, count, members: segmentsBy(column, count), of: column,
		extent: boxes.until.reduce((most, until) => Math.max(most, until), 1),
		rows: boxes.row.reduce((most, row, i) => Math.max(most, row + boxes.rows[i]), 1),
	};
}

export function modelOf(data) {
	const { segments } = data;
	let begin = Infinity, end = 0;
	for (let i = 0; i < segments.from.length; i++) {
		begin = Math.min(begin, segments.from[i]);
		end = Math.max(end, segments.from[i] + segments.time[i]);
	}
	return {
		...data, lanes: lanesOf(data), begin, end: Math.max(end, begin + 1),
		forms: { graph: formOf(data.graph, segments.box), creations: formOf(data.creations, segments.node) },
	};
}

/** The lane's segment at this time; undefined: the thread has no task then. */
export function segmentAt({ segments }, lane, at) {
	let low = 0, high = lane.segments.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (segments.from[lane.segments[middle]] <= at) low = middle + 1;
		else high = middle;
	}
	const found = low > 0 ? lane.segments[low - 1] : undefined;
	return found !== undefined && at < segments.from[found] + segments.time[found] ? found : undefined;
}

// ---- words ----

function toldTag(model, tag, speed) {
	return tag > 0 && `region ${model.tags[tag - 1]}, speed ${shareText(speed, 1000)} of the fastest one`;
}

/** Lines of text about a segment. */
export function toldSegment(model, i) {
	const { segments, tasks, parents } = model, task = segments.task[i];
	return [`task ${tasks[task]}, segment ${segments.part[i]}`,
		`${timeText(segments.time[i])} from ${(segments.from[i] / 1e9).toFixed(9)} s on ${model.lanes[segments.lane[i]].name}`,
		parents[task] > 0 && `created by task ${tasks[parents[task] - 1]}`,
		toldTag(model, segments.tag[i], segments.speed[i])].filter(Boolean);
}

/** The same about a box, which may stand for several. */
export function toldBox(model, form, i) {
	const { boxes, members } = model.forms[form], leaves = boxes.leaves[i];
	const what = form === "graph" ? "segment" : "task";
	if (leaves === 1 && form === "graph" && members[i].length === 1) return toldSegment(model, members[i][0]);
	if (leaves === 1 && form === "creations" && members[i].length > 0) {
		const task = model.segments.task[members[i][0]];
		return [`task ${model.tasks[task]}`, `${timeText(boxes.time[i])} of work`,
			model.parents[task] > 0 && `created by task ${model.tasks[model.parents[task] - 1]}`,
			toldTag(model, boxes.tag[i], boxes.speed[i])].filter(Boolean);
	}
	return [`${countText(leaves)} ${what}${leaves === 1 ? "" : "s"}${boxes.copies[i] > 1 ? " of equal parts" : ""}`,
		`${timeText(boxes.time[i])} of work, each ${timeText(boxes.min[i])} to ${timeText(boxes.max[i])}`,
		toldTag(model, boxes.tag[i], boxes.speed[i])].filter(Boolean);
}

/** The words in a box. */
export function wordsIn(model, form, i) {
	const { boxes, members } = model.forms[form];
	const name = boxes.tag[i] > 0 ? model.tags[boxes.tag[i] - 1] : "";
	const count = countText(boxes.leaves[i]);
	if (boxes.leaves[i] === 1) return (form === "graph" && name) || (members[i].length > 0 ? `task ${model.tasks[model.segments.task[members[i][0]]]}` : name);
	if (boxes.copies[i] === 0) return `${count} ${form === "graph" ? "segments" : "tasks"}`;
	return `${name} x ${countText(boxes.copies[i])}`.trim();
}

// ---- what is pinned ----

/** What two pins are compared by: a text, and when in the run it began and ended. */
export function pinOfSegment(model, i) {
	const { from, time } = model.segments;
	return { key: `segment ${i}`, segments: [i], lines: toldSegment(model, i), from: from[i], until: from[i] + time[i], time: time[i] };
}

export function pinOfBox(model, form, i) {
	const { from, time } = model.segments, { members, boxes } = model.forms[form], list = members[i];
	if (list.length === 1 && boxes.leaves[i] === 1 && form === "graph") return pinOfSegment(model, list[0]);
	const begins = list.map((one) => from[one]), ends = list.map((one) => from[one] + time[one]);
	return {
		key: `${form} ${i}`, segments: list, lines: toldBox(model, form, i),
		from: begins.reduce((a, b) => Math.min(a, b), Infinity), until: ends.reduce((a, b) => Math.max(a, b), 0), time: boxes.time[i],
	};
}

/** How the second one stands to the first one. */
export function compared(first, second) {
	const apart = second.from - first.from, between = second.from - first.until;
	const when = apart === 0 ? "B begins when A does." : `B begins ${timeText(Math.abs(apart))} ${apart > 0 ? "after" : "before"} A.`;
	const gap = between >= 0 ? `B begins ${timeText(between)} after the end of A.`
		: first.from - second.until >= 0 ? `A begins ${timeText(first.from - second.until)} after the end of B.`
			: `They overlap for ${timeText(Math.min(first.until, second.until) - Math.max(first.from, second.from))}.`;
	const work = first.time > 0 ? `B has ${(second.time / first.time).toPrecision(3)} times as much work as A.` : `A has no work; B has ${timeText(second.time)}.`;
	return [when, gap, work];
}
