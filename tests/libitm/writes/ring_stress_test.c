/* SPDX-License-Identifier: MIT
 * Owners write numbered entries, end their transactions, and release and acquire rings; meanwhile readers walk through
 * all rings. Entries that a reader takes for complete must be as they were written. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "random.h"
#include "ring.h"
#include "ring_writer.h"
#include "stress.h"
#include "test.h"

enum { OWNERS = 2, READERS = 2, ENTRIES = 500000, LIFE = 50000 };

static volatile AO_t owners_left;
static volatile AO_t defects, entries_seen;

/* The write number n has n in each field. The sites of a thread's transactions are numbers, too. */
static void write_numbered(struct itm_ring *ring, uint64_t n)
{
	ring_write(ring, &(struct itm_write){1 + n, n % 60000, 1 + n, (uint32_t)(n % 16000)});
}

static void *own(void *arg)
{
	struct random random = {(uintptr_t)arg};
	uint32_t enough = stress_times(ENTRIES);
	for (uint64_t n = 0; AO_load(&entries_seen) < enough;) {
		struct itm_ring *ring = itm_ring_acquire((uint32_t)(uintptr_t)arg);
		if (ring == NULL)
			break;
		for (uint32_t life = 0; life < LIFE && AO_load(&entries_seen) < enough; life++, n++) {
			AO_store(&ring->site, 1 + n);
			write_numbered(ring, n);
			if (random_below(&random, 4) == 0)
				itm_ring_append_end(ring, n);
		}
		itm_ring_release(ring);
	}
	AO_fetch_and_sub1(&owners_left);
	return NULL;
}

static bool is_numbered(const struct itm_write *write)
{
	uint64_t n = write->address - 1;
	return write->site == 1 + n && write->size == n % 60000 && write->context == n % 16000;
}

/* Walks a ring back from its head: the numbers of the writes must descend by one. */
static void look(const struct itm_ring *ring)
{
	struct itm_write seen[ITM_RING_ENTRIES];
	uint64_t at[ITM_RING_ENTRIES];
	size_t len = 0;
	struct itm_ring_reader reader = itm_ring_read(ring);
	while (itm_ring_back(&reader)) {
		if (reader.is_end)
			continue;
		seen[len] = reader.write;
		at[len++] = reader.position;
	}
	for (size_t i = 0; i < len; i++) {
		if (!itm_ring_was_whole(ring, at[i]) || AO_load(&ring->floor) > at[i])
			break;
		bool follows = i == 0 || seen[i].address + 1 == seen[i - 1].address;
		if (!is_numbered(&seen[i]) || !follows)
			AO_fetch_and_add1(&defects);
		AO_fetch_and_add1(&entries_seen);
	}
}

static void *look_on(void *unused)
{
	while (AO_load_acquire(&owners_left) != 0) {
		for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
			look(ring);
		sched_yield();
	}
	return unused;
}

TEST(what_passes_for_whole_is_what_was_written)
{
	pthread_t threads[OWNERS + READERS];
	AO_store(&owners_left, OWNERS);
	for (uintptr_t i = 0; i < OWNERS + READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i < OWNERS ? own : look_on, (void *)(i + 1)), 0);
	for (size_t i = 0; i < OWNERS + READERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(AO_load(&defects), 0);
}
