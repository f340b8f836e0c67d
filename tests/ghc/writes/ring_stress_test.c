/* SPDX-License-Identifier: MIT
 * An owner appends numbered commits as fast as it can; meanwhile readers search. What they find must be whole: it must
 * be of one commit, and the next one behind the version that was asked for, unless that was overwritten. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "random.h"
#include "ring.h"
#include "stress.h"

enum { READERS = 2, FOUND = 20000, TVARS = 4, NEAR = 64 };

static struct ring *ring;
static volatile AO_t newest, readers_left, defects;

/* Commit n writes version n of the TVar n % TVARS, and has n wherever there is room. Each seventh is withdrawn. */
static void append(AO_t n)
{
	struct ring_commit *commit = ring_begin(ring, n);
	AO_store(&commit->lane, n);
	AO_store(&commit->code, n);
	for (size_t i = 0; i < RING_CALLERS; i++)
		AO_store(&commit->callers[i], n);
	struct ring_write *write = ring_add(ring, 1 + n % TVARS, n);
	for (size_t i = 0; i < RING_SITES; i++)
		AO_store(&write->sites[i], n);
	ring_publish(ring);
	ring_finish(ring, n % 7 == 0 ? RING_WITHDRAWN : RING_DONE, n);
	AO_store_release(&newest, n);
}

static void *own(void *unused)
{
	for (AO_t n = 1; AO_load(&readers_left) != 0; n++)
		append(n);
	return unused;
}

static bool is_whole(const struct ring_found *found, uintptr_t tvar)
{
	AO_t n = found->version;
	bool is_same = found->lane == (uint32_t)n && found->code == n && 1 + n % TVARS == tvar;
	for (size_t i = 0; i < RING_CALLERS; i++)
		is_same &= found->callers[i] == n;
	for (size_t i = 0; i < RING_SITES; i++)
		is_same &= found->sites[i] == n;
	return is_same;
}

/* Whether no other commit of the TVar lies between the version and what was found. */
static bool is_next(const struct ring_found *found, uint64_t version)
{
	for (uint64_t n = version + 1; n < found->version; n++)
		if (n % TVARS == found->version % TVARS && n % 7 != 0)
			return false;
	return true;
}

/* The furthest are being overwritten. */
static uint64_t draw_version(struct random *random)
{
	AO_t now = AO_load_acquire(&newest);
	AO_t back = random_below(random, random_below(random, 2) == 0 ? 2 * RING_COMMITS : NEAR);
	return now > back ? now - back : 0;
}

static void *look(void *seed)
{
	struct random random = {(uintptr_t)seed};
	for (uint32_t left = stress_times(FOUND); left != 0;) {
		uint64_t version = draw_version(&random);
		uintptr_t tvar = 1 + random_below(&random, TVARS);
		struct ring_found found = {.version = UINT64_MAX};
		if (!ring_search(ring, tvar, version, 0, &found))
			continue;
		left--;
		if (!is_whole(&found, tvar) || (!found.is_cut && !is_next(&found, version)))
			AO_fetch_and_add1(&defects);
	}
	AO_fetch_and_sub1(&readers_left);
	return NULL;
}

TEST_WITH(no_leaks, what_readers_find_is_whole_while_the_owner_goes_on)
{
	pthread_t owner, readers[READERS];
	ring = calloc(1, sizeof *ring);
	assert_non_null(ring);
	AO_store(&readers_left, READERS);
	assert_int_equal(pthread_create(&owner, NULL, own, NULL), 0);
	for (uintptr_t i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, look, (void *)(i + 1)), 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	pthread_join(owner, NULL);
	assert_int_equal(AO_load(&defects), 0);
	free(ring);
}
