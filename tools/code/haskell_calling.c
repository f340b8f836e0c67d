/* SPDX-License-Identifier: MIT
 * An expression that lies in another one was passed to it, and the smallest one around is that of the call. What a
 * `let` has defined has no expression around it but the function, which tells nothing. */
#include "haskell_calling.h"

/* ---- notes ---- */

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

/* ---- the line of one call ---- */

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
