/* SPDX-License-Identifier: MIT
 * Walks stacks of Haskell threads, reads the names of transactions there, and builds tracebacks. */
#include "walk.h"

#include <string.h>

#include "real.h"

/* ---- frames ---- */

/* At most so many frames are walked: recursion may have made the stack very deep. */
#define FRAMES_MAX 4096

/* The size of a frame that is too large for its layout word. That word is the distance from the frame's code to a
 * table, which begins with the number of the frame's words after the first. */
static size_t large_size(uintptr_t info)
{
	return 1 + *(const uint64_t *)(info + (uintptr_t)(int64_t)(int32_t)hs_layout(info));
}

/* The size of a frame of byte code: it stands in the frame's byte-code object, after five other words. */
static size_t code_size(const uintptr_t *frame)
{
	enum { SIZE_WORD = 5 };
	return 2 + ((const uintptr_t *)hs_untagged(frame[1]))[SIZE_WORD];
}

uintptr_t *walk_next_unusual(uintptr_t *frame)
{
	uintptr_t info = *frame;
	switch (hs_type(info)) {
	case HS_STOP_FRAME:
		return NULL;
	case HS_UNDERFLOW_FRAME:
		return ((struct hs_stack *)frame[1])->top;
	case HS_RET_FUN: /* info, size, function, arguments */
		return frame + 3 + frame[1];
	case HS_RET_BIG:
		return frame + large_size(info);
	case HS_RET_BCO:
		return frame + code_size(frame);
	default:
		return walk_next_plain(frame);
	}
}

/* Whether the frame's code gives what was returned to its only word, a function or an action, and leaves for that: it
 * is of m >>= k or m >> k, while m runs. */
static bool is_bind(const uintptr_t *frame)
{
	static const uint8_t result_first[] = {0x49, 0x89, 0xde};                              /* mov %rbx, %r14 */
	static const uint8_t leave[] = {0x48, 0x8b, 0x5d, 0x08, 0x48, 0x83, 0xc5, 0x10, 0xe9}; /* mov 8(%rbp), %rbx */
	enum { LAYOUT = 0x7f, ONE_POINTER = 1 };                                               /* add 16, %rbp; jmp */
	const uint8_t *code = (const uint8_t *)*frame;
	if (STMLOG_LIKELY((hs_layout(*frame) & LAYOUT) != ONE_POINTER))
		return false;
	if (memcmp(code, result_first, sizeof result_first) == 0)
		code += sizeof result_first;
	return memcmp(code, leave, sizeof leave) == 0;
}

uintptr_t walk_next_code(const uintptr_t *frame)
{
	if (STMLOG_LIKELY(!is_bind(frame)))
		return 0;
	const struct hs_closure *next = hs_untagged(frame[1]);
	uint32_t type = hs_type(next->info);
	return type > HS_CONSTR_LAST && type < HS_BCO ? next->info : 0;
}

/* Whether the frame is of writeTVar in the library. Its caller is the place of the access. */
static inline bool is_write_tvar(const uintptr_t *frame)
{
	enum { BYTES = 192 };
	return *frame - (uintptr_t)ghc_real.write_tvar < BYTES ||
	       *frame - (uintptr_t)ghc_real.write_tvar_of_9_10 < BYTES;
}

bool walk_is_site(const uintptr_t *frame)
{
	return hs_is_return(*frame) && !is_write_tvar(frame);
}

bool walk_access(uintptr_t *top, uintptr_t sites[RING_SITES])
{
	size_t len = 0;
	uintptr_t *frame = top, next;
	bool has_next = false;
	memset(sites, 0, RING_SITES * sizeof *sites);
	for (size_t i = 0; i < FRAMES_MAX && len < RING_SITES && frame != NULL; i++, frame = walk_next(frame)) {
		if (hs_type(*frame) == HS_ATOMICALLY_FRAME)
			break;
		if (!walk_is_site(frame))
			continue;
		next = walk_next_code(frame);
		has_next |= next != 0;
		sites[len] = next != 0 ? next + WALK_NEXT : *frame + (len == 0 ? WALK_TOP : 1);
		len++;
	}
	return has_next;
}

uintptr_t *walk_transaction(uintptr_t *top)
{
	uintptr_t *frame = top;
	for (size_t i = 0; i < FRAMES_MAX && frame != NULL; i++, frame = walk_next(frame))
		if (hs_type(*frame) == HS_ATOMICALLY_FRAME)
			return frame;
	return NULL;
}

