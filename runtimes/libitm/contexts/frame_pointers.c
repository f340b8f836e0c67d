/* SPDX-License-Identifier: MIT
 * The walk along frame pointers. It is cheap because a stack that is the same as the last time is only compared. */
#include "frame_pointers.h"

#define NOT_FRAME ((uintptr_t)1 << 63)
#define PROBES 8

size_t itm_frames_size(size_t cap)
{
	return sizeof(struct itm_frames) + cap * sizeof(struct itm_link);
}

struct itm_frames *itm_frames_init(void *memory, size_t cap, uintptr_t low, uintptr_t high, itm_frames_learn *learn)
{
	struct itm_frames *frames = memory;
	frames->cap = cap;
	frames->low = low;
	frames->high = high;
	frames->learn = learn;
	return frames;
}

/* ---- what is known of places ---- */

static size_t home_of(uintptr_t place)
{
	return (size_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 48) % ITM_PLACES;
}

enum itm_rbp itm_frames_rbp_at(const struct itm_frames *frames, uintptr_t place)
{
	size_t home = home_of(place);
	for (size_t i = 0; i < PROBES; i++) {
		uintptr_t known = frames->places[(home + i) % ITM_PLACES];
		if ((known & ~NOT_FRAME) == place)
			return known & NOT_FRAME ? ITM_RBP_OTHER : ITM_RBP_FRAME;
	}
	return ITM_RBP_UNKNOWN;
}

/* If there is no room near a place's home, the place at its home is forgotten: the unwinder finds it out again when it
 * is needed. */
void itm_frames_note_rbp(struct itm_frames *frames, uintptr_t place, enum itm_rbp rbp)
{
	size_t home = home_of(place), to = home;
	for (size_t i = PROBES; i-- > 0;) {
		uintptr_t known = frames->places[(home + i) % ITM_PLACES];
		if (known == 0 || (known & ~NOT_FRAME) == place)
			to = (home + i) % ITM_PLACES;
	}
	frames->places[to] = place | (rbp == ITM_RBP_OTHER ? NOT_FRAME : 0);
}

/* ---- the walk ---- */

static bool is_in_stack(const struct itm_frames *frames, uintptr_t from, const struct itm_frame_pair *frame)
{
	uintptr_t at = (uintptr_t)frame;
	return at > from && at % sizeof at == 0 && at <= frames->high - sizeof *frame;
}

/* True if the stack is still the one that was walked last. */
static bool is_known(const struct itm_frames *frames, uintptr_t site, const struct itm_frame_pair *frame)
{
	if (frames->site != site || frames->links[0].frame != frame)
		return false;
	for (size_t i = 0; i < frames->len; i++) {
		const struct itm_link *link = &frames->links[i];
		if (link->frame->next != link->held.next || link->frame->return_address != link->held.return_address)
			return false;
	}
	return true;
}

static enum itm_rbp learn_rbp_at(
	struct itm_frames *frames, uintptr_t place, const uintptr_t *slot, const struct itm_frame_pair *frame)
{
	enum itm_rbp rbp = itm_frames_rbp_at(frames, place);
	if (rbp != ITM_RBP_UNKNOWN)
		return rbp;
	frames->learn(frames, slot, frame);
	return itm_frames_rbp_at(frames, place);
}

static void walk(struct itm_frames *frames, const uintptr_t *slot, const struct itm_frame_pair *first)
{
	const struct itm_frame_pair *frame = first;
	uintptr_t place = *slot, below = (uintptr_t)slot;
	frames->len = 0;
	while (frames->len < frames->cap && learn_rbp_at(frames, place, slot, first) == ITM_RBP_FRAME &&
		is_in_stack(frames, below, frame)) {
		frames->links[frames->len++] = (struct itm_link){frame, *frame};
		place = frame->return_address;
		below = (uintptr_t)frame;
		frame = (const struct itm_frame_pair *)frame->next;
	}
}

static uint32_t context_of(const struct itm_frames *frames, struct itm_contexts *contexts)
{
	if (frames->len == 0)
		return 0;
	uint32_t context = 0;
	for (size_t i = frames->len; i-- > 0;) {
		context = itm_context_child(contexts, context, frames->links[i].held.return_address);
		if (context == 0)
			return 0;
	}
	return itm_context_child(contexts, context, frames->site);
}

uint32_t itm_frames_context(struct itm_frames *frames, struct itm_contexts *contexts, const uintptr_t *slot,
	const struct itm_frame_pair *frame)
{
	if ((uintptr_t)slot < frames->low || (uintptr_t)slot >= frames->high)
		return 0;
	if (frames->len != 0 && is_known(frames, *slot, frame))
		return frames->context;
	walk(frames, slot, frame);
	frames->site = *slot;
	frames->context = context_of(frames, contexts);
	return frames->context;
}
