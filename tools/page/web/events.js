// SPDX-License-Identifier: MIT
// What one section asks of another.

/** Shows the entries that a filter leaves: { objects }, { anywhere }, { local, remote }, with a `label` for people. */
export function showEntries(filter) {
	document.dispatchEvent(new CustomEvent("stmlog:entries", { detail: filter }));
}

export function onShowEntries(listener) {
	document.addEventListener("stmlog:entries", (event) => listener(event.detail));
}

/** Shows what was lost in a part of the run, as lostIn() returns it; null: in all of it. */
export function showPart(part) {
	document.dispatchEvent(new CustomEvent("stmlog:part", { detail: part }));
}

export function onShowPart(listener) {
	document.addEventListener("stmlog:part", (event) => listener(event.detail));
}
