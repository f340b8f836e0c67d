/* SPDX-License-Identifier: MIT
 * Chains of free nodes, and the depot that threads share. */
#include "freelist.h"

#include <errno.h>
#include <pthread.h>

#include "child.h"
#include "fixture.h"
#include "mem.h"
#include "random.h"

#define OWNERS 8

/* The first three words belong to the free list. */
struct node {
	struct node *next;
	uint64_t scribble[2];
	uint32_t makings;
	uint32_t owner; /* 0: none */
};

static void make_node(void *node)
{
	((struct node *)node)->makings++;
}

static struct freelist_depot depot = FREELIST_DEPOT(sizeof(struct node), make_node);

/* Length by walking; every node must have been made exactly once and belong to `was`; it belongs to `is` then. */
static uint32_t claim(struct freelist_chain chain, uint32_t was, uint32_t is)
{
	uint32_t len = 0;
	for (struct node *node = chain.head; node != NULL; node = node->next, len++) {
		assert_int_equal(node->makings, 1);
		assert_int_equal(node->owner, was);
		assert_int_equal((uintptr_t)node % sizeof(struct node), 0);
		node->owner = is;
		if (is != 0)
			node->scribble[0] = node->scribble[1] = UINT64_MAX;
	}
	return len;
}

static struct freelist_chain take(uint32_t want)
{
	struct freelist_chain chain = freelist_depot_get(&depot, want);
	assert_int_equal(claim(chain, 0, 1), chain.len);
	return chain;
}

static void give(struct freelist_chain chain)
{
	claim(chain, 1, 0);
	freelist_depot_put(&depot, chain);
}

TEST_WITH(no_leaks, a_chain_has_as_many_nodes_as_wanted)
{
	static const uint32_t wants[] = {1, 2, 63, 64, 65};
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		struct freelist_chain chain = take(wants[i]);
		assert_int_equal(chain.len, wants[i]);
		assert_int_equal(freelist_depot_out(&depot), wants[i]);
		give(chain);
		freelist_depot_trim(&depot);
	}
}

static bool was_unlocked;

static void make_and_try_the_lock(void *node);
static struct freelist_depot tried = FREELIST_DEPOT(sizeof(struct node), make_and_try_the_lock);

static void make_and_try_the_lock(void *node)
{
	make_node(node);
	was_unlocked = pthread_mutex_trylock(&tried.lock) == 0;
	if (was_unlocked)
		pthread_mutex_unlock(&tried.lock);
}

/* A new node may cost a page fault, and then the processor. */
TEST_WITH(no_leaks, new_nodes_are_made_while_others_may_use_the_depot)
{
	struct freelist_chain chain = freelist_depot_get(&tried, 3);
	assert_int_equal(chain.len, 3);
	assert_true(was_unlocked);
	freelist_depot_put(&tried, chain);
	freelist_depot_trim(&tried);
}

TEST_WITH(no_leaks, a_chain_never_spans_more_than_one_slab)
{
	struct freelist_chain chain = take(UINT32_MAX);
	size_t bytes = mem_live_bytes();
	assert_in_range(chain.len, 64, bytes / sizeof(struct node));
	struct freelist_chain next = take(1);
	assert_int_equal(next.len, 1);
	assert_true(mem_live_bytes() > bytes);
	give(chain);
	give(next);
	freelist_depot_trim(&depot);
}

TEST_WITH(no_leaks, a_batch_longer_than_wanted_stays_in_part)
{
	give(take(10));
	struct freelist_chain some = take(3);
	struct freelist_chain rest = take(64);
	assert_int_equal(some.len, 3);
	assert_int_equal(rest.len, 7);
	give(some);
	give(rest);
	freelist_depot_trim(&depot);
}

TEST_WITH(no_leaks, a_cut_chain_keeps_every_node)
{
	for (uint32_t len = 1; len <= 5; len++) {
		struct freelist_chain rest = take(5);
		struct freelist_chain cut = freelist_cut(&rest, len);
		assert_int_equal(cut.len, len);
		assert_int_equal(rest.len, 5 - len);
		assert_int_equal(claim(cut, 1, 1), cut.len);
		assert_int_equal(claim(rest, 1, 1), rest.len);
		give(cut);
		if (rest.len > 0)
			give(rest);
		freelist_depot_trim(&depot);
	}
}

