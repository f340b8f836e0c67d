/* SPDX-License-Identifier: MIT
 *
 * Tracebacks: releasing, building, cloning and comparing them. While a chain is built it ends in
 * TB_EMPTY or TB_UNKNOWN after each step, so that tb_unref() can release it half-way.
 */
#include <stmlog/traceback.h>

#include "frame.h"
#include "place.h"
#include "supply.h"

/* A frame that is freed releases its reference to the frame below. This is a loop, because recursion would need a deep
 * C stack. */
void tb_unref_slow(struct tb_stack *stack, struct tb_frame *traceback)
{
	while (tb_is_frame(traceback)) {
		if (traceback->refs > 1) {
			traceback->refs--;
			return;
		}
		struct tb_frame *down = traceback->down;
		supply_free(stack, traceback);
		traceback = down;
	}
}

/* Without memory: releases the part that was built. */
static struct tb_frame *abandon(struct tb_stack *stack, struct tb_frame *part)
{
	tb_unref(stack, part);
	stack->lost++;
	return TB_UNKNOWN;
}

struct tb_frame *tb_build(struct tb_stack *stack, const struct tb_site *sites, size_t len, struct tb_frame *down)
{
	struct tb_frame *built = tb_ref(down);
	while (len > 0) {
		struct tb_frame *frame = supply_alloc(stack);
		if (frame == NULL)
			return abandon(stack, built);
		place_intern(sites[--len]);
		tb_frame_name(frame, sites[len]);
		tb_frame_link(frame, built);
		built = frame;
	}
	return built;
}

/* Links `below` under the last frame of a chain. Returns the first frame of the chain, which is `below` if the chain
 * was empty. */
static struct tb_frame *hang(struct tb_frame *last, struct tb_frame *below, struct tb_frame *first)
{
	if (last == NULL)
		return below;
	tb_frame_link(last, below);
	return first;
}

/* A clone that the limit cuts off ends in TB_UNKNOWN. */
struct tb_frame *tb_clone(struct tb_stack *stack, const struct tb_frame *traceback, size_t limit)
{
	struct tb_frame *clone = TB_UNKNOWN;
	struct tb_frame *last = NULL;
	for (; limit > 0 && tb_is_frame(traceback); limit--, traceback = traceback->down) {
		struct tb_frame *frame = supply_alloc(stack);
		if (frame == NULL)
			return abandon(stack, clone);
		tb_frame_name(frame, traceback->site);
		tb_frame_link(frame, TB_UNKNOWN);
		clone = hang(last, frame, clone);
		last = frame;
	}
	if (traceback == TB_EMPTY)
		clone = hang(last, TB_EMPTY, clone);
	return clone;
}

/* The comparison ends at the first frame that both share. */
bool tb_equal(const struct tb_frame *a, const struct tb_frame *b)
{
	while (a != b) {
		if (!tb_is_frame(a) || !tb_is_frame(b) || !frame_same_site(a->site, b->site))
			return false;
		a = a->down;
		b = b->down;
	}
	return true;
}

uint64_t tb_hash(const struct tb_frame *traceback)
{
	uint64_t hash = FRAME_HASH_BEGIN;
	for (; tb_is_frame(traceback); traceback = traceback->down)
		hash = frame_hash_site(hash, traceback->site);
	return frame_hash_end(hash, tb_is_unknown(traceback));
}
