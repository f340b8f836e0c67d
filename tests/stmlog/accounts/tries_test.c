/* SPDX-License-Identifier: MIT
 * Distributions of attempts and lost time, by site. */
#include "tries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "random.h"
#include "test.h"

static struct tries tries;

static void clear(void)
{
	tries_clear(&tries);
}

static const struct test_fixture clear_fixture = {.set_up = clear};

/* What a reader finds, by position; the unknown site's has 0. */
enum { SITES = TRIES_MAX + 10 };
static struct stmlog_transaction_record found[SITES];
static size_t rows;

static void keep(const struct tries_site *site, void *arg)
{
	(void)arg;
	rows++;
	assert_true(site->site.position < SITES);
	found[site->site.position] = site->record;
}

static void read_all(void)
{
	rows = 0;
	memset(found, 0, sizeof found);
	tries_each(&tries, keep, NULL);
}

static struct tb_site site(uintptr_t position)
{
	return tb_site_make(position != 0 ? 1000 : 0, position);
}

static uint64_t sum_of(const uint64_t *buckets, size_t len)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < len; i++)
		sum += buckets[i];
	return sum;
}

/* ---- buckets ---- */

TEST_WITH(clear_fixture, the_first_rows_take_no_memory_once_it_is_reserved)
{
	tries_reserve(&tries);
	size_t live = mem_live_bytes();
	tries_reserve(&tries);
	tries_add(&tries, (struct tb_site){1, 1}, 2, 100, 10);
	tries_add(&tries, (struct tb_site){1, 2}, 1, 0, 10);
	assert_int_equal(mem_live_bytes(), live);
	read_all();
	assert_int_equal(found[1].commits, 1);
	assert_int_equal(found[2].commits, 1);
}

TEST_WITH(clear_fixture, without_memory_nothing_is_reserved_and_errno_stays)
{
	errno = 7;
	mem_fail_at(1);
	tries_reserve(&tries);
	mem_fail_at(0);
	assert_int_equal(errno, 7);
	tries_add(&tries, (struct tb_site){1, 1}, 2, 100, 10);
	read_all();
	assert_int_equal(found[1].commits, 1);
}

TEST_WITH(clear_fixture, small_values_have_buckets_of_their_own_and_larger_ones_four_per_power_of_two)
{
	for (uint64_t value = 0; value < 8; value++)
		assert_int_equal(tries_bucket(value, 100), value);
	static const struct {
		uint64_t value;
		size_t bucket;
	} borders[] = {{8, 8}, {9, 8}, {10, 9}, {11, 9}, {12, 10}, {14, 11}, {15, 11}, {16, 12}, {19, 12}, {20, 13},
		{28, 15}, {31, 15}, {32, 16}};
	for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
		assert_int_equal(tries_bucket(borders[i].value, 100), borders[i].bucket);
}

TEST_WITH(clear_fixture, buckets_ascend_and_the_last_one_has_the_rest)
{
	size_t before = 0;
	for (unsigned bit = 3; bit < 64; bit++) {
		for (uint64_t quarter = 0; quarter < 4; quarter++) {
			uint64_t low = (UINT64_C(4) + quarter) << (bit - 2);
			assert_int_equal(tries_bucket(low, 1000), before == 0 ? 8 : before + 1);
			assert_int_equal(tries_bucket(low - 1, 1000), before == 0 ? 7 : before);
			before = tries_bucket(low, 1000);
		}
	}
	assert_int_equal(tries_bucket(UINT64_MAX, 1000), before);
	assert_int_equal(tries_bucket(UINT64_MAX, STMLOG_LOST_BUCKETS), STMLOG_LOST_BUCKETS - 1);
	assert_int_equal(tries_bucket(UINT64_MAX, STMLOG_ATTEMPT_BUCKETS), STMLOG_ATTEMPT_BUCKETS - 1);
}

/* ---- rows ---- */

TEST_WITH(clear_fixture, nothing_is_there_before_the_first_transaction)
{
	read_all();
	assert_int_equal(rows, 0);
}

