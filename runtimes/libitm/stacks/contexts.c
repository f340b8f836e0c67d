/* SPDX-License-Identifier: MIT
 * Numbers for the callers of transactions: a tree that only grows, of which each ring has one, and a hash table to find
 * a node by its parent and return address. And the latest tracebacks of other transactions, each at the place that its
 * sites' positions choose. */
#include "stacks.h"

#include "agent.h"
#include "cache.h"
#include "pages.h"

/* ---- the tree ---- */

#define PLACES (2 * ITM_CONTEXTS)

_Static_assert(ITM_CONTEXTS <= 1 << 14, "a ring's entry has 14 bits for it");
_Static_assert((PLACES & (PLACES - 1)) == 0, "places are reduced by a mask");
_Static_assert(sizeof(struct itm_context_node) == 16, "four to a cache line");

struct itm_contexts *itm_contexts_create(void)
{
	struct itm_contexts *contexts = native_pages(sizeof *contexts);
	if (contexts == NULL)
		return NULL;
	AO_store(&contexts->len, 1);
	return contexts;
}

static size_t node_place(uint32_t parent, uintptr_t return_address)
{
	uint64_t mixed = (return_address + ((uint64_t)parent << 48)) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(mixed >> 40) % PLACES;
}

/* The child's place, or the free place where it belongs. There always is one, since at most half of them are taken. */
static uint16_t *find(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address)
{
	size_t place = node_place(parent, return_address);
	for (; contexts->places[place] != 0; place = (place + 1) % PLACES) {
		const struct itm_context_node *node = &contexts->nodes[contexts->places[place]];
		if (node->parent == parent && node->return_address == return_address)
			break;
	}
	return &contexts->places[place];
}

uint32_t itm_context_child_slow(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address)
{
	uint16_t *place = find(contexts, parent, return_address);
	if (*place == 0) {
		AO_t number = AO_load(&contexts->len);
		if (number == ITM_CONTEXTS) {
			AO_store(&contexts->dropped, AO_load(&contexts->dropped) + 1);
			return 0;
		}
		contexts->nodes[number].return_address = return_address;
		contexts->nodes[number].parent = (uint16_t)parent;
		AO_store_release(&contexts->len, number + 1); /* partner: itm_context_frames() */
		*place = (uint16_t)number;
	}
	contexts->nodes[parent].latest = *place;
	return *place;
}

size_t itm_context_frames(const struct itm_contexts *contexts, uint32_t context, uintptr_t *frames, size_t cap)
{
	/* The node was written before len was raised (acquire), and so were its parents, whose numbers are lower. */
	if (context >= AO_load_acquire(&contexts->len))
		return 0;
	size_t len = 0;
	for (; context != 0 && len < cap; context = contexts->nodes[context].parent)
		frames[len++] = contexts->nodes[context].return_address;
	return len;
}

/* ---- the callers of a measured transaction ---- */

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

/* ---- tracebacks of other transactions ---- */

static bool is_of(const struct tb_frame *frame, const struct tb_site *sites, size_t len)
{
	for (; len > 0 && tb_is_frame(frame); sites++, len--, frame = tb_down(frame)) {
		struct tb_site site = tb_frame_site(frame);
		if (site.code != sites->code || site.position != sites->position)
			return false;
	}
	return len == 0 && frame == TB_EMPTY;
}

static size_t remote_place(const struct tb_site *sites, size_t len)
{
	uintptr_t hash = 0;
	for (size_t i = 0; i < len; i++)
		hash = hash * 31 + sites[i].position;
	return (hash ^ hash >> 7) % ITM_REMOTES;
}

struct tb_frame *itm_remote_traceback(const struct tb_site *sites, size_t len)
{
	struct itm_thread *self = &itm_self;
	REQUIRES(self->thread != NULL);
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	struct tb_frame **kept = &self->remotes[remote_place(sites, len)];
	if (*kept != NULL && is_of(*kept, sites, len))
		return *kept;
	if (*kept != NULL)
		tb_unref(stack, *kept);
	*kept = tb_build(stack, sites, len, TB_EMPTY);
	return *kept;
}

void itm_remote_destroy(struct itm_thread *self, struct tb_stack *stack)
{
	for (size_t i = 0; i < ITM_REMOTES; i++) {
		if (self->remotes[i] != NULL)
			tb_unref(stack, self->remotes[i]);
		self->remotes[i] = NULL;
	}
}
