// SPDX-License-Identifier: MIT
// Opens a page some times, turns the wheel over its timeline, uses its entries, chooses parts of the run, and prints how
// long all took.
// usage: BROWSER=PATH MODULES=FOLDER node page.mjs PAGE ROUNDS
import { statSync } from "node:fs";

import { launch, open } from "../../tests/page/browser.mjs";

const [, , path, rounds] = process.argv;
let size;
const times = { opened: [], redraw: [], frame: [], sort: [], filter: [], open: [], part: [] };

/** From the next event of this type until the frame that shows what came of it, by the page's clock. */
function watch(page, type) {
	return page.evaluate((name) => {
		globalThis.shown = new Promise((done) => addEventListener(name, () => {
			const began = performance.now();
			requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
		}, { capture: true, once: true }));
	}, type);
}

async function timed(page, name, type, act) {
	await watch(page, type);
	await act();
	times[name].push(await page.evaluate(() => globalThis.shown));
}

async function zoom(page) {
	const canvas = page.locator("#timeline-canvas");
	await canvas.scrollIntoViewIfNeeded();
	const { x, y, width, height } = await canvas.boundingBox();
	await page.mouse.move(x + width * 0.4, y + height / 2);
	await page.evaluate(() => performance.clearMeasures());
	await page.keyboard.down("Control");
	for (const turn of [...Array(15).fill(-120), ...Array(15).fill(120)])
		await timed(page, "frame", "wheel", () => page.mouse.wheel(0, turn));
	await page.keyboard.up("Control");
	times.redraw.push(...await page.evaluate(() => performance.getEntriesByName("stmlog:redraw").map((one) => one.duration)));
}

/** Draws over the strip of the run. */
async function choose(page) {
	const strip = page.locator("#run-strip");
	await strip.scrollIntoViewIfNeeded();
	const { x, y, width, height } = await strip.boundingBox(), at = (part) => [x + part * width, y + height / 2];
	await page.mouse.move(...at(0.2));
	await page.mouse.down();
	for (let i = 1; i <= 15; i++) await timed(page, "part", "pointermove", () => page.mouse.move(...at(0.2 + i / 25)));
	await page.mouse.up();
}

async function round(browser) {
	const page = await open(browser, path);
	times.opened.push(await page.evaluate(() => performance.getEntriesByName("stmlog:ready")[0].startTime));
	size = await page.evaluate(() => ["timeline", "report"].map((id) => JSON.parse(document.getElementById(`data-${id}`).textContent)))
		.then(([{ events }, { entries }]) => `${events} events, ${entries.length} entries`);
	await zoom(page);
	await timed(page, "sort", "click", () => page.click("[data-sort=longest]"));
	await timed(page, "filter", "input", () => page.fill("#entries-filter", "kind_1"));
	await timed(page, "open", "click", () => page.click(".opener >> nth=0"));
	await page.fill("#entries-filter", "");
	await choose(page);
	await page.context().close();
	return page.faults;
}

const browser = await launch();
const faults = [];
for (let i = 0; i < Number(rounds); i++) faults.push(...await round(browser));
await browser.close();
console.log(`a page of ${(statSync(path).size / 1e6).toFixed(1)} MB, ${size}, opened ${rounds} times`);
console.log("            median    90 %    most  times");
for (const [name, all] of Object.entries(times)) {
	all.sort((a, b) => a - b);
	const at = (part) => all[Math.min(all.length - 1, Math.floor(part * all.length))].toFixed(1).padStart(7);
	console.log(`  ${name.padEnd(8)} ${at(0.5)} ${at(0.9)} ${at(1)} ${String(all.length).padStart(6)}`);
}
if (faults.length > 0) {
	console.log([...new Set(faults)].join("\n"));
	process.exitCode = 1;
}
