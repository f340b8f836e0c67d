/* SPDX-License-Identifier: MIT
 *
 * Tracebacks as values: releasing, building, copying and comparing them. A chain under
 * construction ends in a bottom after each step, so that giving up half-way is tb_unref().
 */
#include <stmlog/traceback.h>

#include "frame.h"
#include "supply.h"

/* Never written, though not const: a traceback is a pointer to frames that may be. */
struct tb_frame tb_empty_frame;
struct tb_frame tb_unknown_frame;

/* A loop: releasing a frame releases its reference to the one below. */
void tb_unref_slow(struct tb_stack *stack, struct tb_frame *traceback)
{
	while (tb_is_frame(traceback)) {
		if (traceback->refs > 1) {
			traceback->refs--;
			return;
		}
		struct tb_frame *down = traceback->down;
		supply_give(stack, traceback);
		traceback = down;
	}
}

/* Releases what there is of a traceback that memory does not suffice for. */
static struct tb_frame *give_up(struct tb_stack *stack, struct tb_frame *part)
{
	tb_unref(stack, part);
	stack->lost++;
	return TB_UNKNOWN;
}

struct tb_frame *tb_build(struct tb_stack *stack, const struct tb_site *sites, size_t len, struct tb_frame *down)
{
	struct tb_frame *built = tb_ref(down);
	while (len > 0) {
		struct tb_frame *frame = supply_take(stack);
		if (frame == NULL)
			return give_up(stack, built);
		tb_frame_name(frame, sites[--len]);
		tb_frame_link(frame, built);
		built = frame;
	}
	return built;
}

/* Hangs `below` under the last frame of a chain; returns the chain's first, which is `below` if there was none. */
static struct tb_frame *hang(struct tb_frame *last, struct tb_frame *below, struct tb_frame *first)
{
	if (last == NULL)
		return below;
	tb_frame_link(last, below);
	return first;
}

/* What the limit cuts off is not known to the copy, so that is what it ends in. */
struct tb_frame *tb_clone(struct tb_stack *stack, const struct tb_frame *traceback, size_t limit)
{
	struct tb_frame *clone = TB_UNKNOWN;
	struct tb_frame *last = NULL;
	for (; limit > 0 && tb_is_frame(traceback); limit--, traceback = traceback->down) {
		struct tb_frame *frame = supply_take(stack);
		if (frame == NULL)
			return give_up(stack, clone);
		tb_frame_name(frame, traceback->site);
		tb_frame_link(frame, TB_UNKNOWN);
		clone = hang(last, frame, clone);
		last = frame;
	}
	if (traceback == TB_EMPTY)
		clone = hang(last, TB_EMPTY, clone);
	return clone;
}

/* A common tail is a common frame: there the comparison ends. */
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
