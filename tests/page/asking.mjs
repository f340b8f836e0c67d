// SPDX-License-Identifier: MIT
// What the tests of the page ask of it, and how they use it.
import assert from "node:assert/strict";

export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
export const numbers = (page) => page.$$eval("tr.entry", (all) => all.map((one) => Number(one.dataset.number)));
export const said = (page) => page.textContent("#timeline-said");
/** The pixels of the timeline. */
export const pixels = (page) => page.$eval("#timeline-canvas", (canvas) => canvas.toDataURL());
/** Two frames later what was asked of the page is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** A point at which the first element of the selector is not below another one. */
export async function uncovered(page, selector) {
	await page.locator(selector).first().scrollIntoViewIfNeeded();
	return page.$eval(selector, (element) => {
		const { left, top, width, height } = element.getBoundingClientRect();
		for (let i = 1; i < 400; i++) {
			const at = [left + width * ((i % 20) / 20), top + height * (Math.floor(i / 20) / 20)];
			if (document.elementFromPoint(...at) === element) return at;
		}
		throw new Error("all of it is covered");
	});
}

/** Presses Tab until the element of the selector has the focus. */
export async function tabTo(page, selector, key = "Tab") {
	for (let i = 0; i < 400; i++) {
		if (await page.evaluate((one) => document.activeElement.matches(one), selector)) return;
		await page.keyboard.press(key);
	}
	assert.fail(`the keyboard does not reach ${selector}`);
}