TEST_WITH(clear_fixture, clean_transactions_have_taken_one_attempt_and_lost_nothing)
{
	for (int i = 0; i < 5; i++)
		tries_add(&tries, site(1), 1, 0, 0);
	read_all();
	assert_int_equal(rows, 1);
	assert_int_equal(found[1].commits, 5);
	assert_int_equal(found[1].attempts, 5);
	assert_int_equal(found[1].max_attempts, 1);
	assert_int_equal(found[1].by_attempts[1], 5);
	assert_int_equal(found[1].by_lost_ns[0], 5);
	assert_int_equal(found[1].longest_ns, 0);
}

TEST_WITH(clear_fixture, each_row_is_of_one_site)
{
	tries_add(&tries, site(1), 1, 0, 70);
	tries_add(&tries, tb_site_make(2000, 2), 3, 100, 500);
	tries_add(&tries, site(2), 2, 50, 600);
	tries_add(&tries, site(1), 4, 1000, 30);
	rows = 0;
	tries_each(&tries, keep, NULL);
	assert_int_equal(rows, 3); /* two of them with position 2 */
	read_all();
	assert_int_equal(found[1].commits, 2);
	assert_int_equal(found[1].attempts, 5);
	assert_int_equal(found[1].lost_ns, 1000);
	assert_int_equal(found[1].committed_ns, 100);
	assert_int_equal(found[1].longest_ns, 1000);
	assert_int_equal(found[1].max_attempts, 4);
	assert_int_equal(found[1].by_attempts[4], 1);
	assert_int_equal(found[1].by_lost_ns[tries_bucket(1000, STMLOG_LOST_BUCKETS)], 1);
}

TEST_WITH(clear_fixture, reads_are_of_the_transactions_whose_reads_are_known)
{
	tries_add(&tries, site(1), 1, 0, 70);
	tries_add_reads(&tries, site(1), 30);
	tries_add(&tries, site(2), 1, 0, 70);
	tries_add(&tries, site(1), 3, 100, 70);
	tries_add_reads(&tries, site(1), 12);
	tries_add(&tries, site(1), 1, 0, 70);
	read_all();
	assert_int_equal(found[1].commits, 3);
	assert_int_equal(found[1].reads, 42);
	assert_int_equal(found[1].reads_known, 2);
	assert_int_equal(found[2].reads_known, 0);
	tries_add_reads(&tries, site(1), UINT64_MAX);
	read_all();
	assert_int_equal(found[1].reads, UINT64_MAX);
}

static struct tries_site woken;

static void keep_woken(const struct tries_site *site, void *arg)
{
	(void)arg;
	woken = *site;
}

TEST_WITH(clear_fixture, wakes_are_counted_by_waker_and_those_of_the_fifth_are_known_only)
{
	for (uintptr_t i = 1; i <= STMLOG_WAKERS + 1; i++)
		for (uintptr_t times = 0; times < 2 * i; times++)
			tries_add_wake(&tries, site(7), site(100 + i));
	tries_add_wake(&tries, site(7), site(0));
	tries_each(&tries, keep_woken, NULL);
	assert_int_equal(woken.site.position, 7);
	assert_int_equal(woken.blocked.wakes_known, 2 * (1 + 2 + 3 + 4 + 5));
	for (size_t i = 0; i < STMLOG_WAKERS; i++) {
		assert_int_equal(woken.wakers[i].position, 101 + i);
		assert_int_equal(woken.blocked.wakers[i].count, 2 * (1 + i));
	}
}

TEST_WITH(clear_fixture, a_transaction_that_nothing_can_wake_is_counted_at_its_site)
{
	tries_add_for_ever(&tries, site(7));
	tries_add_for_ever(&tries, site(7));
	tries_each(&tries, keep_woken, NULL);
	assert_int_equal(woken.site.position, 7);
	assert_int_equal(woken.blocked.for_ever, 2);
}

