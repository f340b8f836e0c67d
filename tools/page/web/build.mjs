// SPDX-License-Identifier: MIT
// Bundles the page's program into FOLDER/page.html, with the libraries of FOLDER/node_modules. All is inlined; the
// policy in the page lets nothing run but this script, and nothing be fetched.
// usage: node build.mjs FOLDER
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2]);
const modules = join(folder, "node_modules");
const { buildSync } = createRequire(join(modules, "any.js"))("esbuild");

function bundle(entry) {
	return buildSync({
		entryPoints: [join(here, entry)],
		bundle: true,
		minify: true,
		write: false,
		metafile: true,
		nodePaths: [modules],
		charset: "ascii",
		format: "iife",
		target: ["chrome110", "firefox110", "safari16"],
		logLevel: "warning",
		outdir: folder,
	});
}

/** The names of the packages that the bundle has in it. */
function packages(metafile) {
	const names = Object.keys(metafile.inputs)
		.map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
		.filter(Boolean);
	return [...new Set(names)].sort();
}

/** The licences of the packages ask for their text in each copy. */
function licences(names) {
	return names.map((name) => {
		const file = readdirSync(join(modules, name)).find((path) => /^licen[cs]e/i.test(path));
		const { version } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
		if (!file) throw new Error(`${name}: no licence`);
		return `${name} ${version}\n\n${readFileSync(join(modules, name, file), "utf8").trim()}\n`;
	}).join("\n\n");
}

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const sum = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = bundle("main.js");
const code = script.outputFiles[0].text.trim();
const style = bundle("style.css").outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(code)) throw new Error("the bundle would end its element");
const parts = {
	policy: `default-src 'none'; script-src ${sum(code)}; style-src ${sum(style)}; base-uri 'none'; form-action 'none'`,
	style,
	licences: escaped(licences(packages(script.metafile))),
	script: code,
};
const page = readFileSync(join(here, "index.html"), "utf8")
	.replace(/<!--build:(\w+)-->/g, (mark, name) => parts[name] ?? mark)
	.replace("build:policy", parts.policy);
if (!page.includes("<!--stmlog:data-->") || !existsSync(modules)) throw new Error("no place for the data");
writeFileSync(join(folder, "page.html"), page);
