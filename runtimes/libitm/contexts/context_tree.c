/* SPDX-License-Identifier: MIT
 * A tree that only grows, and a hash table to find a node by its parent and return address. */
#include "context_tree.h"

#include "pages.h"

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

static size_t place_of(uint32_t parent, uintptr_t return_address)
{
	uint64_t mixed = (return_address + ((uint64_t)parent << 48)) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(mixed >> 40) % PLACES;
}

/* The child's place, or the free place where it belongs. There always is one, since at most half of them are taken. */
static uint16_t *find(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address)
{
	size_t place = place_of(parent, return_address);
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
