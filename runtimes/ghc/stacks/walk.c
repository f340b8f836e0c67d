/* SPDX-License-Identifier: MIT
 * Walks stacks of Haskell threads. */
#include "walk.h"

#include <string.h>

#include "real.h"
#include "transaction_name.h"

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
