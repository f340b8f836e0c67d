// SPDX-License-Identifier: MIT
// The figures of a page, read back from its elements, and those of `report --json` of the same file.
import assert from "node:assert/strict";

/** The number in a text such as "28.0 ms", in ns. */
function nsOf(text) {
	const [, number, unit] = text.match(/^([\d.]+) (ns|\u00b5s|ms|s)$/) ?? [];
	assert.ok(number, `'${text}' is no time`);
	return Number(number) * { ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9 }[unit];
}

/** The text says the number that the element has, as far as its digits go. */
function sayTheSame({ field, value, text }) {
	if (!field.endsWith("_ns")) {
		assert.equal(Number(text.replace(/,/g, "")), value, field);
		return;
	}
	// The lower end of an interval leaves its unit to the upper one.
	if (/^[\d.]+$/.test(text)) return;
	const ns = nsOf(text), unit = ns >= 1e9 ? 1e7 : ns >= 1e6 ? 1e5 : ns >= 1e3 ? 1e2 : 1;
	assert.ok(Math.abs(ns - value) <= unit * 0.5001, `${field}: '${text}' is said for ${value}`);
}

/** The figures below each element of this selector: an object for each, from the name of a field to its number. */
async function read(page, selector) {
	const rows = await page.$$eval(selector, (owners) => owners.map((owner) => [...owner.querySelectorAll("[data-field]")]
		.map((one) => ({ field: one.dataset.field, value: Number(one.value), text: one.textContent }))));
	rows.flat().forEach(sayTheSame);
	return rows.map((row) => Object.fromEntries(row.map(({ field, value }) => [field, value])));
}

/** The rows found have these figures of the rows expected; an interval only if it is shown. */
function compare(what, found, expected, fields) {
	assert.equal(found.length, expected.length, what);
	found.forEach((row, i) => {
		for (const field of fields) {
			const isShown = !/_(low|high)_ns$/.test(field) || row[field] !== undefined;
			if (isShown) assert.equal(row[field], expected[i][field], `${what} ${i + 1}: ${field}`);
		}
		const { lost_low_ns: low, lost_high_ns: high, too_few: few } = expected[i];
		if (low !== high && !few && fields.includes("lost_low_ns")) assert.equal(row.lost_low_ns, low, `${what} ${i + 1}: its interval`);
	});
}

const LOST = ["lost_ns", "lost_low_ns", "lost_high_ns"];

function accountOf(totals) {
	const names = ["committed", "aborted", "paused", "waiting", "blocked", "descheduled", "other", "outside", "open"];
	const known = (name) => name !== "descheduled" || totals.descheduled_known;
	return Object.fromEntries([...names.filter((name) => totals[`${name}_ns`] > 0 && known(name)), "attached"].map((name) =>
		[`${name}_ns`, totals[`${name}_ns`]]));
}

async function compareAccount(page, report) {
	const rows = await read(page, "table.account");
	if (report.totals.attached_ns === 0) return assert.equal(rows.length, 0);
	const found = Object.fromEntries(Object.entries(rows[0]).filter(([field]) => !/_(low|high)_ns$/.test(field)));
	assert.deepEqual(found, accountOf(report.totals), "account");
}

/** The figures that an opened entry shows, those that are 0 left out. */
function detailsOf(entry) {
	const figures = { wasted: entry.wasted.count };
	for (const field of ["count", "measured_ns", "shortest_ns", "longest_ns", "lost_ns", "false_conflicts", "false_aliases",
		"descheduled_ns"]) figures[field] = entry[field];
	const isMust = (field) => ["count", "measured_ns", "shortest_ns", "longest_ns", "lost_ns"].includes(field);
	return Object.fromEntries(Object.entries(figures).filter(([field, figure]) => figure > 0 || isMust(field)));
}

async function compareDetails(page, report) {
	await page.$$eval(".opener", (all) => all.forEach((one) => one.click()));
	const rows = await read(page, "tr.detail");
	const found = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !/^lost_(low|high)_ns$/.test(field))));
	assert.deepEqual(found, report.entries.map(detailsOf));
}

/** What was lost in all is in the matrix, in the graph and in the flame graph of either side. */
async function compareSums(page, report) {
	const sum = (rows) => rows.reduce((ns, row) => ns + row.lost_ns, 0);
	const cells = await page.$$eval("#pairs-matrix [data-lost]", (all) => all.map((one) => Number(one.dataset.lost)));
	assert.equal(cells.reduce((ns, cell) => ns + cell, 0), sum(report.pairs), "matrix");
	for (const side of ["remote", "local"]) {
		await page.click(`#flame [data-value=${side}]`);
		const root = await page.$eval(".flame.depth0", (one) => Number(one.dataset.lost));
		assert.equal(root, sum(report.entries), `flame graph of ${side}`);
	}
}

/** All figures of the page are those of the report. */
export async function compareFigures(page, report) {
	while (await page.$(".more button:last-child")) await page.click(".more button:last-child");
	compare("entry", await read(page, "tr.entry"), report.entries, [...LOST, "count", "longest_ns"]);
	await compareDetails(page, report);
	compare("row", await read(page, ".ranked"), report.rows, LOST);
	const objects = report.objects.filter((object) => object.lost_ns > 0).slice(0, 30);
	if (await page.$("#objects")) compare("object", await read(page, "#objects tbody tr"), objects, [...LOST, "count"]);
	const sites = report.transactions.filter((site) => site.commits > 0).slice(0, 12);
	compare("place", await read(page, ".distributions tbody tr"),
		sites.map(({ commits, attempts, lost }) => ({ commits, most: attempts.most, longest_ns: lost.longest_ns })),
		["commits", "most", "longest_ns"]);
	const processes = report.processes.length > 1 ? [...report.processes].sort((a, b) => b.lost_ns - a.lost_ns) : [];
	compare("process", await read(page, ".processes tbody tr"), processes, ["threads", "commits", "aborts", "lost_ns"]);
	compare("blocked place", await read(page, ".blocked-sites tbody tr"), report.blocked.slice(0, 100),
		["blocked_ns", "count", "in_vain", "longest_ns"]);
	await compareAccount(page, report);
	if (report.pairs.length > 0) await compareSums(page, report);
	const losses = await page.$$eval("[data-loss]", (all) => all.map((one) => [one.dataset.loss, Number(one.querySelector("data").value)]));
	assert.deepEqual(Object.fromEntries(losses), Object.fromEntries(Object.entries(report.losses).filter(([, number]) => number > 0)), "losses");
}
