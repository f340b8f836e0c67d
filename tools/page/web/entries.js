// SPDX-License-Identifier: MIT
// The entries as a table: sorted by its columns, filtered, each with its details below it.
import { help, lostNs, onShowEntries, onShowPart, report } from "./data.js";
import { fact, h, scroller, section } from "./dom.js";
import { causeClass, count, countText, dataName, framesAndBegin, functionName, innermost, interval, lines, lost, place, placeKey, position, share, shareText, stack, time, timeText } from "./text.js";

// ---- one entry in full: both sides beside each other, the data, and its figures ----

function threadName(id) {
	const name = report.threads.find((thread) => thread.id === id)?.name;
	return id ? `thread ${id}${name ? ` (${name})` : ""}` : undefined;
}

function meaning(word) {
	return help.terms[word] && h("span", { class: "quiet" }, ` ${help.terms[word]}`);
}

/* A runtime names TVars, not blocks of memory. */
function origin(data, creator) {
	return data.name ? `, created by ${creator}` : `, in a block of ${data.block.size} bytes allocated by ${creator}`;
}

function object(data) {
	const block = data.block?.frames?.[0];
	return h("li", null, h("span", { class: "data" }, dataName(data)),
		data.other && [" while the other used ", h("span", { class: "data" }, dataName(data.other))],
		` (${countText(data.count)} times at least)`,
		block && h("span", { class: "quiet" }, origin(data, block.function ?? "?")));
}

function objects(entry) {
	return entry.objects.length > 0 && h("ul", { class: "plain" }, entry.objects.map(object));
}

function figures(entry) {
	const { wasted } = entry;
	return h("dl", { class: "facts" },
		fact("Lost", [lost(entry), " ", interval(entry)]),
		fact("Measured", [count(entry.count, "count"), " losses, ", time(entry.measured_ns, "measured_ns"), " together, from ",
			time(entry.shortest_ns, "shortest_ns"), " to ", time(entry.longest_ns, "longest_ns")]),
		fact("Reason", [entry.reason, meaning(entry.reason)]),
		fact("Contention", [entry.contention, meaning(entry.contention)]),
		entry.detail && fact("Runtime's word", [entry.detail, meaning(entry.detail)]),
		fact("Data", objects(entry)),
		entry.false_conflicts > 0 && fact("False conflicts", [count(entry.false_conflicts, "false_conflicts"),
			" of these used different data", entry.false_aliases > 0 && [", ", count(entry.false_aliases, "false_aliases"), " of them far apart, with one lock by chance"]]),
		wasted.count > 0 && fact("For nothing", [count(wasted.count, "wasted"), " times the other transaction was aborted as well"]),
		entry.descheduled_ns > 0 && fact("Off the processor", [time(entry.descheduled_ns, "descheduled_ns"), ", not counted as lost"]),
		entry.estimated && fact("Estimated", "the time, from how long the STM's calls have taken"));
}

function grade(entry) {
	const { remote } = entry;
	if (!remote.known) return undefined;
	const certain = entry.certain === entry.count ? "certain" : `${remote.grade}, certain in ${countText(entry.certain)} of ${countText(entry.count)}`;
	return [threadName(remote.thread), certain].filter(Boolean).join(", ");
}

function details(entry) {
	const { calls } = entry.remote;
	return h("div", { class: "sides" },
		h("div", { class: "side" }, h("h3", { class: "loss" }, "Lost here"),
			h("p", { class: "quiet" }, threadName(entry.local.thread)), stack(entry.local, "local")),
		h("div", { class: "side" }, h("h3", { class: "culprit" }, entry.reason === "user-abort" ? "Woken by" : "Because of"), h("p", { class: "quiet" }, grade(entry)),
			calls && h("p", null, "It calls ", h("span", { class: "culprit" }, calls.function), calls.file && `, ${calls.file}:${calls.line}`),
			stack(entry.remote, "remote")),
		h("div", { class: "side" }, h("h3", null, "Figures"), figures(entry)));
}

// ---- all entries ----

const STEP = 50;

/** The text that is searched for the words of the filter: names, places, causes and data. */
function words(entry) {
	const frames = [...framesAndBegin(entry.local), ...framesAndBegin(entry.remote)];
	return [entry.reason, entry.contention, entry.detail, entry.remote.calls?.function,
		...frames.flatMap((frame) => [frame.function, frame.file && frame.file + lines(frame)]),
		...entry.objects.flatMap((object) => [object.name, object.symbol, object.address, object.other?.symbol]),
	].filter(Boolean).join("\n").toLowerCase();
}

const rows = report.entries.map((entry, index) => {
	const local = innermost(entry.local), remote = innermost(entry.remote);
	const cause = [entry.detail || entry.reason, entry.contention].filter(Boolean).join(" ");
	return {
		entry, local, remote, cause, number: index + 1, words: words(entry),
		localKey: placeKey(local), remoteKey: placeKey(remote),
		where: local ? `${functionName(local)} ${position(local) ?? ""}` : "",
		because: remote ? `${functionName(remote)} ${position(remote) ?? ""}` : "",
	};
});

