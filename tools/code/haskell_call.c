/* SPDX-License-Identifier: MIT
 * The line table has one line for all of a do-block. So the line of a call is found by what it passes and by the calls
 * before and behind it (haskell_calling.c), and by the words of the source (haskell_words.c). */
#include "haskell_calling.h"

#include <string.h>

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
	uint64_t callee; /* the function of Haskell that was called, if it is known and the only one; or 0 */
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
static const char *calling_name_of(const struct lookup *lookup, const char *name)
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

/* Sets the source that the function was made from: that of the frame, if there is nothing more exact. Returns whether
 * there is. */
static bool set_source(struct lookup *lookup, uint32_t function, struct inlining_frame *frame)
{
	struct haskell_calling *calling = &lookup->calling;
	const struct haskell_note *part = haskell_part_find(calling, function);
	calling->file = frame->file;
	calling->source = (struct haskell_lines){frame->first_line, frame->end_line};
	if (part == NULL || part->line == frame->first_line)
		return false;
	calling->file = part->file;
	calling->source = (struct haskell_lines){part->line, part->end_line};
	frame->function = calling_name_of(lookup, frame->function);
	frame->file = calling->file;
	frame->first_line = calling->source.first;
	frame->end_line = calling->source.last;
	return true;
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
	bool is_part = set_source(lookup, calling->unit->scopes[block->scope].function, outermost);
	struct haskell_lines own = lines_of_block(calling, block);
	while (inner < len - 1 && !has_lines(&frames[inner], own))
		inner++;
	bool is_own = inner == len - 1 && (has_lines(outermost, own) || (calling->next != 0 && own.first != 0));
	bool may_be_around = is_part && haskell_match_jump(calling, block) == HASKELL_JUMP_OTHER;
	if (!is_own && (may_be_around || outermost->end_line == 0))
		return 0;
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

/* Whether the function is left in the block for good, to access a TVar. */
static bool is_last_access(const struct haskell_calling *calling, size_t number)
{
	enum haskell_jump jump = haskell_match_jump(calling, &calling->blocks.at[number]);
	return (jump == HASKELL_JUMP_READ || jump == HASKELL_JUMP_WRITE) &&
	       haskell_blocks_is_last(&calling->blocks, number);
}

static bool is_calling(const struct haskell_calling *calling, size_t number)
{
	const struct haskell_block *block = &calling->blocks.at[number];
	if (calling->continuation != 0)
		return block->continuation == calling->continuation;
	if (calling->next == 0)
		return is_last_access(calling, number);
	for (size_t i = 0; i < block->closure_count; i++)
		if (block->closures[i].code == calling->next && block->closures[i].registers != 0)
			return haskell_match_jump(calling, block) == HASKELL_JUMP_BIND;
	return false;
}

/* Whether what the function ends with may be in other code, which is not looked at. */
static bool may_end_elsewhere(const struct haskell_calling *calling)
{
	for (size_t i = 0; i < calling->blocks.len; i++)
		if (haskell_blocks_is_last(&calling->blocks, i) && !is_last_access(calling, i) &&
			haskell_match_jump(calling, &calling->blocks.at[i]) != HASKELL_JUMP_NOWHERE)
			return true;
	return false;
}

/* 0: several, or none. */
static uint64_t callee_of(const struct haskell_calling *calling)
{
	uint64_t callee = 0;
	for (size_t i = 0; i < calling->blocks.len; i++) {
		const struct haskell_block *block = &calling->blocks.at[i];
		if (calling->continuation == 0 || !is_calling(calling, i))
			continue;
		if (block->callee == 0 || (callee != 0 && callee != block->callee))
			return 0;
		callee = block->callee;
	}
	return callee;
}

/* Several blocks may leave the same continuation: then the line is that of any of them. Returns 0 if that of one is not
 * known. */
static size_t frames_of_calls(struct lookup *lookup, struct inlining_frame frames[INLINING_DEPTH])
{
	size_t len = 0;
	if (lookup->calling.continuation == 0 && lookup->calling.next == 0 && may_end_elsewhere(&lookup->calling))
		return 0;
	for (size_t i = 0; i < lookup->calling.blocks.len; i++) {
		struct inlining_frame more[INLINING_DEPTH];
		if (!is_calling(&lookup->calling, i))
			continue;
		size_t count = frames_of_block(lookup, i, len == 0 ? frames : more);
		if (count == 0)
			return 0;
		if (len != 0) {
			frames[0] = frames[len - 1];
			set_lines(&frames[0],
				haskell_lines_joined(lines_of_frame(&frames[0]), lines_of_frame(&more[count - 1])));
			len = 1;
		}
		len = len == 0 ? count : len;
	}
	return len;
}

/* What the code of a site is for, by what is added to its address (runtimes/ghc/stacks/walk.h). */
enum site_kind { SITE_OTHER, SITE_CONTINUATION, SITE_NEXT, SITE_LAST, SITE_TOP, SITE_LEFT };

/* Sets *address to that of the code. */
static enum site_kind kind_of(const struct code *code, uint64_t *address)
{
	static const enum haskell_code_kind kinds[] = {HASKELL_CODE_CONTINUATION, HASKELL_CODE_CLOSURE,
		HASKELL_CODE_CLOSURE, HASKELL_CODE_CONTINUATION, HASKELL_CODE_CLOSURE};
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (haskell_code_kind(code, *address - i) == kinds[i]) {
			*address -= i;
			return SITE_CONTINUATION + i;
		}
	return SITE_OTHER;
}

/* The frames of the calls in the function with the code at `address` (in the file), or around it if a closure goes on
 * behind the call. */
static size_t frames_in(struct lookup *lookup, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	struct haskell_calling *calling = &lookup->calling;
	const struct haskell_range *range = haskell_unit_range(calling->unit, address);
	uint32_t function = range != NULL ? calling->unit->scopes[range->scope].function : HASKELL_NONE;
	if (function != HASKELL_NONE && calling->next != 0)
		function = haskell_unit_around(calling->unit, function);
	if (function == HASKELL_NONE)
		return 0;
	haskell_blocks_init(&calling->blocks, calling->code, calling->unit, function);
	size_t len = frames_of_calls(lookup, frames);
	lookup->callee = callee_of(calling);
	haskell_blocks_fini(&calling->blocks);
	return len;
}

/* Whether the line of the call is of another file than that of its function. Then it belongs to a function that was
 * inlined, and only the usual frames of the continuation have the name of that. */
static bool is_elsewhere(const struct inlining_frame *outermost, const struct inlining_frame *usual)
{
	return outermost->file != NULL && usual->file != NULL && strcmp(outermost->file, usual->file) != 0;
}

/* The frames of an access that was not found, of which the usual ones are given: without lines, which are those of
 * other code. Of what goes on behind >>= not even the function is known, since it may come from elsewhere. */
static size_t strip(enum site_kind kind, struct inlining_frame frames[INLINING_DEPTH], size_t len)
{
	if (kind == SITE_NEXT || kind == SITE_LEFT) {
		frames[0] = (struct inlining_frame){.function = "base:GHC.Base.>>="};
		return 1;
	}
	for (size_t i = 0; i < len; i++) {
		frames[i].line = frames[i].last_line = 0;
		frames[i].file = kind == SITE_TOP ? frames[i].file : NULL;
	}
	return len;
}

/* The frames of code (in the file), or 0 if they are not known. */
static size_t frames_of(struct lookup *lookup, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	struct inlining_frame usual[INLINING_DEPTH];
	size_t len = frames_in(lookup, address, frames);
	size_t usual_len = len > 0 ? frames_at(lookup, address, usual) : 0;
	return usual_len > 0 && is_elsewhere(&frames[len - 1], &usual[usual_len - 1]) ? 0 : len;
}

/* The frame of code that makes the access, or calls what does, and of which no more is known: its source. 0: that is
 * not known either. */
static size_t frame_of_left(const struct lookup *lookup, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	const struct haskell_note *source = haskell_calling_source(lookup->calling.unit, address);
	size_t len = source != NULL && source->end_line != 0 ? frames_at(lookup, address, frames) : 0;
	if (len == 0)
		return 0;
	frames[0] = frames[len - 1];
	frames[0].file = source->file;
	set_lines(&frames[0], (struct haskell_lines){source->line, source->end_line});
	return 1;
}

/* Puts the frames of the access in front of those of the call, if the function that was called has no frame: then it
 * is what that function ends with. */
static size_t add_last(const struct lookup *lookup, struct inlining_frame frames[INLINING_DEPTH], size_t len)
{
	struct inlining_frame last[INLINING_DEPTH];
	struct lookup inner = {lookup->inlining, lookup->module,
		.calling = {.ran_ns = lookup->calling.ran_ns, .code = lookup->calling.code}};
	inner.calling.unit = inlining_haskell(inner.inlining, inner.module, lookup->callee + lookup->bias, &inner.bias);
	size_t count = inner.calling.unit != NULL ? frames_of(&inner, lookup->callee, last) : 0;
	if (count == 0 || count + len > INLINING_DEPTH)
		return len;
	memmove(frames + count, frames, len * sizeof *frames);
	memcpy(frames, last, count * sizeof *frames);
	return count + len;
}

size_t haskell_call_frames(struct inlining *inlining, Dwfl_Module *module, uint64_t address, uint64_t ran_ns,
	struct inlining_frame frames[INLINING_DEPTH])
{
	struct code code;
	struct lookup lookup = {inlining, module, .calling = {.ran_ns = ran_ns, .code = &code}};
	lookup.calling.unit = inlining_haskell(inlining, module, address, &lookup.bias);
	if (lookup.calling.unit == NULL || !code_open(&code, module) || code.bias != lookup.bias)
		return 0;
	address -= lookup.bias;
	enum site_kind kind = kind_of(&code, &address);
	if (kind == SITE_OTHER)
		return 0;
	lookup.calling.continuation = kind == SITE_CONTINUATION || kind == SITE_TOP ? address : 0;
	lookup.calling.next = kind == SITE_NEXT ? address : 0;
	size_t len = kind == SITE_LEFT ? frame_of_left(&lookup, address, frames) : frames_of(&lookup, address, frames);
	if (len == 0 && kind != SITE_CONTINUATION)
		len = strip(kind, frames, frames_at(&lookup, address, frames));
	return kind == SITE_TOP && lookup.callee != 0 ? add_last(&lookup, frames, len) : len;
}