TEST_WITH(no_leaks, given_nodes_are_taken_again_before_new_ones)
{
	give(take(64));
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 10000; i++)
		give(take(64));
	assert_int_equal(mem_live_bytes(), bytes);
	freelist_depot_trim(&depot);
}

TEST_WITH(no_leaks, slabs_stay_while_one_node_has_an_owner)
{
	size_t bytes = mem_live_bytes();
	struct freelist_chain kept = take(1);
	give(take(64));
	freelist_depot_trim(&depot);
	assert_true(mem_live_bytes() > bytes);
	assert_int_equal(claim(kept, 1, 1), 1);
	give(kept);
	freelist_depot_trim(&depot);
	assert_int_equal(mem_live_bytes(), bytes);
}

TEST_WITH(no_leaks, a_depot_is_usable_after_it_was_trimmed)
{
	freelist_depot_trim(&depot);
	give(take(64));
	freelist_depot_trim(&depot);
	freelist_depot_trim(&depot);
	give(take(64));
	freelist_depot_trim(&depot);
}

TEST_WITH(no_leaks, failing_memory_yields_an_empty_chain_and_keeps_errno)
{
	errno = 77;
	mem_fail_at(1);
	struct freelist_chain chain = freelist_depot_get(&depot, 64);
	assert_int_equal(errno, 77);
	assert_int_equal(chain.len, 0);
	assert_null(chain.head);
	assert_int_equal(freelist_depot_out(&depot), 0);
	chain = take(64);
	assert_int_equal(chain.len, 64);
	give(chain);
	freelist_depot_trim(&depot);
}

/* One step of an owner: takes a chain, gives its own away, or half of it. */
static void step(struct random *random, struct freelist_chain *own, uint32_t name, size_t *out)
{
	if (own->len == 0) {
		*own = freelist_depot_get(&depot, 1 + random_below(random, 100));
		assert_int_equal(claim(*own, 0, name), own->len);
		*out += own->len;
		return;
	}
	struct freelist_chain gift = freelist_cut(own, 1 + random_below(random, own->len));
	assert_int_equal(claim(gift, name, 0), gift.len);
	*out -= gift.len;
	freelist_depot_put(&depot, gift);
}

TEST_WITH(no_leaks, no_node_ever_has_two_owners)
{
	struct random random = {1};
	struct freelist_chain owned[OWNERS] = {{NULL, 0}};
	size_t out = 0;
	for (int i = 0; i < 20000; i++) {
		uint32_t owner = random_below(&random, OWNERS);
		mem_fail_at(random_below(&random, 4));
		step(&random, &owned[owner], owner + 1, &out);
		mem_fail_at(0);
		assert_int_equal(freelist_depot_out(&depot), out);
	}
	for (uint32_t owner = 0; owner < OWNERS; owner++)
		while (owned[owner].len > 0)
			step(&random, &owned[owner], owner + 1, &out);
	assert_int_equal(out, 0);
	freelist_depot_trim(&depot);
}

/* Counts instead of asserting: cmocka's assertions belong to the main thread. */
static void *use_depot(void *wrong)
{
	for (int i = 0; i < 5000; i++) {
		struct freelist_chain chain = freelist_depot_get(&depot, 64);
		for (struct node *node = chain.head; node != NULL; node = node->next)
			*(int *)wrong += node->owner++ != 0;
		for (struct node *node = chain.head; node != NULL; node = node->next)
			node->owner--;
		freelist_depot_put(&depot, chain);
	}
	return NULL;
}

TEST_WITH(no_leaks, threads_share_the_depot)
{
	pthread_t threads[2];
	int wrong[2] = {0, 0};
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_depot, &wrong[i]), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(wrong[0] + wrong[1], 0);
	assert_int_equal(freelist_depot_out(&depot), 0);
	freelist_depot_trim(&depot);
}

TEST_STOPPED("freelist.c", putting_an_empty_chain_is_a_broken_requirement)
{
	freelist_depot_put(&depot, (struct freelist_chain){.len = 0});
}
