/* SPDX-License-Identifier: MIT
 * The line table has one line for all of a do-block. So the line of a call is found by what it passes
 * (haskell_calling.h), by the calls before and behind it (haskell_order.h), and by the words of the source
 * (haskell_match.h). */
#include "haskell_call.h"

#include <string.h>

#include "haskell_match.h"
#include "haskell_order.h"
#include "haskell_part.h"

static void set_lines(struct inlining_frame *frame, struct haskell_lines lines)
{
	frame->line = lines.first;
	frame->last_line = lines.last > lines.first ? lines.last : 0;
}

static bool has_lines(const struct inlining_frame *frame, struct haskell_lines lines)
{
	return lines.first != 0 && frame->first_line != 0 && frame->first_line <= lines.first &&
	       lines.last <= frame->end_line;
}

/* Where the frames of a function are looked up. */
struct lookup {
	struct inlining *inlining;
	Dwfl_Module *module;
	Dwarf_Addr bias; /* the address in the process less the one in the unit */
	struct haskell_calling calling;
};

static size_t frames_at(const struct lookup *lookup, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	return inlining_frames(lookup->inlining, lookup->module, address + lookup->bias, frames);
}

static bool is_in_source(const struct haskell_calling *calling, const struct haskell_note *source)
{
	return haskell_same_file(source->file, calling->file) && source->line >= calling->source.first &&
	       source->line <= calling->source.last;
}

/* The name of the function with the source; `name` if it is not known. Code of its arguments has its name, too. */
static const char *name_of(const struct lookup *lookup, const char *name)
{
	const struct haskell_calling *calling = &lookup->calling;
	for (size_t i = 0; i < calling->unit->function_count; i++) {
		struct haskell_function *function = &calling->unit->functions[i];
		struct inlining_frame frames[INLINING_DEPTH];
		Dwarf_Addr start;
		bool is_whole = function->source_name != NULL && strchr(function->source_name, '.') == NULL;
		if (!is_whole || !is_in_source(calling, &function->source) || dwarf_lowpc(&function->die, &start) != 0)
			continue;
		size_t len = frames_at(lookup, start, frames);
		if (len > 0)
			return frames[len - 1].function;
	}
	return name;
}

/* Sets the source that the function was made from: that of the frame, if there is nothing more exact. */
static void set_source(struct lookup *lookup, uint32_t function, struct inlining_frame *frame)
{
	struct haskell_calling *calling = &lookup->calling;
	const struct haskell_note *part = haskell_part_find(calling, function);
	calling->file = frame->file;
	calling->source = (struct haskell_lines){frame->first_line, frame->end_line};
	if (part == NULL || part->line == frame->first_line)
		return;
	calling->file = part->file;
	calling->source = (struct haskell_lines){part->line, part->end_line};
	frame->function = name_of(lookup, frame->function);
	frame->file = calling->file;
	frame->first_line = calling->source.first;
	frame->end_line = calling->source.last;
}

static struct haskell_lines lines_of_block(const struct haskell_calling *calling, const struct haskell_block *block)
{
	return calling->next != 0 ? haskell_calling_lines_before(calling, block)
				  : haskell_calling_lines(calling, block);
}

/* The frames of the call in a block. Of functions that were inlined it is not known whether the call is in one of them,
 * unless by its own line. */
static size_t frames_of_block(struct lookup *lookup, size_t number, struct inlining_frame frames[INLINING_DEPTH])
{
	struct haskell_calling *calling = &lookup->calling;
	const struct haskell_block *block = &calling->blocks.at[number];
	size_t len = frames_at(lookup, block->start, frames), inner = 0;
	if (len == 0 || frames[len - 1].file == NULL)
		return 0;
	struct inlining_frame *outermost = &frames[len - 1];
	set_source(lookup, calling->unit->scopes[block->scope].function, outermost);
	struct haskell_lines own = lines_of_block(calling, block);
	while (inner < len - 1 && !has_lines(&frames[inner], own))
		inner++;
	bool is_own = inner == len - 1 && has_lines(outermost, own);
	set_lines(
		outermost, haskell_match_narrow(calling, number, is_own ? own : haskell_order_lines(calling, number)));
	if (inner < len - 1)
		set_lines(&frames[inner], own);
	for (size_t i = inner; i < len; i++)
		frames[i - inner] = frames[i];
	return len - inner;
}

