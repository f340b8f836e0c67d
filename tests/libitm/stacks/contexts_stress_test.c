/* SPDX-License-Identifier: MIT
 * An owner adds contexts and publishes their numbers; meanwhile readers look up the frames of those numbers, and of
 * numbers that were never given. */
#include <pthread.h>

#include "random.h"
#include "stacks.h"
#include "stress.h"
#include "test.h"

enum { READERS = 2, TABLES = 100, KINDS = 8, FRAMES = 64 };

static struct itm_contexts *tables[TABLES];
/* A number, with the index of its tree above. Stored with release by the owner, loaded with acquire by readers. */
static volatile AO_t latest;
static volatile AO_t is_over, defects;

/* The address of a child of `parent`: it contains the parent's number, so that readers can check it. */
static uintptr_t address_in(uint32_t parent, uint32_t kind)
{
	return 1 + (uintptr_t)parent * KINDS + kind;
}

/* Until the tree is full; then existing contexts are found again. */
static void fill(AO_t table, struct random *random)
{
	uint32_t context = 0;
	while (itm_contexts_dropped(tables[table]) == 0) {
		/* Some forty deep. */
		if (random_below(random, 40) == 0)
			context = 0;
		uintptr_t address = address_in(context, random_below(random, KINDS));
		context = itm_context_child(tables[table], context, address);
		AO_store_release(&latest, table << 32 | context);
	}
}

static void *own(void *unused)
{
	struct random random = {3};
	for (uint32_t table = 0; table < stress_times(TABLES); table++) {
		tables[table] = itm_contexts_create();
		if (tables[table] == NULL)
			break;
		fill(table, &random);
	}
	AO_store(&is_over, 1);
	return unused;
}

static void look(const struct itm_contexts *contexts, uint32_t context, bool is_given)
{
	uintptr_t frames[FRAMES];
	size_t len = itm_context_frames(contexts, context, frames, FRAMES);
	if (is_given && len == 0)
		AO_fetch_and_add1(&defects);
	for (size_t i = 0; i < len; i++) {
		uint32_t parent = contexts->nodes[context].parent;
		if (parent >= context || (frames[i] - 1) / KINDS != parent)
			AO_fetch_and_add1(&defects);
		context = parent;
	}
	if (len < FRAMES && len != 0 && context != 0)
		AO_fetch_and_add1(&defects);
}

static void *look_on(void *seed)
{
	struct random random = {(uintptr_t)seed};
	while (AO_load(&is_over) == 0) {
		AO_t word = AO_load_acquire(&latest);
		const struct itm_contexts *contexts = word != 0 ? tables[word >> 32] : NULL;
		if (contexts == NULL)
			continue;
		look(contexts, (uint32_t)word, (uint32_t)word != 0);
		look(contexts, random_below(&random, 2 * ITM_CONTEXTS), false);
	}
	return NULL;
}

TEST(a_number_that_was_found_names_the_callers_that_it_was_given_for)
{
	pthread_t owner, readers[READERS];
	assert_int_equal(pthread_create(&owner, NULL, own, NULL), 0);
	for (uintptr_t i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, look_on, (void *)(i + 4)), 0);
	for (size_t i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	pthread_join(owner, NULL);
	assert_int_equal(AO_load(&defects), 0);
}
