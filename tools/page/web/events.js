// SPDX-License-Identifier: MIT
// What one section asks of another.

/** Shows the entries that a filter leaves: { objects }, { anywhere }, { local, remote }, with a `label` for people. */
export function showEntries(filter) {
	document.dispatchEvent(new CustomEvent("stmlog:entries", { detail: filter }));
}

export function onShowEntries(listener) {
	document.addEventListener("stmlog:entries", (event) => listener(event.detail));
}
