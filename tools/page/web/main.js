// SPDX-License-Identifier: MIT
// The page: its sections in their order, and the list of them.
import { account, blocked, distributions, processes, truth } from "./account.js";
import { bothScreens, matchedPlaces, runs, verdict } from "./compare.js";
import { comparison, report, timeline as timelineData } from "./data.js";
import { h } from "./dom.js";
import { entries } from "./entries.js";
import { flame } from "./flame.js";
import { objects } from "./objects.js";
import { pairs } from "./pairs.js";
import { run } from "./run.js";
import { commandText, figures, head, ranking } from "./screen.js";
import { tasks } from "./tasks.js";
import { timeline } from "./timeline.js";

const sections = comparison ? [["Runs", runs], ["Places", matchedPlaces], ["First screens", bothScreens]] : [
	["In the way", ranking], ["Who aborts whom", pairs], ["Account", account], ["Processes", processes],
	["Entries", entries], ["Flame graph", flame],
	["Timeline", () => timelineData && timeline()], ["Tasks", tasks], ["Objects", objects], ["Distributions", distributions],
	["Blocked", blocked], ["Truth", truth],
];

document.getElementById("head").replaceChildren(comparison ? verdict() : head(commandText(report), report.command.join(" "), figures(report)));
for (const [name, make] of sections) {
	const section = make();
	if (!section) continue;
	document.getElementById("main").append(section);
	document.getElementById("contents").append(h("a", { href: `#${section.id}` }, name));
}
// Last, since the address may choose a part of the run for all sections.
document.getElementById("head").append(run() ?? "");
// For those who ask how long the page took.
requestAnimationFrame(() => setTimeout(() => performance.mark("stmlog:ready")));
