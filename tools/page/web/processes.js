// SPDX-License-Identifier: MIT
// The processes of the run, the costliest first, as `report --by=process` prints them.
import { isEstimated, report } from "./data.js";
import { h, section, table } from "./dom.js";
import { count, share, time } from "./numbers.js";

const COLUMNS = [["pid", "number"], ["program"], ["threads", "number wide"], ["commits", "number"], ["aborts", "number"],
	["lost", "number"], ["of its time", "number"]];

/** Of merged runs a process has no number. */
function rowOf({ pid, program, threads, commits, aborts, lost_ns: ns, attached_ns: attached, descheduled_ns: off }) {
	return [pid ?? "\u2013", program, count(threads, "threads"), count(commits, "commits"), count(aborts, "aborts"),
		h("span", { class: "loss" }, isEstimated && "~\u00a0", time(ns, "lost_ns")), share(ns, attached - off)];
}

export function processes() {
	if (report.processes.length < 2) return undefined;
	const sorted = [...report.processes].sort((a, b) => b.lost_ns - a.lost_ns);
	return section("processes", "Processes", "Each process of the run, the costliest first, with what it lost of its time on processors.",
		table("Table of processes", "processes", COLUMNS, sorted.map(rowOf)));
}
