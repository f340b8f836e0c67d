// SPDX-License-Identifier: MIT
// Pages of `stmlog report --html` in a real browser, used by real input: a mouse that moves and presses, keys that go
// down and up.
// usage: BROWSER=PATH MODULES=FOLDER node page.mjs FOLDER
// FOLDER has for each recording NAME.html and NAME.json: of `usual` (with a timeline, and sources), `sampled`, `short`
// (with a timeline that has lost events), `hostile` (its names are of all kinds), `nothing` (nothing was lost), `blocked`
// (a transaction was blocked after a retry), `tasks` (a sort of 1,023 tasks) and `processes` (a server of four). It has
// NAME.html, NAME.json and NAME.txt of the comparisons of compare.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { drawn, numbers, pixels, said, tabTo, texts, uncovered } from "./asking.mjs";
import { close, launch, open, packages } from "./browser.mjs";
import { compareClaims } from "./compare.mjs";
import { compareFigures } from "./figures.mjs";
import { drag, partClaims } from "./part.mjs";

const folder = process.argv[2];
const NAMES = ["usual", "sampled", "short", "hostile", "nothing", "blocked", "tasks", "processes"];
const reports = Object.fromEntries(NAMES.map((name) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"))]));
const browser = await launch();
const visit = (name, options) => open(browser, join(folder, `${name}.html`), options);

// ---- claims ----

const claims = {};

claims["each figure is that of report --json"] = async () => {
	for (const name of NAMES) {
		const page = await visit(name);
		await compareFigures(page, reports[name]);
		await close(page);
	}
};

claims["entries are sorted by a press on a column, and the other way by a second one"] = async () => {
	const page = await visit("usual"), { entries } = reports.usual;
	const by = (value) => entries.map((entry, i) => ({ number: i + 1, value: value(entry) }))
		.sort((a, b) => a.value - b.value || a.number - b.number);
	await page.click("[data-sort=count]");
	assert.deepEqual(await numbers(page), by((entry) => -entry.count).map((one) => one.number).slice(0, 50));
	assert.equal(await page.getAttribute("th:has([data-sort=count])", "aria-sort"), "descending");
	await page.click("[data-sort=count]");
	assert.deepEqual(await numbers(page), by((entry) => entry.count).map((one) => one.number).slice(0, 50));
	await page.click("[data-sort=cause]");
	const causes = (await texts(page, "tr.entry td:nth-child(6)")).map((text) => text.trim());
	assert.deepEqual(causes, [...causes].sort());
	await close(page);
};

claims["entries are filtered by words, by what happened, and by a transaction in the way"] = async () => {
	const page = await visit("usual"), { entries, rows } = reports.usual;
	const framesOf = (side) => [...side.frames, ...(side.begin ? [side.begin] : [])];
	const frames = (entry) => [...framesOf(entry.local), ...framesOf(entry.remote)];
	await page.click("#entries-filter");
	await page.keyboard.type("fprintf");
	assert.deepEqual(await numbers(page), entries.flatMap((entry, i) => (entry.remote.calls?.function === "fprintf" ? [i + 1] : [])));
	await page.keyboard.press("Control+A");
	await page.keyboard.press("Delete");
	assert.equal((await numbers(page)).length, entries.length);
	await page.selectOption("#entries-reason", "wait");
	assert.deepEqual(await numbers(page), entries.flatMap((entry, i) => (entry.reason === "wait" ? [i + 1] : [])));
	await page.selectOption("#entries-reason", "");

	const { function: name, line } = framesOf(rows[0]).find((frame) => rows[0].line.endsWith(`:${frame.line}`));
	await page.click(".ranked button");
	assert.deepEqual(await numbers(page), entries.flatMap((entry, i) =>
		(frames(entry).some((frame) => frame.function === name && frame.line === line) ? [i + 1] : [])));
	await page.click(".chip");
	assert.equal((await numbers(page)).length, entries.length);
	await page.fill("#entries-filter", "no such name");
	assert.match(await page.textContent("#entries .said"), /^0 of 0 entries shown/);
	await close(page);
};

claims["entries of too few losses to say are folded"] = async () => {
	const page = await visit("sampled"), { entries } = reports.sampled;
	const known = entries.filter((entry) => !entry.too_few).length;
	assert.ok(known > 0 && known < entries.length, "the recording has both kinds");
	assert.equal((await numbers(page)).length, Math.min(50, known));
	while (await page.$(".more button")) await page.click(".more button >> nth=-1");
	assert.equal((await numbers(page)).length, entries.length);
	await close(page);
};

claims["the number of a row is a link to it"] = async () => {
	const page = await visit("usual");
	assert.ok(reports.usual.rows.length > 1);
	await page.click(".rank >> nth=1");
	assert.match(page.url(), /#row=2$/);
	assert.equal(await page.$eval(":target .culprit", (one) => one.textContent), reports.usual.rows[1].name);
	await page.reload();
	assert.equal(await page.$eval(".ranked:nth-child(2)", (one) => {
		const { top, bottom } = one.getBoundingClientRect();
		return top >= 0 && bottom <= innerHeight;
	}), true);
	await close(page);
};

claims["an entry opens with both stacks and the lines of their sources"] = async () => {
	const page = await visit("usual"), [entry] = reports.usual.entries;
	await page.click("tr.entry .cause");
	for (const side of ["local", "remote"]) {
		const titles = await page.$$eval(`#entry-1 .stack.${side} .frame`, (all) => all.map((one) => one.title));
		assert.deepEqual(titles, entry[side].frames.map((frame) => frame.function));
		const [{ file, line }] = entry[side].frames;
		const source = readFileSync(file, "utf8").split("\n")[line - 1];
		const [hit] = await texts(page, `#entry-1 .stack.${side} .excerpt .hit`);
		assert.equal(hit.trim(), `${line} ${source.replace(/\t/g, "    ")}`.trim());
	}
	await page.click("tr.entry .opener");
	assert.equal(await page.$("#entry-1"), null);
	await close(page);
};

claims["pairs are a matrix and a graph, whose parts lead to their entries"] = async () => {
	const page = await visit("usual"), { entries } = reports.usual;
	const most = Math.max(...(await page.$$eval("#pairs-matrix [data-lost]", (all) => all.map((one) => Number(one.dataset.lost)))));
	await page.click(`#pairs-matrix [data-lost="${most}"]`);
	const shown = await numbers(page);
	assert.equal(shown.reduce((ns, number) => ns + entries[number - 1].lost_ns, 0), most);
	await page.click(".chip");
	await page.click("#pairs [data-value=graph]");
	assert.equal(await page.isVisible("#pairs-matrix"), false);
	await page.mouse.move(...await uncovered(page, "#pairs-graph .band"));
	assert.match(await page.textContent("#tip"), / lost at .* because of /);
	await page.focus("#pairs-graph .band >> nth=0");
	await page.keyboard.press("Enter");
	assert.equal(await page.isVisible(".chip"), true);
	await close(page);
};

claims["the flame graph is enlarged by a press, made whole by Escape, and shows culprits"] = async () => {
	const page = await visit("usual");
	const all = await texts(page, ".flame"), enlarged = () => page.getAttribute(".flame.focus", "aria-label");
	await page.click(".flame >> nth=-1");
	assert.doesNotMatch(await enlarged(), /^all lost time/);
	await page.keyboard.press("Escape");
	assert.match(await enlarged(), /^all lost time/);
	await page.keyboard.press("ArrowDown");
	assert.equal(await page.evaluate(() => document.activeElement.matches(".flame.depth1")), true);
	await page.click("#flame [data-value=remote]");
	assert.notDeepEqual(await texts(page, ".flame"), all);
	await close(page);
};

claims["the timeline zooms by wheel, button and key, moves when it is dragged, and tells what is below the pointer"] = async () => {
	const page = await visit("usual"), canvas = page.locator("#timeline-canvas");
	const data = await page.$eval("#data-timeline", (one) => JSON.parse(one.textContent));
	await page.click("[aria-label='Show all']");
	await drawn(page);
	assert.match(await said(page), new RegExp(` ${data.arrows.at.length.toLocaleString("en-US")} arrows `));
	await canvas.scrollIntoViewIfNeeded();
	const box = await canvas.boundingBox(), middle = [box.x + box.width / 2, box.y + box.height / 2];
	const changed = async (act) => {
		const before = [await said(page), await pixels(page)];
		await act();
		await drawn(page);
		assert.notEqual(await said(page), before[0]);
		assert.notEqual(await pixels(page), before[1]);
	};
	await page.mouse.move(...middle);
	await page.keyboard.down("Control");
	await changed(() => page.mouse.wheel(0, -600));
	await page.keyboard.up("Control");
	await changed(() => page.click("[aria-label='Zoom in']"));
	await changed(async () => {
		await page.mouse.move(...middle);
		await page.mouse.down();
		await page.mouse.move(middle[0] - 150, middle[1], { steps: 4 });
		await page.mouse.up();
	});
	await changed(() => page.keyboard.press("-"));
	await changed(() => page.keyboard.press("ArrowRight"));
	await changed(() => page.keyboard.press("0"));
	await page.keyboard.press("a");
	const aborted = data.bars.fate.findIndex((fate) => data.fates[fate] === "aborted");
	assert.ok(aborted >= 0);
	assert.match(await page.textContent("#timeline-chosen"), /Transaction, aborted/);
	await close(page);
};

claims["the keys of the timeline go to the next attempt, abort and wait of a thread, and back"] = async () => {
	const page = await visit("usual");
	const { bars, fates } = await page.$eval("#data-timeline", (one) => JSON.parse(one.textContent));
	const begins = (...wanted) => bars.from.filter((_, i) => bars.lane[i] === 0 && bars.row[i] === 0 && wanted.includes(fates[bars.fate[i]]))
		.sort((a, b) => a - b).map((from) => `${(from / 1e9).toFixed(9)} s`);
	const press = async (key) => {
		await page.keyboard.press(key);
		return (await page.textContent("#timeline-chosen")).match(/ from ([\d.]+ s)/)[1];
	};
	await page.focus("#timeline-canvas");
	await page.keyboard.press("0");
	const attempts = begins("committed", "aborted", "open"), aborts = begins("aborted"), waits = begins("wait");
	assert.ok(aborts.length > 1 && waits.length > 1);
	for (let i = 0; i < 10; i++) assert.equal(await press("n"), attempts[i]);
	assert.equal(await press("p"), attempts[8]);
	await page.keyboard.press("Escape");
	assert.equal(await press("a"), aborts[0]);
	assert.equal(await press("a"), aborts[1]);
	await page.keyboard.press("Escape");
	assert.equal(await press("w"), waits[0]);
	assert.equal(await press("w"), waits[1]);
	await close(page);
};

claims["the pointer over a bar shows its place, its cause and the other thread"] = async () => {
	const page = await visit("usual"), canvas = page.locator("#timeline-canvas");
	const data = await page.$eval("#data-timeline", (one) => JSON.parse(one.textContent));
	const { bars, texts: words } = data;
	// The longest bar of the first lane is wide enough for a pointer in a view of everything.
	await page.click("[aria-label='Show all']");
	await drawn(page);
	const own = [...bars.lane.keys()].filter((i) => bars.lane[i] === 0 && bars.row[i] === 0 && bars.depth[i] === 0);
	const longest = own.reduce((a, b) => (bars.time[b] > bars.time[a] ? b : a));
	const end = Math.max(...bars.from.map((from, i) => from + bars.time[i]), ...data.points.at), begin = Math.min(...bars.from, ...data.points.at);
	await canvas.scrollIntoViewIfNeeded();
	const box = await canvas.boundingBox();
	const x = box.x + (bars.from[longest] + bars.time[longest] / 2 - begin) / (end - begin) * box.width;
	let tip = "";
	for (let y = box.y + 24; y < box.y + 70 && !tip.includes(words[bars.place[longest]]); y += 3) {
		await page.mouse.move(x, y);
		tip = await page.isVisible("#tip") ? await page.textContent("#tip") : "";
	}
	assert.ok(tip.includes(words[bars.place[longest]]), `the tip is '${tip}'`);
	await close(page);
};

claims["a timeline that has lost events says so, and marks where"] = async () => {
	const page = await visit("short"), { losses } = reports.short;
	assert.ok(losses.events_missing > 0);
	const note = (await texts(page, "#timeline .note")).join(" ");
	assert.ok(note.includes(`${losses.events_missing.toLocaleString("en-US")} events did not fit`), note);
	const fates = await page.$eval("#data-timeline", (one) => {
		const { bars, fates } = JSON.parse(one.textContent);
		return bars.fate.map((fate) => fates[fate]);
	});
	assert.ok(fates.includes("missing"));
	await close(page);
};

claims["a timeline says how long threads were off the processor, of which it has no events"] = async () => {
	for (const name of NAMES) {
		const page = await visit(name), { totals, timeline } = reports[name];
		const notes = (await texts(page, "#timeline .note")).filter((text) => / off the processor for [\d.]+ (ns|\u00b5s|ms|s)\./.test(text));
		assert.equal(notes.length, timeline && totals.descheduled_ns > 0 ? 1 : 0, name);
		await close(page);
	}
};

claims["the processes of a run stand in a table, the costliest first"] = async () => {
	const page = await visit("processes"), { processes } = reports.processes;
	assert.equal(processes.length, 4);
	assert.deepEqual((await texts(page, ".processes tbody th")).map(Number),
		[...processes].sort((a, b) => b.lost_ns - a.lost_ns).map(({ pid }) => pid));
	assert.match(await page.textContent(".facts"), /4 processes, 8 threads/);
	await page.setViewportSize({ width: 400, height: 900 });
	assert.ok(await page.$eval(".scroller:has(.processes)", (one) => one.scrollWidth <= one.clientWidth), "the table is cut");
	await close(page);
	const single = await visit("usual");
	assert.equal(await single.$("#processes"), null);
	await close(single);
};

// ---- tasks ----

const tasksSaid = (page) => page.textContent("#tasks-said");
const pinned = (page) => page.textContent("#tasks-pins");
const tasksData = (page) => page.$eval("#data-tasks", (one) => JSON.parse(one.textContent));
/** How wide the picture of the tasks is, and how far to the right it is moved. */
const pictureView = (page) => page.$eval("#tasks-picture", (one) => [one.firstElementChild.clientWidth || one.firstElementChild.getBoundingClientRect().width, Math.round(one.scrollLeft)]);

/** The ids of the boxes of the graph that stand for one segment, widest first. */
const widest = (page) => page.$$eval("#tasks-picture .box", (all) => all
	.filter((one) => one.querySelector("title").textContent.startsWith("task "))
	.sort((a, b) => b.getAttribute("width") - a.getAttribute("width")).map((one) => one.id));

claims["a page of 1,023 tasks is below 2 MB, and one without tasks has no such section"] = async () => {
	assert.ok(readFileSync(join(folder, "tasks.html")).length < 2e6);
	const usual = await visit("usual");
	assert.equal(await usual.$("#tasks"), null);
	await close(usual);
	const page = await visit("tasks");
	assert.match(await page.textContent("#tasks .intro"), /^1,023 tasks, /);
	await close(page);
};

claims["the graph of tasks zooms by wheel, button and key, and tells what is below the pointer"] = async () => {
	const page = await visit("tasks"), [id] = await widest(page);
	assert.match(await page.textContent(`#${id} title`), /^task \d+, segment \d+ of \d+\n.* on .*thread \d+/);
	const changed = async (act) => {
		const before = await pictureView(page);
		await act();
		await drawn(page);
		assert.notDeepEqual(await pictureView(page), before);
	};
	await page.hover(`#${id}`);
	await page.keyboard.down("Control");
	await changed(() => page.mouse.wheel(0, -600));
	await page.keyboard.up("Control");
	await changed(() => page.click("[aria-label='Zoom into the tasks']"));
	await page.focus("#tasks-picture");
	await changed(() => page.keyboard.press("-"));
	await changed(() => page.keyboard.press("0"));
	await close(page);
};

claims["Racket's visualizer, creation tree: a second form of the same view"] = async () => {
	const page = await visit("tasks");
	await page.click("#tasks [data-value=creations]");
	assert.equal(await tasksSaid(page), "1,023 tasks.");
	assert.equal(await page.$("#graph"), null);
	const depths = await page.$$eval("#creations .box", (all) => new Set(all.map((one) => one.getAttribute("x"))).size);
	assert.equal(depths, 10);
	await page.focus("#tasks-picture");
	await page.keyboard.press("n");
	assert.match(await pinned(page), /^task 0/);
	await close(page);
};

claims["Racket's visualizer, two events: two pins are compared: by mouse, by keyboard, and taken off again"] = async () => {
	const page = await visit("tasks"), [first, second] = await widest(page);
	await page.click(`#${first}`);
	assert.match(await pinned(page), /^A: task /);
	assert.equal(await page.$("#tasks-compared"), null);
	await page.click(`#${second}`);
	assert.match(await page.textContent("#tasks-compared"), /^B begins .* A.* times as much work as A\.$/);
	await page.click(`#${second}`);
	assert.equal(await page.$("#tasks-compared"), null);
	await page.focus("#tasks-picture");
	await page.keyboard.press("Escape");
	assert.equal(await pinned(page), "");
	for (const key of ["n", "Enter", "n", "Enter"]) await page.keyboard.press(key);
	assert.match(await page.textContent("#tasks-compared"), /^B begins /);
	await close(page);
};

claims["rayon-logs, code animation: the run is replayed: tasks light up where they run, by a slider and by a button"] = async () => {
	const page = await visit("tasks"), { segments } = await tasksData(page);
	const longest = segments.time.indexOf(Math.max(...segments.time));
	const begin = Math.min(...segments.from), end = Math.max(...segments.from.map((from, i) => from + segments.time[i]));
	const part = (segments.from[longest] + segments.time[longest] / 2 - begin) / (end - begin);
	const lit = (id) => page.$eval(`#${id}`, (one) => one.matches(".replayed .lit"));
	const seek = (value) => page.$eval("#tasks-time", (slider, to) => { slider.value = to; slider.dispatchEvent(new Event("input")); }, value);
	await seek(Math.round(1000 * part));
	assert.match(await tasksSaid(page), /: [123] of 3 threads work on tasks\.$/);
	assert.ok(await lit(`graph${segments.graph[longest]}`));
	assert.ok((await page.$$(".lit")).length <= 3);
	await page.click("#tasks [data-value=creations]");
	assert.ok(await lit(`creations${segments.creations[longest]}`));
	await page.click("#tasks [data-value=graph]");
	await seek(0);
	assert.ok(!await lit(`graph${segments.graph[longest]}`));
	await page.click("#tasks-play");
	assert.equal(await page.textContent("#tasks-play"), "Pause");
	const before = await tasksSaid(page);
	await page.waitForFunction((text) => document.querySelector("#tasks-said").textContent !== text, before);
	await page.click("#tasks-play");
	assert.equal(await page.textContent("#tasks-play"), "Play");
	await page.click("[aria-label='Stop the replay']");
	assert.equal(await page.$(".lit, .replayed"), null, "the replay leaves something behind");
	await close(page);
};

claims["Racket's visualizer, totals by primitive: a table of words"] = async () => {
	const page = await visit("tasks"), { waits } = reports.tasks.tasks;
	const rows = await page.$$eval("#tasks .waits tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
	assert.deepEqual(rows.map(([word, wait, count]) => [word, wait, Number(count.replace(/,/g, ""))]),
		waits.map(({ word, wait, count }) => [word || "no word given", wait, count]));
	assert.ok(waits.some(({ wait, count }) => wait === "touch" && count === 1022));
	await close(page);
};

claims["the keyboard reaches the tasks and their replay"] = async () => {
	const page = await visit("tasks");
	await tabTo(page, "#tasks-play");
	await page.keyboard.press("Enter");
	assert.equal(await page.textContent("#tasks-play"), "Pause");
	await page.keyboard.press("Enter");
	await tabTo(page, "#tasks-time");
	const before = await tasksSaid(page);
	await page.keyboard.press("End");
	await drawn(page);
	assert.notEqual(await tasksSaid(page), before);
	await tabTo(page, "#tasks-picture");
	await close(page);
};

claims["words that lie in one cache line are drawn in it"] = async () => {
	const page = await visit("usual");
	const entry = reports.usual.entries.find(({ objects }) => objects.some((one) => one.other));
	const object = entry.objects.find((one) => one.other);
	const offset = (one) => `+${Number(BigInt(one.address) % 64n) & ~7}`;
	const line = page.locator(".cacheline.false", { hasText: object.symbol ?? object.address }).first();
	const used = await line.locator(".word.used .offset").allTextContents();
	assert.ok(used.includes(offset(object)) && used.includes(offset(object.other)), `${used}`);
	assert.match(await line.textContent(), /false sharing: in [\d,]+ of [\d,]+/);
	await close(page);
};

claims["the keyboard alone reaches and works each control"] = async () => {
	const page = await visit("usual");
	await page.keyboard.press("Tab");
	assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
	await tabTo(page, "[data-value=dark]");
	await page.keyboard.press("Enter");
	assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
	await tabTo(page, "summary");
	await page.keyboard.press("Enter");
	assert.equal(await page.isVisible(".ranked details[open] p"), true);
	await tabTo(page, "#pairs [data-value=graph]");
	await page.keyboard.press("Enter");
	assert.equal(await page.isVisible("#pairs-graph"), true);
	await tabTo(page, "#entries-filter");
	await page.keyboard.type("bid");
	assert.ok((await numbers(page)).length < reports.usual.entries.length);
	await tabTo(page, "[data-sort=lost]");
	await page.keyboard.press("Space");
	assert.equal(await page.getAttribute("th:has([data-sort=lost])", "aria-sort"), "descending");
	await tabTo(page, ".opener");
	await page.keyboard.press("Enter");
	assert.equal(await page.locator("tr.detail").count(), 1);
	await tabTo(page, ".flame");
	await tabTo(page, "#timeline-canvas");
	const before = await said(page);
	await page.keyboard.press("+");
	await drawn(page);
	assert.notEqual(await said(page), before);
	await tabTo(page, "footer summary");
	await tabTo(page, "#timeline-canvas", "Shift+Tab");
	// Of the boxes of the flame graph one is reached; from there the arrow keys go to the others.
	const unreached = await page.$$eval("button, input, select, summary, a, [role=button]", (all) =>
		all.filter((one) => one.tabIndex < 0 && !one.matches(".flame")).map((one) => one.outerHTML));
	assert.deepEqual(unreached, []);
	await close(page);
};

claims["colours follow the system, or the choice"] = async () => {
	const dark = { light: false, dark: true };
	for (const scheme of ["light", "dark"]) {
		const page = await visit("usual", { scheme });
		const isDark = () => page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 128);
		assert.equal(await isDark(), dark[scheme]);
		for (const choice of ["light", "dark"]) {
			await page.click(`[data-value=${choice}]`);
			assert.equal(await isDark(), dark[choice]);
		}
		await close(page);
	}
};

claims["paper has light colours, what to try, both views of the pairs, and no controls"] = async () => {
	const page = await visit("usual", { scheme: "dark" });
	await page.emulateMedia({ media: "print" });
	assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
	for (const [selector, isShown] of [["nav", false], ["#entries-filter", false], [".ranked button", false], [".ranked .try", true],
		["#pairs-matrix", true], ["#pairs-graph", true], ["#timeline-canvas", true]])
		assert.equal(await page.isVisible(selector), isShown, selector);
	await page.setViewportSize({ width: 700, height: 1000 });
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 700);
	assert.equal((await page.pdf()).subarray(0, 5).toString(), "%PDF-");
	await close(page);
};

claims["no page is wider than the window, at 1,280 and at 400 pixels"] = async () => {
	for (const name of NAMES) {
		for (const width of [1280, 400]) {
			const page = await visit(name, { width });
			if (await page.$("#run-strip")) await drag(page, 0.02, 0.98);
			const wide = await page.evaluate(() => document.documentElement.scrollWidth);
			assert.ok(wide <= width, `${name} at ${width}: ${wide}`);
			const cut = await page.$$eval(".scroller:has(.entries)", (all) => all.map((one) => one.scrollWidth - one.clientWidth));
			assert.ok(cut.every((pixels) => pixels <= 0), `${name} at ${width}: entries are ${cut} pixels too wide`);
			await close(page);
		}
	}
};

claims["a word of the command stands on two lines only if it is wider than the page"] = async () => {
	for (const width of [1280, 400, 330]) {
		const page = await visit("sampled", { width });
		const words = await page.$$eval("h1 .word", (all) => all.map((one) => {
			const range = document.createRange();
			range.selectNodeContents(one);
			return { text: one.textContent, lines: range.getClientRects().length, isWhole: one.offsetWidth < one.parentElement.clientWidth };
		}));
		assert.equal(words.map(({ text }) => text).join(" "), await page.textContent("h1"));
		assert.ok(words.some(({ text }) => text.startsWith("--")), `${width}: no option in ${JSON.stringify(words)}`);
		for (const { text, lines, isWhole } of words) assert.ok(lines === 1 || !isWhole, `${width}: ${text} is on ${lines} lines`);
		await close(page);
	}
};

/** The characters that act on the text around them, of utf8_acts(); tabs and newlines are blanks in a page. */
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

claims["no name is markup, and none acts on the text around it"] = async () => {
	const page = await visit("hostile");
	for (const opener of await page.$$(".opener")) await opener.click();
	assert.deepEqual(await page.$$eval("script", (all) => all.map((one) => one.id)),
		["data-report", "data-sources", "data-help", "data-timeline", ""]);
	assert.equal(await page.$("img, iframe, object, embed, link, i"), null);
	const titles = await page.$$eval(".frame", (all) => all.map((one) => one.title));
	const functions = reports.hostile.entries.flatMap(({ local, remote }) => [...local.frames, ...remote.frames]).map((frame) => frame.function ?? "");
	assert.ok(functions.some((name) => name.search(ACTS) >= 0));
	assert.deepEqual([...new Set(titles)].sort(), [...new Set(functions.map((name) => name.replace(ACTS, "?")))].sort());
	const all = await page.evaluate(() => document.title + [...document.querySelectorAll("body *:not(script)")].flatMap((one) =>
		[...one.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data).concat([...one.attributes].map((attribute) => attribute.value))).join(" "));
	assert.deepEqual(all.match(ACTS), null);
	assert.ok(functions.some((name) => name.includes("</script><img")));
	assert.ok((await page.textContent("#main")).includes("</script><img"));
	await close(page);
};

claims["without scripts the page says where the figures are"] = async () => {
	const page = await visit("usual", { scripts: false });
	assert.match(await page.textContent("noscript"), /stmlog report/);
	await page.context().close();
};

claims["beside a blocked transaction stand where and for what it has waited, and who has woken it"] = async () => {
	const [row] = reports.hostile.blocked, clean = (text) => text.replace(ACTS, "?").replace(/\s/g, " ");
	const page = await visit("hostile");
	assert.deepEqual(await texts(page, ".blocked-sites thead th:nth-child(n + 6)"), ["waits at", "for", "woken by"]);
	const cells = (await texts(page, ".blocked-sites tbody td:nth-child(n + 6)")).map(clean);
	assert.equal(cells.length, 3);
	assert.ok(cells[0].endsWith(clean(row.waits_at.function)) && cells[2].endsWith(clean(row.woken_by.function)));
	assert.equal(cells[1], clean(row.object));
	await close(page);
	const without = await visit("blocked");
	assert.equal((await texts(without, ".blocked-sites thead th")).length, 5);
	await close(without);
};

claims["the transaction each of whose commits wakes several is told as on the first screen"] = async () => {
	const page = await visit("hostile");
	assert.match(reports.hostile.wakes, /^each commit of .* wakes 2$/);
	assert.deepEqual(await texts(page, ".wakes"), [reports.hostile.wakes]);
	await close(page);
};

claims["axe-core finds no violation"] = async () => {
	const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
	for (const [name, options] of [["usual", {}], ["usual", { scheme: "dark" }], ["usual", { width: 400 }], ["sampled", {}], ["blocked", {}], ["hostile", { scheme: "dark" }],
		["tasks", {}], ["tasks", { scheme: "dark" }], ["processes", {}]]) {
		const page = await visit(name, options);
		if (await page.$("#run-strip")) await drag(page, 0.02, 0.98);
		if (await page.$(".opener")) await page.click(".opener >> nth=0");
		await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
		for (const view of name === "usual" ? ["matrix", "graph"] : ["matrix"]) {
			if (await page.$("#pairs")) await page.click(`#pairs [data-value=${view}]`);
			await page.evaluate(axe);
			const { violations } = await page.evaluate(() => globalThis.axe.run());
			assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 150)} ${node.any[0]?.message ?? ""}`)), []);
		}
		await close(page);
	}
};

// ---- running them ----

Object.assign(claims, partClaims({ folder, reports, visit }), compareClaims({ folder, visit }));

let failed = 0;
for (const [words, claim] of Object.entries(claims)) {
	if (process.argv[3] && !words.includes(process.argv[3])) continue;
	try {
		await claim();
		console.log(`ok - ${words}`);
	} catch (error) {
		failed++;
		console.log(`FAILED: ${words}\n${error.stack}`);
	}
}
await browser.close();
process.exitCode = failed > 0 ? 1 : 0;