/* Looks through applications; hs_target() looks through the rest. */
uintptr_t walk_code(uintptr_t closure)
{
	enum { STEPS = 8 };
	for (int i = 0; i < STEPS; i++) {
		const struct hs_closure *object = hs_target(closure);
		switch (hs_type(object->info)) {
		case HS_PAP: /* arity, function */
			closure = object->words[1];
			break;
		case HS_AP: /* a word that all thunks have, arity, function */
			closure = object->words[2];
			break;
		case HS_IND: /* and the next two: too many of them */
		case HS_IND_STATIC:
		case HS_BLACKHOLE:
		case HS_TSO:
		case HS_BLOCKING_QUEUE:
			return 0;
		default:
			return object->info + 1;
		}
	}
	return 0;
}

void walk_callers(uintptr_t *frame, uintptr_t callers[RING_CALLERS])
{
	size_t len = 0;
	memset(callers, 0, RING_CALLERS * sizeof *callers);
	callers[0] = transaction_name(frame);
	if (callers[0] != 0) {
		len = 1;
		frame = walk_next(frame);
	}
	for (size_t i = 0; i < FRAMES_MAX && len < RING_CALLERS && frame != NULL; i++, frame = walk_next(frame))
		if (hs_is_return(*frame))
			callers[len++] = *frame + 1;
}

/* ---- code that has left the stack ----
 *
 * The stack is compared with that of the previous access. Frames with the same words are the same ones: one that has
 * gone comes back only if the closure that it goes on with makes it again, which is a loop that never returns.
 */

/* Returns false if the stack is too large, or is in several pieces. */
static bool copy_stack(uintptr_t *top, struct lane_stack *stack)
{
	uintptr_t *end = walk_transaction(top);
	stack->len = 0;
	if (end == NULL || end < top || end - top > STACK_WORDS)
		return false;
	for (uintptr_t *frame = top; frame < end; frame = walk_next(frame)) {
		if (stack->len == STACK_FRAMES)
			return false;
		stack->frames[stack->len].depth = (uint32_t)(end - frame);
		stack->frames[stack->len].is_site = walk_is_site(frame);
		stack->frames[stack->len].next = walk_next_code(frame);
		stack->len++;
	}
	stack->words_len = (uint32_t)(end - top);
	memcpy(stack->words, top, stack->words_len * sizeof *top);
	return true;
}

/* How many words at their ends are the same. */
static uint32_t same_words(const struct lane_stack *one, const struct lane_stack *other)
{
	uint32_t len = 0;
	while (len < one->words_len && len < other->words_len &&
		one->words[one->words_len - 1 - len] == other->words[other->words_len - 1 - len])
		len++;
	return len;
}

/* The code that the outermost of the frames went on with that have gone; 0: not known. Sets *depth to that of the frame
 * around. */
static uintptr_t code_left(const struct lane_stack *before, uint32_t same, uint32_t *depth)
{
	uint32_t gone = 0;
	while (gone < before->len && before->frames[gone].depth > same)
		gone++;
	*depth = gone < before->len ? before->frames[gone].depth : 0;
	return gone > 0 ? before->frames[gone - 1].next : 0;
}

static void sites_insert(uintptr_t sites[RING_SITES], size_t at, uintptr_t site)
{
	memmove(sites + at + 1, sites + at, (RING_SITES - at - 1) * sizeof *sites);
	sites[at] = site;
	if (at == 0 && (sites[1] & HS_TAG) == WALK_TOP)
		sites[1] -= WALK_TOP - 1;
}

void left_add(uintptr_t *top, struct lane_stack *stack, uintptr_t sites[RING_SITES])
{
	struct lane_stack now;
	uint32_t depth, added = 0;
	size_t at = 0;
	bool is_known = false;
	if (!copy_stack(top, &now)) {
		stack->len = 0;
		return;
	}
	uintptr_t code = code_left(stack, same_words(stack, &now), &depth);
	for (; added < now.len && now.frames[added].depth > depth; added++) {
		is_known |= now.frames[added].next != 0;
		at += now.frames[added].is_site;
	}
	if (code != 0 && !is_known && at < RING_SITES) {
		sites_insert(sites, at, code + WALK_LEFT);
		if (added > 0)
			now.frames[added - 1].next = code;
	}
	*stack = now;
}

