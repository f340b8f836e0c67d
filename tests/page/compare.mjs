// SPDX-License-Identifier: MIT
// Claims on the page of a comparison, `stmlog diff --html`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { tabTo, texts } from "./asking.mjs";
import { close, packages } from "./browser.mjs";

// `several` has four runs a side, of which the new ones lose more; `single` one a side; `names` one a side whose names are
// of all kinds.
const NAMES = ["several", "single", "names"], SIDES = ["old", "new"];

/** The claims, from their words to the functions that check them. */
export function compareClaims({ folder, visit }) {
	const diffs = Object.fromEntries(NAMES.map((name) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"))]));
	const claims = {};

	claims["of a comparison the verdict comes first, in the words of the text"] = async () => {
		const page = await visit("several"), { regressions } = diffs.several;
		assert.equal(await page.textContent("h1"), `${regressions} regression${regressions === 1 ? "" : "s"}`);
		const text = readFileSync(join(folder, "several.txt"), "utf8").replace(/\n {4,}/g, " ");
		const lines = await texts(page, ".verdict p");
		for (const line of lines) assert.ok(text.includes(line), `'${line}' is not in the text`);
		assert.match(lines[0], /^total: .* lost per commit, .*, p .*: WORSE(, new)?$/);
		assert.match(lines[1], /^throughput: /);
		assert.equal(lines.filter((line) => line.startsWith("regression: total: ")).length, 1);
		await close(page);
		const single = await visit("single");
		assert.equal(await single.textContent("h1"), "Not decided");
		assert.match((await texts(single, ".verdict p")).at(-1), /^cannot decide: fewer than 4 runs/);
		await close(single);
	};

	claims["each run is a dot of its side, at its value, and has the name of its file"] = async () => {
		for (const name of NAMES) {
			const page = await visit(name), diff = diffs[name];
			const plots = [diff.throughput, diff.total].filter(Boolean);
			assert.equal(await page.locator(".dots").count(), plots.length);
			for (const [i, row] of plots.entries()) {
				const dots = await page.$$eval(".dots", (all, at) =>
					[...all[at].querySelectorAll("circle")].map((one) => ({ side: one.closest("g").getAttribute("class"),
						x: parseFloat(one.getAttribute("cx")), title: one.querySelector("title").textContent })), i);
				for (const side of SIDES) {
					const own = dots.filter((dot) => dot.side === side);
					assert.equal(own.length, diff[side].runs);
					own.forEach((dot, k) => assert.ok(dot.title.startsWith(`${diff[side].files[k]}: `), dot.title));
				}
				const values = SIDES.flatMap((side) => row[side].values), order = [...values.keys()].sort((a, b) => values[a] - values[b]);
				for (let k = 1; k < order.length; k++) assert.ok(dots[order[k]].x >= dots[order[k - 1]].x);
				assert.ok(dots.every(({ x }) => x >= 0 && x <= 100));
			}
			assert.equal(await page.locator(".dots >> nth=0 >> .typical").count(), 2);
			await close(page);
		}
	};

	claims["p and intervals are there with several runs, and not with one run a side"] = async () => {
		const page = await visit("several"), { keys } = diffs.several;
		assert.deepEqual(await texts(page, ".matched >> nth=0 >> thead th"), ["place", "old", "new", "change", "p"]);
		const rows = await page.$$eval(".matched tbody tr", (all) => all.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
		const isWorse = ({ verdict }) => verdict === "worse", sorted = [...keys.filter(isWorse), ...keys.filter((key) => !isWorse(key))];
		assert.deepEqual(rows, sorted.map(({ text }) => [text.old, text.new, text.change + text.verdict, text.p]));
		assert.ok(await page.locator(".dots rect").count() > 0);
		await close(page);
		const single = await visit("single");
		assert.deepEqual(await texts(single, ".matched >> nth=0 >> thead th"), ["place", "old", "new", "change"]);
		assert.equal(await single.locator(".dots rect").count(), 0);
		assert.doesNotMatch(await single.textContent("body > header, main"), /\bp [01]\.\d|confidence/);
		await close(single);
	};

	claims["the first screens of both sides are beside each other where there is room"] = async () => {
		const page = await visit("several");
		const places = () => page.$$eval("#old, #new", (all) => all.map((one) => one.getBoundingClientRect()).map(({ left, top }) => [left, top + scrollY]));
		const [old, fresh] = await places();
		assert.ok(fresh[0] > old[0] && fresh[1] === old[1]);
		assert.ok(await page.locator("#new .ranked").count() > 0);
		await page.setViewportSize({ width: 699, height: 900 });
		const [above, below] = await places();
		assert.ok(below[0] === above[0] && below[1] > above[1]);
		await close(page);
	};

	claims["no comparison is wider than the window, and none of its tables and pictures is cut"] = async () => {
		for (const name of NAMES) {
			for (const width of [1280, 400]) {
				const page = await visit(name, { width });
				const wide = await page.evaluate(() => document.documentElement.scrollWidth);
				assert.ok(wide <= width, `${name} at ${width}: ${wide}`);
				const cut = await page.$$eval(".scroller", (all) => all.map((one) => one.scrollWidth - one.clientWidth));
				assert.ok(cut.every((pixels) => pixels <= 0), `${name} at ${width}: tables are ${cut} pixels too wide`);
				const out = await page.$$eval(".dots text", (all) => all.filter((one) => {
					const { left, right } = one.getBoundingClientRect(), own = one.ownerSVGElement.getBoundingClientRect();
					return left < own.left - 1 || right > own.right + 1;
				}).map((one) => one.textContent));
				assert.deepEqual(out, []);
				await close(page);
			}
		}
	};

	claims["the keyboard reaches the rows of both sides, and paper has light colours and no controls"] = async () => {
		const page = await visit("several", { scheme: "dark" });
		await tabTo(page, "a[href='#new-row=1']");
		await page.keyboard.press("Enter");
		assert.match(page.url(), /#new-row=1$/);
		assert.equal(await page.$eval(":target", (one) => one.closest("section").id), "new");
		await page.emulateMedia({ media: "print" });
		assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
		for (const [selector, isShown] of [["nav", false], [".choice", false], [".verdict", true], [".dots svg >> nth=0", true], ["#old", true]])
			assert.equal(await page.isVisible(selector), isShown, selector);
		await close(page);
	};

	claims["no name of a comparison is markup"] = async () => {
		const page = await visit("names");
		assert.deepEqual(await page.$$eval("script", (all) => all.map((one) => one.id)), ["data-diff", ""]);
		assert.equal(await page.$("img, iframe, object, embed, link, i"), null);
		assert.ok((await page.textContent("#places")).includes("</script><img"));
		await close(page);
	};

	claims["axe-core finds no violation in a comparison"] = async () => {
		const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
		for (const name of NAMES) {
			for (const options of [{}, { scheme: "dark" }, { width: 400 }]) {
				const page = await visit(name, options);
				await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
				await page.evaluate(axe);
				const { violations } = await page.evaluate(() => globalThis.axe.run());
				assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 150)} ${node.any[0]?.message ?? ""}`)), []);
				await close(page);
			}
		}
	};

	return claims;
}
