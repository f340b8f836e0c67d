// SPDX-License-Identifier: MIT
// Claims on the strip of the run, and on what the page shows of a part that is chosen on it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { drawn, numbers, said, tabTo } from "./asking.mjs";
import { close } from "./browser.mjs";

const timelineData = (page) => page.$eval("#data-timeline", (one) => JSON.parse(one.textContent));
const endOf = ({ from, time }, i) => from[i] + time[i];
const partText = (page) => page.getAttribute("#run-strip", "aria-valuetext");
const wordsOf = (from, to) => `${(from / 1e9).toFixed(6)} s to ${(to / 1e9).toFixed(6)} s`;

/** The part that is chosen, as soon as the address has it. */
async function partOf(page) {
	const times = await (await page.waitForFunction(() => {
		const found = location.hash.match(/from=([^&]+)&to=([^&]+)/)?.slice(1).map(Number);
		const words = found?.map((seconds) => `${seconds.toFixed(6)} s`).join(" to ");
		return words === document.querySelector("#run-strip").getAttribute("aria-valuetext") && found;
	})).jsonValue();
	return times.map((seconds) => Math.round(1e9 * seconds));
}

/** Presses on the strip at one part of its width, and draws to another. */
export async function drag(page, from, to) {
	const strip = page.locator("#run-strip");
	await strip.scrollIntoViewIfNeeded();
	const { x, y, width, height } = await strip.boundingBox();
	await page.mouse.move(x + from * width, y + height / 2);
	await page.mouse.down();
	await page.mouse.move(x + to * width, y + height / 2, { steps: 5 });
	await page.mouse.up();
	await drawn(page);
}

/** The losses of the timeline that ended in the part, and the numbers of the entries that they may be of. */
function lossesIn({ bars, entries }, [from, to]) {
	const known = new Set(entries.kind), losses = [...bars.kind.keys()].filter((i) => known.has(bars.kind[i]) && endOf(bars, i) >= from && endOf(bars, i) <= to);
	const kinds = new Set(losses.map((i) => bars.kind[i]));
	const numbers = entries.kind.flatMap((kind, i) => (kinds.has(kind) && entries.first[i] <= to && entries.last[i] >= from ? [i + 1] : []));
	return { losses, numbers };
}

/** The time of a loss, without the losses in it. */
function ownTime({ bars }, i) {
	const isWithin = (k) => bars.lane[k] === bars.lane[i] && bars.row[k] === bars.row[i] && bars.depth[k] === bars.depth[i] + 1 &&
		bars.from[k] >= bars.from[i] && endOf(bars, k) <= endOf(bars, i);
	return [...bars.kind.keys()].filter(isWithin).reduce((ns, k) => ns - bars.time[k], bars.time[i]);
}

/** Rows, entries and matrix show what the timeline has in the part, and nothing else. */
async function comparePart(page, part) {
	const data = await timelineData(page), { losses, numbers: expected } = lossesIn(data, part);
	assert.deepEqual(await numbers(page), expected);
	assert.deepEqual(await page.$$eval(".ranked", (all) => all.flatMap((one, i) => (one.hidden ? [] : [i + 1]))),
		[...new Set(expected.map((number) => data.entries.row[number - 1]))].filter((row) => row > 0).sort((a, b) => a - b));
	const cells = await page.$$eval("#pairs-matrix [data-lost]", (all) => all.map((one) => Number(one.dataset.lost)));
	const lost = losses.reduce((ns, i) => ns + ownTime(data, i), 0);
	assert.ok(Math.abs(cells.reduce((ns, cell) => ns + cell, 0) - lost) < 1, `the matrix has ${cells}, not ${lost}`);
}

/** The page with so many times as many events, one run behind the other. */
function enlarged(html, times) {
	return html.replace(/(<script type="application\/json" id="data-timeline">)([^]*?)(<\/script>)/, (all, begin, text, end) => {
		const data = JSON.parse(text), length = Math.max(...data.bars.from.map((from, i) => endOf(data.bars, i)));
		for (const [table, clocks] of [["bars", ["from"]], ["points", ["at"]], ["arrows", ["at", "to"]]])
			for (const [name, column] of Object.entries(data[table]).filter(([, one]) => Array.isArray(one)))
				data[table][name] = Array.from({ length: times }, (none, i) => column.map((value) => (clocks.includes(name) ? value + i * length : value))).flat();
		data.entries.last = data.entries.last.map(() => times * length);
		return begin + JSON.stringify(data).replace(/</g, "\\u003c") + end;
	});
}