// A loss that is too few to say comes behind all that are known, whatever it is.
const lostOrder = ({ lost_ns: ns, too_few: isTooFew }) => (isTooFew ? ns - 1e18 : ns);

const COLUMNS = [
	{ id: "number", name: "#", value: (row) => row.number, class: "number", first: 1 },
	{ id: "lost", name: "lost", value: (row) => (state.part ? lostNsOf(row) : lostOrder(row.entry)), class: "number", first: -1 },
	{ id: "count", name: "times measured", value: (row) => row.entry.count, class: "number wide", first: -1 },
	{ id: "longest", name: "longest", value: (row) => row.entry.longest_ns, class: "number wide", first: -1 },
	{ id: "cause", name: "cause", value: (row) => row.cause, first: 1 },
	{ id: "where", name: "where", value: (row) => row.where, first: 1 },
	{ id: "because", name: "because of", value: (row) => row.because, first: 1 },
];

const state = { sort: COLUMNS[0], order: 1, text: "", reason: "", place: undefined, part: null, hasFew: false, shown: STEP, open: new Set() };

/** The time lost in the part of the run that is shown. */
function lostNsOf({ entry, number }) {
	return state.part ? state.part.lost[number - 1] : entry.lost_ns;
}

function hasFrame(side, key) {
	return framesAndBegin(side).some((frame) => placeKey(frame) === key);
}

function hasObject(entry, names) {
	return entry.objects.some((object) => [object.name, object.symbol, object.address, object.other?.symbol]
		.some((name) => name && names.includes(name)));
}

/** Whether the row passes the filter that another section has asked for. */
function isAsked(row, filter) {
	if (!filter) return true;
	if (filter.objects) return hasObject(row.entry, filter.objects);
	if (filter.anywhere) return hasFrame(row.entry.local, filter.anywhere) || hasFrame(row.entry.remote, filter.anywhere);
	return (filter.local === undefined || row.localKey === filter.local) &&
		(filter.remote === undefined || row.remoteKey === filter.remote);
}

function chosen() {
	const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
	const { value } = state.sort;
	return rows
		.filter((row) => (!state.reason || row.entry.reason === state.reason) && isAsked(row, state.place) &&
			(!state.part || lostNsOf(row) > 0) && words.every((word) => row.words.includes(word)))
		.map((row) => ({ row, value: value(row) }))
		.sort((a, b) => state.order * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) || a.row.number - b.row.number)
		.map(({ row }) => row);
}

/** Without the entries of too few losses to say, unless these are asked for, or there are no others. */
function unfolded(all) {
	const known = all.filter(({ entry }) => !entry.too_few);
	return state.hasFew || state.text || state.reason || state.place || state.part || known.length === 0 ? all : known;
}

// ---- rows ----

function cells(row) {
	const { entry } = row;
	return [
		h("td", { class: "number wide" }, share(entry.lost_ns, lostNs)),
		h("td", { class: "number" }, h("span", { class: "loss" }, lost(entry)), h("br"), interval(entry),
			row.inPart),
		h("td", { class: "number wide" }, count(entry.count, "count")),
		h("td", { class: "number wide" }, time(entry.longest_ns, "longest_ns")),
		h("td", null, h("span", { class: `swatch ${causeClass(entry.reason)}`, "aria-hidden": "true" }),
			h("span", { class: "cause" }, entry.detail || entry.reason), " ", h("span", { class: "quiet contention" }, entry.contention)),
		h("td", null, place(row.local)),
		h("td", null, place(row.remote, "place culprit")),
	];
}

function toggle(row, line) {
	const isOpen = !state.open.has(row);
	if (isOpen) state.open.add(row);
	else state.open.delete(row);
	line.querySelector("button").setAttribute("aria-expanded", String(isOpen));
	line.classList.toggle("open", isOpen);
	if (isOpen) line.after(detailLine(row));
	else line.nextElementSibling.remove();
}

function detailLine(row) {
	return h("tr", { class: "detail", id: `entry-${row.number}` }, h("td", { colspan: "8" }, details(row.entry)));
}

function newLine(row) {
	row.inPart = h("div", { class: "quiet" });
	const open = h("button", {
		type: "button", class: "opener", "aria-expanded": "false", "aria-label": `entry ${row.number}`,
	}, String(row.number));
	const element = h("tr", {
		class: "entry", "data-number": String(row.number),
		onclick: (event) => {
			// A click that marks text, or follows a button, opens nothing.
			if (event.target.closest("button") !== open && (event.target.closest("a, button") || getSelection().toString())) return;
			toggle(row, element);
		},
	}, h("td", null, open), cells(row));
	return element;
}

