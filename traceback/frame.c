/* SPDX-License-Identifier: MIT
 *
 * Tracebacks as values: releasing, building, copying and comparing them. A chain under
 * construction ends in a bottom after each step, so that giving up half-way is tb_unref().
 */
#include <stmlog/traceback.h>

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
		frame->site = sites[--len];
		frame->down = built;
		built = frame;
	}
	return built;
}

/* What the limit cuts off is not known to the copy, so that is what it ends in. */
struct tb_frame *tb_clone(struct tb_stack *stack, const struct tb_frame *traceback, size_t limit)
{
	struct tb_frame *clone = TB_UNKNOWN;
	struct tb_frame **link = &clone;
	for (; limit > 0 && tb_is_frame(traceback); limit--, traceback = traceback->down) {
		struct tb_frame *frame = supply_take(stack);
		if (frame == NULL)
			return give_up(stack, clone);
		frame->site = traceback->site;
		frame->down = TB_UNKNOWN;
		*link = frame;
		link = &frame->down;
	}
	if (traceback == TB_EMPTY)
		*link = TB_EMPTY;
	return clone;
}

static bool same_site(struct tb_site a, struct tb_site b)
{
	return a.code == b.code && a.position == b.position;
}

/* A common tail is a common frame: there the comparison ends. */
bool tb_equal(const struct tb_frame *a, const struct tb_frame *b)
{
	while (a != b) {
		if (!tb_is_frame(a) || !tb_is_frame(b) || !same_site(a->site, b->site))
			return false;
		a = a->down;
		b = b->down;
	}
	return true;
}

/* Rotated before each word, so that the order of frames counts. */
static uint64_t hash_add(uint64_t hash, uint64_t word)
{
	return ((hash << 23 | hash >> 41) ^ word) * 0x9e3779b97f4a7c15u;
}

/* Not begun with 0, of which sites that are 0 would make 0 again. The last steps bring the upper bits, which
 * know more, down to the lower ones. */
uint64_t tb_hash(const struct tb_frame *traceback)
{
	uint64_t hash = 0xd6e8feb86659fd93u;
	for (; tb_is_frame(traceback); traceback = traceback->down)
		hash = hash_add(hash_add(hash, traceback->site.code), traceback->site.position);
	hash = hash_add(hash, tb_is_unknown(traceback));
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}
