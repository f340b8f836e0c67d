/* SPDX-License-Identifier: MIT
 * Numbers for the callers of transactions, in a tree that each ring has. */
#include "callers.h"

#include "agent.h"
#include "cache.h"

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

void itm_callers_create(void)
{
	struct itm_thread *self = &itm_self;
	if (itm_agent.options.sample != 1 || stmlog_wants_places())
		self->contexts = contexts_for(self->ring);
}

void itm_callers_destroy(void)
{
	struct itm_thread *self = &itm_self;
	self->contexts = NULL;
	self->context = 0;
}

uint32_t itm_callers_number(const struct native_step *steps, size_t len)
{
	uint32_t number = 0;
	if (itm_self.contexts == NULL)
		return 0;
	for (size_t i = len; i-- > 0;) {
		number = itm_context_child(itm_self.contexts, number, steps[i].return_address);
		if (number == 0)
			return 0;
	}
	return number;
}