/** The row's line is made once, since to make and to lay out new ones costs more than all else of a part that is shown. */
function line(row) {
	row.line ??= newLine(row);
	row.inPart.textContent = state.part ? `${timeText(lostNsOf(row))} in this part` : "";
	return state.open.has(row) ? [row.line, detailLine(row)] : row.line;
}

// ---- the table ----

const body = h("tbody");

/** Lines that are shown already stay where they are: the browser does not lay them out again. */
function fillBody(wanted) {
	const kept = new Set(wanted);
	for (const element of [...body.children]) if (!kept.has(element)) element.remove();
	let next = body.firstElementChild;
	for (const element of wanted) {
		if (element === next) next = next.nextElementSibling;
		else body.insertBefore(element, next);
	}
}

const said = h("p", { class: "said", role: "status" });
const more = h("div", { class: "more" });
const asked = h("span", { class: "asked" });

/** A button that shows more entries, of which the first gets the focus. */
function moreButton(text, change) {
	return h("button", {
		type: "button",
		onclick: () => {
			const before = body.querySelectorAll(".entry").length;
			change();
			draw();
			body.querySelectorAll(".entry")[before]?.querySelector("button").focus();
		},
	}, text);
}

function fillMore(left, folded) {
	const add = (number) => () => { state.shown += number; };
	more.replaceChildren(...(left > 0 ? [
		moreButton(`Show ${Math.min(STEP, left)} more`, add(STEP)), moreButton(`Show all ${countText(state.shown + left)}`, add(left))]
		: folded > 0 ? [moreButton(`Show ${countText(folded)} more, of too few losses to say`, () => { state.hasFew = true; })] : []));
}

function fillAsked() {
	asked.replaceChildren(...(!state.place ? [] : [
		h("button", { type: "button", class: "chip", onclick: () => { state.place = undefined; restart(); } },
			state.place.label, h("span", { "aria-hidden": "true" }, " \u00d7"), h("span", { class: "hidden" }, ", no longer only these"))]));
}

function draw() {
	const all = chosen(), visible = unfolded(all);
	fillBody(visible.slice(0, state.shown).flatMap(line));
	const sum = all.reduce((ns, row) => ns + lostNsOf(row), 0);
	said.textContent = `${countText(Math.min(state.shown, visible.length))} of ${countText(all.length)} entries shown` +
		(all.length < rows.length ? `, of ${countText(rows.length)} in all` : "") +
		`. They lost ${timeText(sum)}${state.part ? " in this part of the run" : `, ${shareText(sum, lostNs)} of all`}.`;
	fillMore(visible.length - state.shown, all.length - visible.length);
	fillAsked();
}

function restart() {
	state.shown = STEP;
	draw();
}

function columnHead(column) {
	const cell = h("th", { scope: "col", "aria-sort": column === state.sort ? "ascending" : undefined, class: column.class },
		h("button", {
			type: "button", "data-sort": column.id,
			onclick: () => {
				state.order = state.sort === column ? -state.order : column.first;
				state.sort = column;
				for (const other of cell.parentElement.children) other.removeAttribute("aria-sort");
				cell.setAttribute("aria-sort", state.order > 0 ? "ascending" : "descending");
				restart();
			},
		}, column.name));
	return cell;
}

function controls() {
	const reasons = [...new Set(report.entries.map((entry) => entry.reason))].sort();
	return h("div", { class: "controls" },
		h("label", null, "Filter ", h("input", {
			type: "search", id: "entries-filter", placeholder: "function, file:line, cause, data", autocomplete: "off",
			oninput: (event) => { state.text = event.target.value; restart(); },
		})),
		h("label", null, "What happened ", h("select", {
			id: "entries-reason", onchange: (event) => { state.reason = event.target.value; restart(); },
		}, h("option", { value: "" }, "all"), reasons.map((reason) => h("option", { value: reason }, reason)))),
		asked);
}

export function entries() {
	onShowEntries((filter) => {
		state.place = filter;
		restart();
		document.getElementById("entries").scrollIntoView();
		body.querySelector("button")?.focus({ preventScroll: true });
	});
	onShowPart((part) => {
		state.part = part;
		restart();
	});
	const [number, ...others] = COLUMNS;
	const table = h("table", { class: "entries" }, h("thead", null, h("tr", null, columnHead(number),
		h("th", { scope: "col", class: "number wide" }, "share"), others.map(columnHead))), body);
	draw();
	const { evicted } = report;
	return section("entries", "Entries",
		"Losses of one cause, at one place, because of one other transaction. Open one to see both sides with their callers.",
		rows.length > 0 ? [controls(), scroller("Table of entries", table), said, more] : h("p", null, "No loss was measured to its end."),
		evicted.count > 0 && h("p", { class: "note" },
			`Besides, ${countText(evicted.count)} measured losses have no entry: `, lost(evicted), " in all, given up for costlier ones."));
}