TEST_WITH(clear_fixture, unknown_sites_and_those_without_room_go_together)
{
	tries_add(&tries, site(0), 1, 0, 0);
	for (uintptr_t i = 1; i <= TRIES_MAX; i++)
		tries_add(&tries, site(i), 1, 0, 0);
	read_all();
	assert_int_equal(rows, TRIES_MAX + 1);
	assert_int_equal(found[0].commits, 1);
	tries_add(&tries, site(TRIES_MAX + 1), 2, 7, 0);
	tries_add(&tries, site(TRIES_MAX), 1, 0, 0);
	read_all();
	assert_int_equal(rows, TRIES_MAX + 1);
	assert_int_equal(found[0].commits, 2);
	assert_int_equal(found[0].lost_ns, 7);
	assert_int_equal(found[TRIES_MAX].commits, 2);
}

TEST_WITH(clear_fixture, a_site_for_which_there_is_no_memory_goes_to_the_others)
{
	errno = 1234;
	mem_fail_at(1);
	tries_add(&tries, site(1), 1, 0, 0);
	assert_int_equal(errno, 1234);
	read_all();
	assert_int_equal(found[0].commits, 1);
	tries_add(&tries, site(1), 1, 0, 0);
	read_all();
	assert_int_equal(found[1].commits, 1);
}

TEST_WITH(clear_fixture, a_transaction_for_whose_buckets_there_is_no_memory_goes_to_the_others)
{
	for (uintptr_t i = 1; i <= TRIES_MAX; i++)
		tries_add(&tries, site(i), 1, 0, 0);
	errno = 1234;
	mem_fail_at(1);
	for (uintptr_t i = 1; i <= TRIES_MAX && mem_fail_left() != 0; i++)
		tries_add(&tries, site(i), 2, 1000, 0);
	assert_int_equal(errno, 1234);
	read_all();
	assert_int_equal(found[0].commits, 1);
	assert_int_equal(found[0].by_attempts[2], 1);
	assert_int_equal(sum_of(found[0].by_lost_ns, STMLOG_LOST_BUCKETS), 1);
}

TEST_WITH(clear_fixture, rows_take_memory_only_for_sites_that_there_are)
{
	size_t bytes = mem_live_bytes();
	for (int times = 0; times < 100; times++)
		for (uintptr_t i = 1; i <= 4; i++)
			tries_add(&tries, site(i), 2, 5, 0);
	assert_int_equal(mem_live_bytes() - bytes, 4096);
	for (uintptr_t i = 1; i <= 16; i++)
		tries_add(&tries, site(i), 2, UINT64_C(1) << i, 0);
	assert_int_equal(mem_live_bytes() - bytes, 5 * 4096);
	tries_clear(&tries);
	assert_int_equal(mem_live_bytes(), bytes);
}

TEST_WITH(clear_fixture, random_transactions_add_up_as_in_a_plain_list)
{
	struct random random = {20261121};
	static uint64_t commits[SITES], attempts[SITES], lost_ns[SITES], longest_ns[SITES], max[SITES];
	for (int i = 0; i < 20000; i++) {
		uintptr_t at = random_below(&random, 40);
		uint64_t tried = random_below(&random, 3) == 0 ? 1 + random_below(&random, 100) : 1;
		uint64_t lost = tried > 1 ? random_below(&random, 1 << random_below(&random, 31)) : 0;
		tries_add(&tries, site(at), tried, lost, 0);
		commits[at]++;
		attempts[at] += tried;
		lost_ns[at] += lost;
		longest_ns[at] = lost > longest_ns[at] ? lost : longest_ns[at];
		max[at] = tried > max[at] ? tried : max[at];
	}
	read_all();
	for (size_t at = 0; at < 40; at++) {
		assert_int_equal(found[at].commits, commits[at]);
		assert_int_equal(found[at].attempts, attempts[at]);
		assert_int_equal(found[at].lost_ns, lost_ns[at]);
		assert_int_equal(found[at].longest_ns, longest_ns[at]);
		assert_int_equal(found[at].max_attempts, max[at]);
		assert_int_equal(sum_of(found[at].by_attempts, STMLOG_ATTEMPT_BUCKETS), commits[at]);
		assert_int_equal(sum_of(found[at].by_lost_ns, STMLOG_LOST_BUCKETS), commits[at]);
	}
}
