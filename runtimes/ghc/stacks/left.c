/* SPDX-License-Identifier: MIT
 * Compares the stack with that of the previous access. Frames with the same words are the same ones: one that has gone
 * comes back only if the closure that it goes on with makes it again, which is a loop that never returns. */
#include "walk.h"

#include <string.h>

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

static void insert(uintptr_t sites[RING_SITES], size_t at, uintptr_t site)
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
		insert(sites, at, code + WALK_LEFT);
		if (added > 0)
			now.frames[added - 1].next = code;
	}
	*stack = now;
}