static struct haskell_lines lines_of_frame(const struct inlining_frame *frame)
{
	return (struct haskell_lines){frame->line, frame->last_line != 0 ? frame->last_line : frame->line};
}

static bool is_calling(const struct haskell_calling *calling, const struct haskell_block *block)
{
	if (calling->continuation != 0)
		return block->continuation == calling->continuation;
	for (size_t i = 0; i < block->closure_count; i++)
		if (block->closures[i].code == calling->next && block->closures[i].registers != 0)
			return true;
	return false;
}

/* Several blocks may leave the same continuation: then the line is that of any of them. */
static size_t frames_of_calls(struct lookup *lookup, struct inlining_frame frames[INLINING_DEPTH])
{
	size_t len = 0;
	for (size_t i = 0; i < lookup->calling.blocks.len; i++) {
		struct inlining_frame more[INLINING_DEPTH];
		if (!is_calling(&lookup->calling, &lookup->calling.blocks.at[i]))
			continue;
		size_t count = frames_of_block(lookup, i, len == 0 ? frames : more);
		if (len != 0 && count != 0) {
			frames[0] = frames[len - 1];
			set_lines(&frames[0],
				haskell_lines_joined(lines_of_frame(&frames[0]), lines_of_frame(&more[count - 1])));
			len = 1;
		}
		len = len == 0 ? count : len;
	}
	return len;
}

/* The function that calls; HASKELL_NONE: it is not known. A closure that goes on is a part of it. */
static uint32_t find_function(struct haskell_calling *calling, const struct code *code, uint64_t address)
{
	if (haskell_code_kind(code, address) == HASKELL_CODE_CONTINUATION)
		calling->continuation = address;
	else if (haskell_code_kind(code, address - 1) == HASKELL_CODE_CLOSURE)
		calling->next = address - 1;
	else
		return HASKELL_NONE;
	const struct haskell_range *range = haskell_unit_range(calling->unit, address);
	if (range == NULL)
		return HASKELL_NONE;
	uint32_t function = calling->unit->scopes[range->scope].function;
	return calling->next == 0 ? function : haskell_unit_around(calling->unit, function);
}

/* Whether the line of the call is of another file than that of its function. Then it belongs to a function that was
 * inlined, and only the usual frames of the continuation have the name of that. */
static bool is_elsewhere(const struct inlining_frame *outermost, const struct inlining_frame *usual)
{
	return outermost->file != NULL && usual->file != NULL && strcmp(outermost->file, usual->file) != 0;
}

size_t haskell_call_frames(struct inlining *inlining, Dwfl_Module *module, uint64_t address, uint64_t ran_ns,
	struct inlining_frame frames[INLINING_DEPTH])
{
	struct code code;
	struct lookup lookup = {inlining, module, .calling = {.ran_ns = ran_ns, .code = &code}};
	lookup.calling.unit = inlining_haskell(inlining, module, address, &lookup.bias);
	if (lookup.calling.unit == NULL || !code_open(&code, module) || code.bias != lookup.bias)
		return 0;
	uint32_t function = find_function(&lookup.calling, &code, address - lookup.bias);
	if (function == HASKELL_NONE)
		return 0;
	haskell_blocks_init(&lookup.calling.blocks, &code, lookup.calling.unit, function);
	size_t len = frames_of_calls(&lookup, frames);
	haskell_blocks_fini(&lookup.calling.blocks);
	struct inlining_frame usual[INLINING_DEPTH];
	size_t usual_len = len > 0 ? inlining_frames(inlining, module, address, usual) : 0;
	return usual_len > 0 && is_elsewhere(&frames[len - 1], &usual[usual_len - 1]) ? 0 : len;
}
