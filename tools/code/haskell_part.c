/* SPDX-License-Identifier: MIT
 * The notes of a function that was inlined lie in its own source, and not in that of the caller. */
#include "haskell_calling.h"

/* A part of the source that the function's code was made from, and which is in no larger one: its own, and that of each
 * function that was inlined. */
struct part {
	const struct haskell_note *note;
	bool has_statements; /* there are notes within it, or arguments of calls */
};

enum { PARTS_MAX = 64 };

struct parts {
	struct part at[PARTS_MAX];
	size_t len;
};

static bool is_strictly_within(const struct haskell_note *note, const struct haskell_note *part)
{
	return haskell_is_within(note, part) && !haskell_is_within(part, note) &&
	       haskell_same_file(note->file, part->file);
}

static void add_part(struct parts *parts, const struct haskell_note *note)
{
	for (size_t i = 0; i < parts->len; i++) {
		struct part *part = &parts->at[i];
		if (haskell_is_within(note, part->note) && haskell_same_file(note->file, part->note->file)) {
			part->has_statements |= is_strictly_within(note, part->note);
			return;
		}
		if (is_strictly_within(part->note, note)) {
			*part = (struct part){note, true};
			return;
		}
	}
	if (parts->len < PARTS_MAX)
		parts->at[parts->len++] = (struct part){note, false};
}

static void add_arguments(const struct haskell_calling *calling, struct parts *parts)
{
	for (size_t i = 0; i < calling->blocks.len; i++)
		for (size_t k = 0; k < calling->blocks.at[i].closure_count; k++) {
			const struct haskell_note *source =
				haskell_calling_source(calling->unit, calling->blocks.at[i].closures[k].code);
			for (size_t n = 0; source != NULL && n < parts->len; n++)
				parts->at[n].has_statements |= is_strictly_within(source, parts->at[n].note);
		}
}

const struct haskell_note *haskell_part_find(const struct haskell_calling *calling, uint32_t function)
{
	/* An inlined function's notes are behind those of the function that calls it. */
	struct parts parts = {.len = 0};
	for (size_t i = 0; i < calling->unit->scope_count; i++) {
		const struct haskell_scope *scope = &calling->unit->scopes[i];
		for (size_t k = 0; k < scope->notes && scope->function == function; k++)
			add_part(&parts, &calling->unit->notes[scope->first_note + k]);
	}
	add_arguments(calling, &parts);
	for (size_t i = 0; i < parts.len; i++)
		if (parts.at[i].has_statements)
			return parts.at[i].note;
	return parts.len > 0 ? parts.at[0].note : NULL;
}