/* ---- names of transactions ----
 *
 * The function behind atomicallyNamed has a frame directly outside of the transaction, which holds a constructor
 * StmlogTransaction with the name. The name is an evaluated String.
 */

#define NAME_BYTES 64

bool transaction_names;

/* Appends the character in UTF-8. Returns false if there is no room. */
static bool append(char name[NAME_BYTES], size_t *len, uint32_t character)
{
	size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	if (*len + more + 1 >= NAME_BYTES)
		return false;
	name[(*len)++] = (char)(first[more] | character >> 6 * more);
	while (more-- > 0)
		name[(*len)++] = (char)(0x80 | (character >> 6 * more & 0x3f));
	return true;
}

/* Whether the closure is an evaluated constructor with so many pointers. */
static bool is_constructor(const struct hs_closure *closure, uint32_t pointers)
{
	return hs_constructor(closure->info) != NULL && hs_pointers(closure->info) == pointers;
}

/* A list of characters: its cells have two pointers, the end and the characters have none. */
static void read_string(uintptr_t string, char name[NAME_BYTES])
{
	size_t len = 0;
	const struct hs_closure *cell = hs_target(string);
	for (; is_constructor(cell, 2); cell = hs_target(cell->words[1])) {
		const struct hs_closure *character = hs_target(cell->words[0]);
		if (!is_constructor(character, 0) || !append(name, &len, (uint32_t)character->words[0]))
			break;
	}
	name[len] = '\0';
}

static bool has_name(uintptr_t info)
{
	static const char constructor[] = ".StmlogTransaction";
	const char *name = hs_constructor(info);
	size_t len = name != NULL ? strlen(name) : 0;
	return len >= sizeof constructor && strcmp(name + len - (sizeof constructor - 1), constructor) == 0;
}

static uintptr_t intern(uintptr_t string)
{
	char name[NAME_BYTES];
	read_string(string, name);
	uintptr_t number = name[0] != '\0' ? tb_code_intern(name, "") : 0;
	return number != TB_CODE_UNKNOWN ? number : 0;
}

/* The layout word of a small frame: how many words it has after the first one, and a bit for each that is no pointer.
 */
uintptr_t transaction_name_slow(const uintptr_t *frame)
{
	uint64_t layout = hs_layout(*frame), words = layout & 63;
	if (hs_type(*frame) != HS_RET_SMALL)
		return 0;
	for (uint64_t i = 0; i < words; i++) {
		const struct hs_closure *closure = hs_untagged(frame[1 + i]);
		if ((layout >> (6 + i) & 1) == 0 && has_name(closure->info))
			return intern(closure->words[0]);
	}
	return 0;
}

/* ---- tracebacks ---- */

static size_t sites_add(struct tb_site *sites, size_t len, const uintptr_t *from, size_t max)
{
	for (size_t i = 0; i < max && from[i] != 0; i++)
		sites[len++] = transaction_site(from[i]);
	return len;
}

struct tb_frame *trace_build(struct ghc_lane *lane, const uintptr_t *sites, uintptr_t code, const uintptr_t *callers)
{
	struct tb_site all[RING_SITES + 1 + RING_CALLERS];
	struct tb_stack *stack = stmlog_thread_stack(lane->log);
	size_t len = sites != NULL ? sites_add(all, 0, sites, RING_SITES) : 0;
	len = sites_add(all, len, &code, 1);
	len = sites_add(all, len, callers, RING_CALLERS);
	return stack != NULL && len != 0 ? tb_build(stack, all, len, TB_EMPTY) : TB_UNKNOWN;
}

struct tb_frame *trace_own(struct ghc_lane *lane, const uintptr_t *sites)
{
	REQUIRES(lane->knows_callers);
	return trace_build(lane, sites, lane->code, lane->callers);
}

void trace_callers(struct ghc_lane *lane, const struct hs_tso *tso, uintptr_t *top)
{
	if (lane->knows_callers)
		return;
	uintptr_t *frame = walk_transaction(walk_top(tso, top));
	trace_callers_at(lane, frame != NULL ? walk_next(frame) : NULL);
}

void trace_callers_at(struct ghc_lane *lane, uintptr_t *frame)
{
	walk_callers(frame, lane->callers);
	lane->knows_callers = true;
}
