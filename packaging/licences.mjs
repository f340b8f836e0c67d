// SPDX-License-Identifier: MIT
// Prints paragraphs for debian/copyright: the licences of the libraries that `make page` has fetched into FOLDER, without
// those that only the build needs.
// usage: node licences.mjs FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
for (const [path, { optional, license, version }] of Object.entries(packages)) {
	if (path === "" || optional) continue;
	const file = readdirSync(join(folder, path)).find((name) => /^licen[cs]e/i.test(name));
	const lines = readFileSync(join(folder, path, file), "utf8").trim().split(/\r?\n/);
	const holders = lines.filter((line) => /^Copyright /.test(line)).map((line) => line.replace(/^Copyright /, ""));
	// Each has its own name, since two texts of one kind may differ.
	const name = `${license}-${path.replace(/^.*node_modules\//, "")}-${version}`;
	const text = lines.filter((line) => !/^Copyright /.test(line)).map((line) => ` ${line || "."}`);
	console.log(`\nFiles: ${join("build/page", path)}/*\nCopyright: ${holders.join("\n  ")}\nLicense: ${name}\n${text.join("\n")}`);
}
