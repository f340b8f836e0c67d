// SPDX-License-Identifier: MIT
// A headless browser for the tests of the page, and what all of them ask of a page.
// usage: import from a script that runs with BROWSER, the browser's path, and MODULES, a folder of packages.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { resolve } from "node:path";

export const packages = createRequire(resolve(process.env.MODULES, "any.js"));

/** The packaged Chromium as root, in containers too: no sandbox, and no shared memory in /dev/shm. */
export function launch() {
	return packages("playwright-core").chromium.launch({
		executablePath: process.env.BROWSER,
		args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
	});
}

/** A page with all that must not happen in it: messages, errors, dialogs, and requests beside the one for the file. */
export async function open(browser, path, { width = 1280, height = 900, scheme = "light", scripts = true } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: scripts });
	const page = await context.newPage();
	const url = `file://${resolve(path)}`;
	page.faults = [];
	page.on("console", (message) => page.faults.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
	page.on("dialog", (dialog) => { page.faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
	page.on("request", (request) => request.url().split("#")[0] === url || page.faults.push(`request: ${request.url()}`));
	page.on("websocket", (socket) => page.faults.push(`connection: ${socket.url()}`));
	await page.goto(url);
	if (scripts) await page.waitForFunction(() => performance.getEntriesByName("stmlog:ready").length > 0);
	return page;
}

/** Ends the page, in which nothing of that has happened. */
export async function close(page) {
	assert.deepEqual(page.faults, []);
	await page.context().close();
}
