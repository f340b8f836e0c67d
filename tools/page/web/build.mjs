// SPDX-License-Identifier: MIT
// Bundles the page's program into FOLDER/page.html, with the libraries of FOLDER/node_modules. All is inlined; the
// policy in the page lets nothing run but this script, and nothing be fetched.
// usage: node build.mjs FOLDER
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2]);
const modules = join(folder, "node_modules");

/* Of esbuild only the program is fetched, for the processors that stmlog is for. */
execFileSync(join(modules, `@esbuild/linux-${process.arch}/bin/esbuild`), [
	join(here, "main.js"),
	join(here, "style.css"),
	"--bundle",
	"--minify",
	`--metafile=${join(folder, "bundle.json")}`,
	"--charset=ascii",
	"--format=iife",
	"--target=chrome110,firefox110,safari16",
	"--log-level=warning",
	`--outdir=${folder}`,
], { env: { ...process.env, NODE_PATH: modules }, stdio: "inherit" });

const bundled = (name) => readFileSync(join(folder, name), "utf8").trim();

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

const code = bundled("main.js");
const style = bundled("style.css");
if (/<\/script|<!--/i.test(code)) throw new Error("the bundle would end its element");
const parts = {
	policy: `default-src 'none'; script-src ${sum(code)}; style-src ${sum(style)}; base-uri 'none'; form-action 'none'`,
	style,
	licences: escaped(licences(packages(JSON.parse(bundled("bundle.json"))))),
	script: code,
};
const page = readFileSync(join(here, "index.html"), "utf8")
	.replace(/<!--build:(\w+)-->/g, (mark, name) => parts[name] ?? mark)
	.replace("build:policy", parts.policy);
if (!page.includes("<!--stmlog:data-->") || !existsSync(modules)) throw new Error("no place for the data");
writeFileSync(join(folder, "page.html"), page);