/** The claims, from their words to the functions that check them. */
export function partClaims({ folder, reports, visit }) {
	const claims = {};

	claims["a part of the run that is chosen by the mouse is all that rows, matrix, entries and timeline show"] = async () => {
		const page = await visit("usual"), { entries, rows } = reports.usual;
		const before = await said(page);
		await drag(page, 0.3, 0.6);
		await comparePart(page, await partOf(page));
		await drag(page, 0.52, 0.5);
		const part = await partOf(page);
		await comparePart(page, part);
		assert.match(await page.textContent("#run-said"), /^[\d.]+ s to [\d.]+ s: .* lost, by the events of the timeline\. /);
		assert.notEqual(await said(page), before);
		assert.match(await page.textContent("#entries .said"), / in this part of the run\.$/);
		await page.click("#run-strip");
		await drawn(page);
		assert.equal((await numbers(page)).length, entries.length);
		assert.equal(await page.locator(".ranked:visible").count(), rows.length);
		await page.waitForFunction(() => !location.hash.includes("from="));
		await close(page);
	};

	claims["the keyboard moves, widens and narrows the part, and Escape shows the whole run"] = async () => {
		const page = await visit("usual"), data = await timelineData(page);
		const begin = Math.min(...data.bars.from), end = Math.max(...data.bars.from.map((from, i) => endOf(data.bars, i)));
		const step = Math.ceil((end - begin) / 100);
		await tabTo(page, "#run-strip");
		for (const [key, from, to] of [["ArrowRight", begin, begin + 10 * step], ["ArrowLeft", begin, begin + 10 * step],
			["ArrowRight", begin + step, begin + 11 * step], ["Shift+ArrowRight", begin + step, begin + 12 * step],
			["Shift+ArrowLeft", begin, begin + 12 * step], ["ArrowDown", begin + step, begin + 11 * step], ["ArrowUp", begin, begin + 12 * step]]) {
			await page.keyboard.press(key);
			await drawn(page);
			assert.equal(await partText(page), wordsOf(from, to), key);
		}
		await comparePart(page, await partOf(page));
		await page.keyboard.press("Escape");
		await drawn(page);
		assert.equal(await partText(page), "The whole run");
		assert.equal((await numbers(page)).length, reports.usual.entries.length);
		await page.keyboard.press("ArrowLeft");
		await drawn(page);
		assert.equal(await partText(page), wordsOf(end - 10 * step, end));
		await close(page);
	};

	claims["the address has the part beside the row, and brings both back"] = async () => {
		const page = await visit("usual"), data = await timelineData(page), { bars, entries } = data;
		const loss = bars.kind.findIndex((kind, k) => entries.kind.some((one, i) =>
			one === kind && entries.row[i] === 2 && entries.first[i] <= endOf(bars, k) && entries.last[i] >= endOf(bars, k)));
		const part = [endOf(bars, loss) - 10, endOf(bars, loss) + 10];
		await page.goto(`${page.url()}#row=2&from=${part[0] / 1e9}&to=${part[1] / 1e9}`);
		for (let i = 0; i < 2; i++) {
			await page.waitForFunction((words) => document.querySelector("#run-strip")?.getAttribute("aria-valuetext") === words, wordsOf(...part));
			await page.waitForFunction(() => /^#row=2&from=.*&to=/.test(location.hash));
			assert.deepEqual(await partOf(page), part);
			await comparePart(page, part);
			assert.equal(await page.$eval(".ranked:nth-child(2)", (one) => !one.hidden && one.getBoundingClientRect().top < innerHeight && one.getBoundingClientRect().bottom > 0), true);
			await page.reload();
		}
		await page.click("nav a[href='#entries']");
		await page.waitForFunction(() => /^#entries&from=.*&to=/.test(location.hash));
		await page.goto(`${page.url().split("#")[0]}#from=x&to=2`);
		assert.equal(await partText(page), wordsOf(...part), "what is no part leaves the part as it is");
		await close(page);
	};

	// How long that takes is measured by bench/page.sh.
	claims["with 200,000 events the frame after a move of the mouse shows the part, and lines of entries that stay are not made anew"] = async () => {
		const { events } = reports.usual.timeline;
		writeFileSync(join(folder, "large.html"), enlarged(readFileSync(join(folder, "usual.html"), "utf8"), Math.ceil(200000 / events)));
		const page = await visit("large"), { x, y, width, height } = await page.locator("#run-strip").boundingBox();
		await page.mouse.move(x + 0.2 * width, y + height / 2);
		await page.mouse.down();
		await page.mouse.move(x + 0.3 * width, y + height / 2);
		await drawn(page);
		const lines = await page.$$eval(".entry", (all) => {
			globalThis.lines = new Map(all.map((one) => [one.dataset.number, one]));
			return all.length;
		});
		assert.ok(lines > 0);
		for (let i = 0; i < 10; i++) {
			const before = await partText(page);
			await page.evaluate(() => {
				globalThis.shown = new Promise((done) => addEventListener("pointermove", () => requestAnimationFrame(() => setTimeout(() =>
					done(document.querySelector("#run-strip").getAttribute("aria-valuetext")))), { capture: true, once: true }));
			});
			await page.mouse.move(x + (0.35 + i / 20) * width, y + height / 2);
			assert.notEqual(await page.evaluate(() => globalThis.shown), before);
			const kept = await page.$$eval(".entry", (all) => all.filter((one) => globalThis.lines.has(one.dataset.number))
				.map((one) => globalThis.lines.get(one.dataset.number) === one));
			assert.ok(kept.length > 0 && kept.every(Boolean));
		}
		await page.mouse.up();
		await close(page);
	};

	claims["without a timeline there is no strip"] = async () => {
		for (const name of ["sampled", "nothing", "blocked", "processes"]) {
			const page = await visit(name);
			assert.equal(await page.$("#run"), null, name);
			await close(page);
		}
	};

	return claims;
}
