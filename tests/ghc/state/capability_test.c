/* SPDX-License-Identifier: MIT
 * How many transactions have committed that were not measured, read while the owner counts them. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "capability.h"
#include "sampling.h"

static struct ghc_capability mine;

static void empty(void)
{
	capability_set_due(&mine, 0, 1);
	AO_store(&mine.aborts, 0);
}

static const struct test_fixture count_fixture = {.set_up = empty};

static uint64_t commits(void)
{
	struct stmlog_unmeasured_counts counts;
	assert_true(capability_read_counts(&mine, &counts));
	return counts.commits;
}

TEST_WITH(count_fixture, commits_are_counted_whenever_the_next_transaction_is_due)
{
	uint64_t expected = 0;
	srandom(1);
	for (int i = 0; i < 10000; i++) {
		switch (random() % 8) {
		case 0:
			capability_set_due(&mine, expected, (uint64_t)random() % 10);
			break;
		case 1:
			sampling_pass(&mine);
			break;
		default:
			sampling_pass_committed(&mine);
			expected++;
		}
		assert_int_equal(commits(), expected);
	}
}

TEST_WITH(count_fixture, a_reader_that_has_interrupted_the_owner_says_so)
{
	struct stmlog_unmeasured_counts counts;
	AO_store(&mine.changes, AO_load(&mine.changes) + 1);
	assert_false(capability_read_counts(&mine, &counts));
	AO_store(&mine.changes, AO_load(&mine.changes) + 1);
	assert_true(capability_read_counts(&mine, &counts));
}

/* ---- another thread reads ---- */

#define TRANSACTIONS 20000

static volatile AO_t has_begun;

static void *read_until_the_end(void *arg)
{
	uint64_t last = 0;
	while (last < TRANSACTIONS) {
		struct stmlog_unmeasured_counts counts;
		if (!capability_read_counts(&mine, &counts))
			continue; /* the owner is off its processor */
		if (counts.commits < last || counts.commits > TRANSACTIONS)
			return arg;
		last = counts.commits;
		AO_store(&has_begun, 1);
	}
	return NULL;
}

TEST_WITH(count_fixture, counts_never_fall_and_are_never_too_high)
{
	pthread_t reader;
	void *wrong;
	AO_store(&has_begun, 0);
	assert_int_equal(pthread_create(&reader, NULL, read_until_the_end, &mine), 0);
	while (!AO_load(&has_begun))
		;
	for (uint64_t i = 1; i <= TRANSACTIONS; i++) {
		sampling_pass_committed(&mine);
		capability_set_due(&mine, i, i % 7);
	}
	assert_int_equal(pthread_join(reader, &wrong), 0);
	assert_null(wrong);
}
