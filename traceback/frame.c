/* SPDX-License-Identifier: MIT
 *
 * Tracebacks: releasing, building, cloning and comparing them; and copies of them. While a chain is built it ends in
 * TB_EMPTY or TB_UNKNOWN after each step, so that tb_unref() can release it half-way.
 */
#include "frame.h"

#include <string.h>

#include <stmlog/traceback.h>

#include "place.h"
#include "supply.h"

/* ---- tracebacks ---- */

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

/* ---- copies ----
 *
 * They are tracebacks as plain data. A thread takes a copy of another thread's traceback, because it must not take a
 * reference to its frames.
 *
 * While tb_copy_take() walks, the owner may release the frames and use them again. The owner stores each word whole,
 * and the walk loads it whole. Each word belongs to the frame before its release, to its later use, or to a free node
 * (NOTES.txt, claim T2). The caller checks whether the copy is valid. */

/* Each word is loaded once, so that the pointer that was tested is the pointer that is followed. `down` is always a
 * frame or NULL. It is NULL in TB_EMPTY, in TB_UNKNOWN, and in the last free node of a chain (freelist.h). Only a walk
 * that ends at TB_EMPTY yields a whole copy.
 * Partners: tb_frame_link() and tb_frame_name() of the owner, and the links that freelist.c stores. */
void tb_copy_take(struct tb_copy *copy, const struct tb_frame *traceback)
{
	uint32_t len = 0;
	for (; len < TB_COPY_FRAMES; len++) {
		const struct tb_frame *down = STMLOG_LOAD_RELAXED(&traceback->down);
		if (down == NULL)
			break;
		copy->sites[len].code = STMLOG_LOAD_RELAXED(&traceback->site.code);
		copy->sites[len].position = STMLOG_LOAD_RELAXED(&traceback->site.position);
		traceback = down;
	}
	copy->len = len;
	copy->is_whole = traceback == TB_EMPTY;
}

void tb_copy_assign(struct tb_copy *to, const struct tb_copy *from)
{
	uint32_t len = STMLOG_LOAD_RELAXED(&from->len);
	STMLOG_STORE_RELAXED(&to->len, len);
	STMLOG_STORE_RELAXED(&to->is_whole, STMLOG_LOAD_RELAXED(&from->is_whole));
	for (uint32_t i = 0; i < len; i++) {
		STMLOG_STORE_RELAXED(&to->sites[i].code, STMLOG_LOAD_RELAXED(&from->sites[i].code));
		STMLOG_STORE_RELAXED(&to->sites[i].position, STMLOG_LOAD_RELAXED(&from->sites[i].position));
	}
}

bool tb_copies_are_equal(const struct tb_copy *a, const struct tb_copy *b)
{
	return a->len == b->len && a->is_whole == b->is_whole &&
	       memcmp(a->sites, b->sites, a->len * sizeof a->sites[0]) == 0;
}

static struct tb_frame *bottom(const struct tb_copy *copy)
{
	return copy->is_whole ? TB_EMPTY : TB_UNKNOWN;
}

struct tb_frame *tb_copy_build(const struct tb_copy *copy, struct tb_stack *stack)
{
	return tb_build(stack, copy->sites, copy->len, bottom(copy));
}

bool tb_copy_equal(const struct tb_copy *copy, const struct tb_frame *traceback)
{
	for (uint32_t i = 0; i < copy->len; i++, traceback = tb_down(traceback))
		if (!tb_is_frame(traceback) || !frame_same_site(copy->sites[i], tb_frame_site(traceback)))
			return false;
	return traceback == bottom(copy);
}

uint64_t tb_copy_hash(const struct tb_copy *copy)
{
	uint64_t hash = FRAME_HASH_BEGIN;
	for (uint32_t i = 0; i < copy->len; i++)
		hash = frame_hash_site(hash, copy->sites[i]);
	return frame_hash_end(hash, !copy->is_whole);
}
