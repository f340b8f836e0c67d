// SPDX-License-Identifier: MIT
// One entry in full: both sides beside each other, the data, and its figures.
import { help, report } from "./data.js";
import { fact, h } from "./dom.js";
import { dataName } from "./names.js";
import { count, countText, interval, lost, time } from "./numbers.js";
import { stack } from "./source.js";

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

export function details(entry) {
	const { calls } = entry.remote;
	return h("div", { class: "sides" },
		h("div", { class: "side" }, h("h3", { class: "loss" }, "Lost here"),
			h("p", { class: "quiet" }, threadName(entry.local.thread)), stack(entry.local, "local")),
		h("div", { class: "side" }, h("h3", { class: "culprit" }, entry.reason === "user-abort" ? "Woken by" : "Because of"), h("p", { class: "quiet" }, grade(entry)),
			calls && h("p", null, "It calls ", h("span", { class: "culprit" }, calls.function), calls.file && `, ${calls.file}:${calls.line}`),
			stack(entry.remote, "remote")),
		h("div", { class: "side" }, h("h3", null, "Figures"), figures(entry)));
}
