/* SPDX-License-Identifier: MIT
 * GHC's notes of a block are those of all code that runs straight through it, so they tell no more than the statements
 * that it may be one of. */
#include "haskell_calling.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"

static bool is_in_source(const struct haskell_calling *calling, const struct haskell_note *note)
{
	return haskell_same_file(note->file, calling->file) && note->line >= calling->source.first &&
	       note->end_line <= calling->source.last;
}

/* Whether the block's notes are in the order of the source. In a function that was inlined from elsewhere, as from a
 * `where`, the order of calls is not that of lines. */
static bool is_in_order(const struct haskell_calling *calling, const struct haskell_block *block)
{
	const struct haskell_note *behind = NULL;
	for (const struct haskell_scope *scope = haskell_calling_scope(calling, block); scope != NULL;
		scope = haskell_calling_around(calling, scope))
		for (size_t i = scope->notes; i-- > 0;) {
			const struct haskell_note *note = &calling->unit->notes[scope->first_note + i];
			if (!is_in_source(calling, note))
				continue;
			if (behind != NULL && haskell_is_before(behind, note))
				return false;
			behind = note;
		}
	return true;
}

/* The lines of a call by what it passes, if they say something about the calls before and behind it. */
static struct haskell_lines lines_for_others(const struct haskell_calling *calling, size_t block)
{
	struct haskell_lines lines = haskell_calling_lines(calling, &calling->blocks.at[block]);
	bool is_sure = lines.first >= calling->source.first && lines.last <= calling->source.last &&
		       is_in_order(calling, &calling->blocks.at[block]);
	return is_sure ? lines : (struct haskell_lines){0, 0};
}

/* The lines of the notes in the source that a scope has, or only of the last one. */
static struct haskell_lines lines_of_scope(
	const struct haskell_calling *calling, const struct haskell_scope *scope, bool is_last)
{
	struct haskell_lines lines = {0, 0};
	for (size_t i = 0; i < scope->notes; i++) {
		const struct haskell_note *note = &calling->unit->notes[scope->first_note + i];
		if (!is_in_source(calling, note))
			continue;
		struct haskell_lines more = {note->line, note->end_line};
		lines = is_last ? more : haskell_lines_joined(lines, more);
	}
	return lines;
}

/* Whether the scope has only notes that the scope around has, too: a heap check divides the code of a statement. */
static bool is_repeated(const struct haskell_calling *calling, const struct haskell_scope *scope)
{
	const struct haskell_scope *outer = haskell_calling_around(calling, scope);
	for (size_t i = 0; i < scope->notes && outer != NULL; i++) {
		const struct haskell_note *note = &calling->unit->notes[scope->first_note + i];
		bool is_there = false;
		for (size_t k = 0; k < outer->notes; k++) {
			const struct haskell_note *other = &calling->unit->notes[outer->first_note + k];
			is_there |= haskell_is_within(note, other) && haskell_is_within(other, note);
		}
		if (!is_there)
			return false;
	}
	return outer != NULL;
}

/* A scope is the code behind a case distinction. It has the notes of the statements that begin there. The one before
 * may not have ended yet: it is the last one of the scopes around. */
static struct haskell_lines lines_of_scopes(const struct haskell_calling *calling, const struct haskell_block *block)
{
	const struct haskell_scope *scope = haskell_calling_scope(calling, block);
	struct haskell_lines lines = {0, 0}, before = {0, 0};
	for (; scope != NULL && lines.first == 0; scope = haskell_calling_around(calling, scope))
		if (!is_repeated(calling, scope))
			lines = lines_of_scope(calling, scope, false);
	for (; scope != NULL && before.first == 0; scope = haskell_calling_around(calling, scope))
		before = lines_of_scope(calling, scope, true);
	if (before.first != 0 && before.first < lines.first)
		lines.first = before.first;
	return lines.first != 0 ? lines : calling->source;
}

struct haskell_lines haskell_order_lines(const struct haskell_calling *calling, size_t block)
{
	REQUIRES(block < calling->blocks.len);
	const struct haskell_blocks *blocks = &calling->blocks;
	struct haskell_lines lines = lines_of_scopes(calling, &blocks->at[block]), all = lines;
	if (blocks->len > HASKELL_BLOCKS_MAX || !is_in_order(calling, &blocks->at[block]))
		return lines;
	bool *behind = memory_zeroed(blocks->len, sizeof *behind);
	haskell_blocks_reach(blocks, block, behind);
	for (size_t i = 0; i < blocks->len && !behind[block]; i++) {
		struct haskell_lines other = lines_for_others(calling, i);
		if (i == block || other.first == 0)
			continue;
		bool *reached = memory_zeroed(blocks->len, sizeof *reached);
		haskell_blocks_reach(blocks, i, reached);
		if (behind[i] && !reached[block] && other.last < lines.last)
			lines.last = other.last;
		else if (!behind[i] && reached[block] && other.first > lines.first)
			lines.first = other.first;
		free(reached);
	}
	free(behind);
	return lines.first <= lines.last ? lines : all;
}
