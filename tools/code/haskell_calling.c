/* SPDX-License-Identifier: MIT
 * The lines of calls by the notes that GHC has written for each block of a function. */
#include "haskell_calling.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"

/* ---- the expression around an argument ---- */

/* An expression that lies in another one was passed to it, and the smallest one around is that of the call. What a
 * `let` has defined has no expression around it but the function, which tells nothing. */

const struct haskell_scope *haskell_calling_scope(
	const struct haskell_calling *calling, const struct haskell_block *block)
{
	return &calling->unit->scopes[block->scope];
}

const struct haskell_scope *haskell_calling_around(
	const struct haskell_calling *calling, const struct haskell_scope *scope)
{
	return scope->around != HASKELL_NONE ? &calling->unit->scopes[scope->around] : NULL;
}

/* Whether the note is that of a whole function: one that has code begins there. */
static bool is_function(const struct haskell_unit *unit, const struct haskell_note *note)
{
	for (size_t i = 0; i < unit->start_count; i++) {
		const struct haskell_function *function = &unit->functions[unit->starts[i]];
		if (function->source.line == note->line && function->source.column == note->column &&
			haskell_unit_around(unit, unit->starts[i]) == HASKELL_NONE)
			return true;
	}
	return false;
}

/* The smallest note of the block around the source of what is passed, which begins before it: the expression in which
 * it is an argument. NULL: there is none but that of a function. */
static const struct haskell_note *expression_around(
	const struct haskell_calling *calling, const struct haskell_block *block, const struct haskell_note *source)
{
	const struct haskell_note *found = NULL;
	for (const struct haskell_scope *scope = haskell_calling_scope(calling, block); scope != NULL;
		scope = haskell_calling_around(calling, scope))
		for (size_t i = 0; i < scope->notes; i++) {
			const struct haskell_note *note = &calling->unit->notes[scope->first_note + i];
			bool is_around = haskell_is_before(note, source) &&
					 haskell_has(note, source->line, source->column) &&
					 haskell_same_file(note->file, source->file);
			if (is_around && (found == NULL || haskell_is_within(note, found)))
				found = note;
		}
	return found == NULL || is_function(calling->unit, found) ? NULL : found;
}

/* ---- the line of a call by what it passes ---- */

struct haskell_lines haskell_lines_joined(struct haskell_lines one, struct haskell_lines other)
{
	if (one.first == 0 || other.first == 0)
		return one.first == 0 ? other : one;
	return (struct haskell_lines){
		one.first < other.first ? one.first : other.first, one.last > other.last ? one.last : other.last};
}

const struct haskell_note *haskell_calling_source(const struct haskell_unit *unit, uint64_t code)
{
	const struct haskell_range *range = haskell_unit_range(unit, code);
	const struct haskell_note *source =
		range != NULL ? &unit->functions[unit->scopes[range->scope].function].source : NULL;
	return source != NULL && source->file != NULL ? source : NULL;
}

/* An argument that ends with the whole expression is its last one: the call begins before it. */
static struct haskell_lines lines_of_expression(
	const struct haskell_note *expression, const struct haskell_note *argument)
{
	bool is_last = argument->end_line == expression->end_line && argument->end_column == expression->end_column;
	return (struct haskell_lines){expression->line, is_last ? argument->line : expression->end_line};
}

struct haskell_lines haskell_calling_lines(const struct haskell_calling *calling, const struct haskell_block *block)
{
	struct haskell_lines lines = {0, 0};
	for (size_t i = 0; i < block->closure_count; i++) {
		const struct haskell_closure *closure = &block->closures[i];
		const struct haskell_note *source =
			closure->registers != 0 ? haskell_calling_source(calling->unit, closure->code) : NULL;
		const struct haskell_note *expression =
			source != NULL ? expression_around(calling, block, source) : NULL;
		if (expression != NULL)
			lines = haskell_lines_joined(lines, lines_of_expression(expression, source));
	}
	return lines;
}

/* Without notes, GHC 9.6 gives the line of the function around to all that is in it. */
static bool has_end(const struct haskell_note *source)
{
	return source != NULL && source->end_line != 0;
}

struct haskell_lines haskell_calling_lines_before(
	const struct haskell_calling *calling, const struct haskell_block *block)
{
	const struct haskell_note *next = haskell_calling_source(calling->unit, calling->next);
	struct haskell_lines lines = {0, 0};
	for (size_t i = 0; i < block->closure_count; i++) {
		const struct haskell_closure *closure = &block->closures[i];
		bool is_other = closure->registers != 0 && closure->code != calling->next;
		const struct haskell_note *source =
			is_other ? haskell_calling_source(calling->unit, closure->code) : NULL;
		if (has_end(source) && haskell_same_file(source->file, calling->file))
			lines = haskell_lines_joined(lines, (struct haskell_lines){source->line, source->end_line});
	}
	if (lines.first == 0 && has_end(next) && calling->source.first != 0 && next->line >= calling->source.first)
		lines = (struct haskell_lines){calling->source.first, next->line};
	return lines;
}

/* ---- the line of a call by the order of the statements ---- */

/* GHC's notes of a block are those of all code that runs straight through it, so they tell no more than the statements
 * that it may be one of. */

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

/* ---- the function that calls, of those that were made into one ---- */

/* The notes of a function that was inlined lie in its own source, and not in that of the caller. */

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
