/* SPDX-License-Identifier: MIT
 * Chooses between the two ways to find a thread's callers, and provides their memory. */
#include "callers.h"

#include <errno.h>
#include <pthread.h>

#include "agent.h"
#include "cache.h"
#include "filter.h"
#include "pages.h"
#include "thread.h"
#include "trace.h"

/* ---- the tree of a ring ---- */

static struct itm_contexts *contexts_at(const struct itm_ring *ring)
{
	return (struct itm_contexts *)AO_load_acquire(&ring->contexts); /* partner: contexts_for() */
}

/* The ring's tree, which it keeps for good. Only the owner creates one. */
static struct itm_contexts *contexts_for(struct itm_ring *ring)
{
	if (ring == &itm_ring_dummy)
		return NULL;
	if (contexts_at(ring) == NULL)
		AO_store_release(&ring->contexts, (AO_t)itm_contexts_create());
	return contexts_at(ring);
}

size_t itm_callers_of(const struct itm_ring *ring, uint32_t context, uintptr_t *callers, size_t cap)
{
	const struct itm_contexts *contexts = contexts_at(ring);
	return contexts != NULL ? itm_context_frames(contexts, context, callers, cap) : 0;
}

size_t itm_callers_dropped(void)
{
	size_t dropped = 0;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (contexts_at(ring) != NULL)
			dropped += itm_contexts_dropped(contexts_at(ring));
	return dropped;
}

/* ---- asking the unwinder what rbp holds ---- */

static void learn(struct itm_frames *frames, const uintptr_t *slot, const struct itm_frame_pair *frame)
{
	const struct native_step *steps;
	int saved = errno;
	size_t len = itm_walk_steps(slot, &steps);
	errno = saved;
	/* There was no memory for a walk, or it did not reach begin. */
	if (len == 0 || steps[0].slot != slot) {
		itm_frames_note_rbp(frames, *slot, ITM_RBP_OTHER);
		return;
	}
	/* If the walk was cut at options.depth, the caller of the outermost step is not known, nor needed. */
	size_t known = len < itm_agent.options.depth ? len : len - 1;
	for (size_t i = 0; i < known; i++) {
		/* Computed as a number: `frame` is a valid pointer only if the unwinder agrees. */
		uintptr_t slot_above = (uintptr_t)frame + offsetof(struct itm_frame_pair, return_address);
		bool is_frame = i + 1 < len && slot_above == (uintptr_t)steps[i + 1].slot;
		itm_frames_note_rbp(frames, steps[i].return_address, is_frame ? ITM_RBP_FRAME : ITM_RBP_OTHER);
		if (!is_frame)
			return;
		frame = (const struct itm_frame_pair *)frame->next;
	}
}

/* ---- threads ---- */

/* After system calls were filtered, the bounds of the stack are not looked up: the C library opens a file for that. */
static struct itm_frames *create_frames(void)
{
	pthread_attr_t attributes;
	void *stack = NULL;
	size_t size = 0, cap = itm_agent.options.depth;
	if (native_is_filtered() || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return NULL;
	int error = pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_destroy(&attributes);
	void *memory = error == 0 ? native_pages(itm_frames_size(cap)) : NULL;
	if (memory == NULL)
		return NULL;
	/* One of options.depth is for begin's return address. */
	return itm_frames_init(memory, cap - 1, (uintptr_t)stack, (uintptr_t)stack + size, learn);
}

void itm_callers_create(void)
{
	struct itm_thread *self = &itm_self;
	if (itm_agent.options.stacks == ITM_STACKS_SITE)
		return;
	self->contexts = contexts_for(self->ring);
	if (self->contexts != NULL && self->frames == NULL)
		self->frames = create_frames();
}

void itm_callers_destroy(void)
{
	struct itm_thread *self = &itm_self;
	self->contexts = NULL;
	self->context = 0;
	native_pages_free(self->frames, itm_frames_size(itm_agent.options.depth));
	self->frames = NULL;
}

/* ---- a transaction begins ---- */

void itm_callers_note(const uintptr_t *slot, const struct itm_frame_pair *frame)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(self->contexts == NULL))
		return;
	self->context =
		self->frames != NULL ? (uint16_t)itm_frames_context(self->frames, self->contexts, slot, frame) : 0;
	AO_store(&self->ring->context, self->context);
}
