/* SPDX-License-Identifier: MIT
 * Streams that grow while they are copied. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "access_streams.h"
#include "stress.h"
#include "test.h"

enum { THREADS = 2, RECORDS = 3 }; /* records of a transaction */

static struct thread {
	struct stmlog_access_record *at;
	size_t len;
} threads[THREADS];
static uint32_t transactions;
static atomic_int running;

/* Each record of a transaction has its number. */
static void *append(void *arg)
{
	struct thread *thread = arg;
	for (uint32_t i = 0; i < transactions; i++) {
		struct stmlog_access_record *at = thread->at + RECORDS * (size_t)i;
		at[0] = (struct stmlog_access_record){.address = i, .kind = STMLOG_ACCESS_BEGIN};
		at[1] = (struct stmlog_access_record){.address = i, .kind = STMLOG_ACCESS_READ};
		at[2] = (struct stmlog_access_record){.address = i, .kind = STMLOG_ACCESS_COMMIT};
		AO_store_release(&thread->len, RECORDS * ((size_t)i + 1)); /* partner: read_place() */
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

/* Whether the record is the one that belongs at this place of a stream. */
static bool is_right(const struct stmlog_access_record *record, size_t place)
{
	static const uint16_t kinds[] = {STMLOG_ACCESS_BEGIN, STMLOG_ACCESS_READ, STMLOG_ACCESS_COMMIT};
	return record->address == place / RECORDS && record->kind == kinds[place % RECORDS];
}

/* How many records of the streams there are in a copy, which must have whole transactions only. */
static size_t copy(void)
{
	struct buffer records = {.len = 0};
	access_streams_copy(&records);
	const struct stmlog_access_record *all = (const void *)records.bytes;
	size_t count = records.len / sizeof *all, streams = 0, place = 0;
	for (size_t i = 0; i < count; i++) {
		if (all[i].kind != STMLOG_ACCESS_THREAD) {
			assert_true(is_right(&all[i], place++));
			continue;
		}
		assert_int_equal(place % RECORDS, 0);
		assert_int_equal(all[i].address, ++streams);
		place = 0;
	}
	assert_int_equal(place % RECORDS, 0);
	buffer_fini(&records);
	return count - streams;
}

TEST(copies_are_whole_and_never_become_shorter)
{
	pthread_t handles[THREADS];
	size_t count = 0;
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	transactions = stress_times(100000);
	atomic_store(&running, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){.at = calloc(transactions, RECORDS * sizeof *threads[i].at)};
		assert_non_null(threads[i].at);
		assert_true(stmlog_accesses_share(1 + i, threads[i].at, &threads[i].len));
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&handles[i], NULL, append, &threads[i]), 0);
	while (atomic_load(&running) > 0) {
		size_t now = copy();
		assert_true(now >= count);
		count = now;
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(handles[i], NULL);
	assert_int_equal(copy(), THREADS * RECORDS * (size_t)transactions);
	stmlog_close();
	for (size_t i = 0; i < THREADS; i++)
		free(threads[i].at);
}
