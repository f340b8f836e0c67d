/* SPDX-License-Identifier: MIT
 * Finding the culprit in rings that are written by hand: the holder of a lock, and writes to data that was read. */
#include <stdlib.h>
#include <string.h>

#include "culprit.h"
#include "libitm_layout.h"
#include "random.h"
#include "ring_writer.h"
#include "stamp.h"
#include "test.h"

#define MINE ((uintptr_t)0x7f1234560000)
enum { OTHERS = 3, READ_SITE = 0x500 };

static struct itm_ring *rings[1 + OTHERS]; /* [0]: the victim's */
static volatile AO_t commit_count;
static volatile AO_t locks[ITM_LOCKS];
static bool has_table;
static uint64_t scratch[ITM_LOCKS / 64];

static void set_up(void)
{
	AO_store(&commit_count, 100);
	memset((void *)(uintptr_t)locks, 0, sizeof locks);
	has_table = false;
	itm_locks = (struct itm_locks){.commit_count = &commit_count};
	for (uint32_t i = 0; i <= OTHERS; i++) {
		rings[i] = itm_ring_acquire(1 + i);
		AO_store(&rings[i]->holder, 0x4000 * (1 + i));
	}
}

static void tear_down(void)
{
	for (uint32_t i = 0; i <= OTHERS; i++)
		itm_ring_release(rings[i]);
	itm_locks = (struct itm_locks){.commit_count = NULL};
	for (size_t i = 0; i < ITM_LOCKS / 64; i++)
		assert_int_equal(scratch[i], 0);
}

static const struct test_fixture culprit_fixture = {set_up, tear_down};

static struct itm_victim victim(uint64_t began)
{
	return (struct itm_victim){.ring = rings[0], .began = began};
}

static struct itm_seen look(struct itm_range range)
{
	struct itm_seen nothing = {.address = 0};
	return has_table ? itm_culprit_look(locks, range, AO_load(&rings[0]->holder)) : nothing;
}

static struct itm_culprit lock_culprit(uint64_t began, uintptr_t address, size_t size)
{
	struct itm_victim self = victim(began);
	struct itm_range range = {address, size};
	self.seen = look(range);
	return itm_culprit_of_lock(&self, range, 0);
}

static bool holds_still(struct itm_culprit *culprit)
{
	struct itm_seen seen = look(culprit->mine);
	return itm_culprit_holds_still(culprit, culprit->mine, &seen);
}

/* A write of a transaction that is still under way. */
static void write_now(struct itm_ring *ring, uintptr_t site, uintptr_t address, size_t size)
{
	AO_store(&ring->site, site);
	ring_write(ring, &(struct itm_write){address, size, site + 1, 0});
}

static volatile AO_t *lock_of(uintptr_t address)
{
	return &locks[itm_lock_of_stripe(itm_stripe(address))];
}

/* The word of a lock that is held, as libitm makes it. */
static AO_t held_by(AO_t holder)
{
	return (AO_t)1 << 63 | holder >> 1;
}

static void hold(uintptr_t address, const struct itm_ring *ring)
{
	has_table = true;
	AO_store(lock_of(address), held_by(AO_load(&ring->holder)));
}

/* Another stripe with the lock of `address`. */
static uintptr_t alias_of(uintptr_t address)
{
	uintptr_t other = address + 4096;
	while (lock_of(other) != lock_of(address))
		other += ITM_STRIPE_BYTES;
	return other;
}

/* ---- overlap ---- */

TEST(overlap_is_told_by_bytes_then_by_stripe)
{
	static const struct {
		struct itm_range mine, theirs;
		enum stmlog_overlap overlap;
	} rows[] = {
		{{0x1000, 8}, {0x1000, 8}, STMLOG_OVERLAP_SAME},
		{{0x1000, 8}, {0x1007, 1}, STMLOG_OVERLAP_SAME},
		{{0x1000, 8}, {0x1008, 1}, STMLOG_OVERLAP_STRIPE},
		{{0x101f, 1}, {0x1000, 31}, STMLOG_OVERLAP_STRIPE},
		{{0x1020, 1}, {0x1000, 32}, STMLOG_OVERLAP_ALIAS},
		{{0x1010, 64}, {0x1060, 8}, STMLOG_OVERLAP_ALIAS},
		{{0x1010, 65}, {0x1058, 8}, STMLOG_OVERLAP_STRIPE},
		{{0x1010, 73}, {0x1058, 8}, STMLOG_OVERLAP_SAME},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(itm_overlap(rows[i].mine, rows[i].theirs), rows[i].overlap);
		assert_int_equal(itm_overlap(rows[i].theirs, rows[i].mine), rows[i].overlap);
	}
}

/* ---- a lock ---- */

TEST_WITH(culprit_fixture, who_alone_has_written_there_is_certain)
{
	write_now(rings[1], 0x111, MINE, 8);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(found.thread, 2);
	assert_int_equal(found.site, 0x111);
	assert_int_equal(found.write.site, 0x112);
	assert_int_equal(found.overlap, STMLOG_OVERLAP_SAME);
	assert_true(holds_still(&found));
	itm_ring_append_end(rings[1], 101);
	assert_false(holds_still(&found));
}

TEST_WITH(culprit_fixture, false_conflicts_are_told_from_true_ones)
{
	write_now(rings[1], 1, MINE + 8, 8);
	assert_int_equal(lock_culprit(100, MINE, 8).overlap, STMLOG_OVERLAP_STRIPE);
	itm_ring_append_end(rings[1], 99);
	write_now(rings[1], 1, alias_of(MINE), 8);
	assert_int_equal(lock_culprit(100, MINE, 8).overlap, STMLOG_OVERLAP_ALIAS);
}

/* Whichever write the lock was taken for, one of them touches the same data. */
TEST_WITH(culprit_fixture, the_write_that_touches_the_same_data_counts_max)
{
	write_now(rings[1], 1, MINE + 8, 8);
	write_now(rings[1], 2, MINE, 8);
	write_now(rings[1], 3, alias_of(MINE), 8);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.overlap, STMLOG_OVERLAP_SAME);
	assert_int_equal(found.write.address, MINE);
}

TEST_WITH(culprit_fixture, a_long_access_meets_what_falls_within_it)
{
	write_now(rings[1], 1, MINE + 500, 1);
	assert_int_equal(lock_culprit(100, MINE, 501).overlap, STMLOG_OVERLAP_SAME);
	assert_int_equal(lock_culprit(100, MINE, 500).overlap, STMLOG_OVERLAP_STRIPE);
	assert_int_equal(lock_culprit(100, MINE, 480).grade, STMLOG_GRADE_UNKNOWN);
	itm_ring_append_end(rings[1], 99);
	write_now(rings[1], 1, MINE, 501);
	assert_int_equal(lock_culprit(100, MINE + 500, 1).overlap, STMLOG_OVERLAP_SAME);
}

TEST_WITH(culprit_fixture, who_ended_before_the_attempt_began_is_not_to_blame)
{
	ring_transaction(rings[1], 1, MINE, 8, 99);
	assert_true(lock_culprit(100, MINE, 8).is_nobody);
	ring_transaction(rings[1], 1, MINE, 8, 100);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_false(holds_still(&found));
}

TEST_WITH(culprit_fixture, two_that_may_have_held_it_are_candidates)
{
	write_now(rings[1], 1, MINE, 8);
	write_now(rings[2], 2, MINE, 8);
	assert_int_equal(lock_culprit(100, MINE, 8).grade, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(culprit_fixture, of_two_the_one_that_the_lock_names_is_certain)
{
	for (size_t i = 1; i <= OTHERS; i++)
		write_now(rings[i], 0x100 * i, MINE, 8);
	for (size_t i = 1; i <= OTHERS; i++) {
		hold(MINE, rings[i]);
		struct itm_culprit found = lock_culprit(100, MINE, 8);
		assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
		assert_ptr_equal(found.ring, rings[i]);
	}
}

/* Both wait for the lock, as the victim does; the lock has just been released. */
TEST_WITH(culprit_fixture, who_has_just_ended_held_it_if_nobody_does_now)
{
	has_table = true;
	write_now(rings[1], 1, MINE, 8);
	write_now(rings[2], 2, MINE, 8);
	ring_transaction(rings[3], 3, MINE, 8, 100);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_ptr_equal(found.ring, rings[3]);
}

TEST_WITH(culprit_fixture, who_ended_long_ago_does_not_make_the_holder_less_certain)
{
	ring_transaction(rings[1], 1, MINE, 8, 101);
	AO_store(&commit_count, 200);
	write_now(rings[2], 2, MINE, 8);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_ptr_equal(found.ring, rings[2]);
}

/* The transaction may have ended in between; but not the second time. */
TEST_WITH(culprit_fixture, who_holds_a_lock_that_was_just_given_up_is_certain_when_met_again)
{
	ring_transaction(rings[1], 1, MINE, 8, 100);
	write_now(rings[2], 2, MINE, 8);
	hold(MINE, rings[2]);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_CANDIDATE);
	assert_ptr_equal(found.ring, rings[2]);
	struct itm_culprit later = found;
	hold(MINE, rings[1]);
	assert_false(holds_still(&later));
	hold(MINE, rings[2]);
	assert_true(holds_still(&later));
	assert_int_equal(later.grade, STMLOG_GRADE_CERTAIN);
	itm_ring_append_end(rings[2], 100);
	later = found;
	assert_false(holds_still(&later));
}

TEST_WITH(culprit_fixture, whom_the_lock_named_when_it_was_met_is_certain)
{
	struct itm_victim self = victim(100);
	struct itm_range range = {MINE, 8};
	write_now(rings[1], 1, MINE, 8);
	write_now(rings[2], 2, MINE, 8);
	ring_transaction(rings[3], 3, MINE, 8, 100);
	for (size_t i = 1; i <= OTHERS; i++) {
		struct itm_culprit found = itm_culprit_of_lock(&self, range, held_by(AO_load(&rings[i]->holder)));
		assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
		assert_ptr_equal(found.ring, rings[i]);
	}
	/* A holder that is not known, or that has not written there, is ignored. */
	assert_int_equal(itm_culprit_of_lock(&self, range, held_by(0x123450)).grade, STMLOG_GRADE_CANDIDATE);
	range.address = MINE + 4096;
	assert_true(itm_culprit_of_lock(&self, range, held_by(AO_load(&rings[1]->holder))).is_nobody);
}

/* The data barriers were off when it wrote, so the ring has only where it began. */
TEST_WITH(culprit_fixture, a_holder_whose_write_is_in_no_ring_is_known_by_its_begin)
{
	struct itm_victim self = victim(100);
	struct itm_range range = {MINE, 8};
	hold(MINE, rings[1]);
	self.seen = look(range);
	for (int is_in_part = 0; is_in_part < 2; is_in_part++) {
		self.is_in_part = is_in_part;
		AO_store(&rings[1]->site, 0x700);
		struct itm_culprit found = itm_culprit_of_lock(&self, range, 0);
		assert_ptr_equal(found.ring, is_in_part ? rings[1] : NULL);
		if (!is_in_part)
			continue;
		assert_int_equal(found.grade, STMLOG_GRADE_CANDIDATE);
		assert_int_equal(found.site, 0x700);
		assert_int_equal(found.write.site, 0);
		assert_int_equal(found.overlap, STMLOG_OVERLAP_UNKNOWN);
		assert_true(holds_still(&found));
		AO_store(&rings[1]->site, 0x700 | ITM_RING_IS_OVER);
		assert_null(itm_culprit_of_lock(&self, range, 0).ring);
	}
}

/* A transaction that had released the lock before was not in the way. */
TEST_WITH(culprit_fixture, who_took_a_lock_that_was_seen_free_is_certain)
{
	struct itm_victim self = victim(100);
	struct itm_range range = {MINE, 8};
	ring_transaction(rings[1], 1, MINE, 8, 100);
	write_now(rings[2], 2, MINE, 8);
	assert_int_equal(itm_culprit_of_lock(&self, range, 0).grade, STMLOG_GRADE_CANDIDATE);
	assert_ptr_equal(itm_culprit_of_lock(&self, range, 99 << 3).ring, rings[1]);
	struct itm_culprit found = itm_culprit_of_lock(&self, range, 100 << 3);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_ptr_equal(found.ring, rings[2]);
	ring_transaction(rings[3], 3, MINE, 8, 101); /* has taken it first, and given it to the one under way */
	AO_store(&commit_count, 101);
	found = itm_culprit_of_lock(&self, range, 100 << 3);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_ptr_equal(found.ring, rings[3]);
}

TEST_WITH(culprit_fixture, of_a_long_access_the_first_lock_that_is_held_names_the_holder)
{
	write_now(rings[1], 1, MINE + 64, 8);
	write_now(rings[2], 2, MINE + 128, 8);
	hold(MINE + 64, rings[1]);
	hold(MINE + 128, rings[2]);
	struct itm_culprit found = lock_culprit(100, MINE, 256);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	assert_ptr_equal(found.ring, rings[1]);
	AO_store(lock_of(MINE + 64), 0);
	assert_ptr_equal(lock_culprit(100, MINE, 256).ring, rings[2]);
}

TEST_WITH(culprit_fixture, own_writes_are_nobody_elses)
{
	write_now(rings[0], 1, MINE, 8);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_UNKNOWN);
	assert_true(found.is_nobody);
}

TEST_WITH(culprit_fixture, a_ring_that_does_not_reach_back_makes_nobody_certain)
{
	write_now(rings[1], 1, MINE, 8);
	for (size_t i = 0; i < 2 * ITM_RING_ENTRIES; i++)
		write_now(rings[2], 2, MINE + 0x1000, 8);
	assert_int_equal(lock_culprit(100, MINE, 8).grade, STMLOG_GRADE_CANDIDATE);
	itm_ring_append_end(rings[1], 99);
	struct itm_culprit found = lock_culprit(100, MINE, 8);
	assert_int_equal(found.grade, STMLOG_GRADE_UNKNOWN);
	assert_false(found.is_nobody);
}

/* Random transactions, compared with a plain list of them. */
TEST_WITH(culprit_fixture, the_lock_is_found_as_in_a_plain_list)
{
	struct random random = {1};
	for (int round = 0; round < 300; round++) {
		uint64_t began = 100 + random_below(&random, 30);
		bool is_in_way[1 + OTHERS] = {false};
		uint64_t stamp = 100;
		for (int i = 0; i < 40; i++) {
			uint32_t who = 1 + random_below(&random, OTHERS);
			uintptr_t address = MINE + 8 * random_below(&random, 40);
			ring_transaction(rings[who], 1, address, 8, stamp);
			if (stamp >= began && itm_stripe(address) == itm_stripe(MINE))
				is_in_way[who] = true;
			stamp += random_below(&random, 2);
		}
		AO_store(&commit_count, stamp + 10); /* so that none is recent */
		struct itm_culprit found = lock_culprit(began, MINE, 8);
		unsigned in_way = 0;
		for (uint32_t i = 1; i <= OTHERS; i++)
			in_way += is_in_way[i];
		assert_int_equal(found.is_nobody, in_way == 0);
		assert_int_equal(found.grade, in_way == 0   ? STMLOG_GRADE_UNKNOWN
					      : in_way == 1 ? STMLOG_GRADE_CERTAIN
							    : STMLOG_GRADE_CANDIDATE);
		if (in_way != 0)
			assert_true(is_in_way[found.thread - 1]);
		tear_down();
		set_up();
	}
}

/* ---- what was read ---- */

static struct itm_culprit reads_culprit(uint64_t began, const uintptr_t *addresses, size_t len, bool is_cut)
{
	struct itm_read reads[16];
	for (size_t i = 0; i < len; i++)
		reads[i] = (struct itm_read){addresses[i], READ_SITE + i};
	struct itm_victim self = victim(began);
	return itm_culprit_of_reads(&self, (struct itm_reads){reads, len, is_cut}, scratch);
}

TEST_WITH(culprit_fixture, the_first_read_that_was_written_to_names_a_candidate)
{
	static const uintptr_t reads[] = {MINE, MINE + 0x100, MINE + 0x200, MINE + 0x300};
	ring_transaction(rings[1], 0x111, MINE + 0x300, 8, 101);
	ring_transaction(rings[2], 0x222, MINE + 0x208, 8, 102);
	struct itm_culprit found = reads_culprit(100, reads, 4, false);
	assert_int_equal(found.grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(found.thread, 3);
	assert_int_equal(found.site, 0x222);
	assert_int_equal(found.mine.address, MINE + 0x200);
	assert_int_equal(found.mine_site, READ_SITE + 2);
	assert_int_equal(found.overlap, STMLOG_OVERLAP_STRIPE);
}

TEST_WITH(culprit_fixture, who_committed_before_the_attempt_began_has_changed_nothing)
{
	static const uintptr_t reads[] = {MINE, MINE + 0x100};
	ring_transaction(rings[1], 1, MINE, 8, 100);
	ring_transaction(rings[2], 2, MINE + 0x100, 8, 101);
	assert_int_equal(reads_culprit(100, reads, 2, false).thread, 3);
}

/* A pair of stripes that have only the lock in common; with few other writes, and with very many. */
TEST_WITH(culprit_fixture, an_alias_counts_only_where_it_is_not_to_be_expected)
{
	const uintptr_t reads[] = {MINE};
	ring_transaction(rings[1], 1, alias_of(MINE), 8, 101);
	assert_int_equal(reads_culprit(100, reads, 1, false).overlap, STMLOG_OVERLAP_ALIAS);
	for (uintptr_t i = 1; i <= 3; i++)
		ring_transaction(rings[1], 1, 2 * MINE + 0x10000 * i, 0xffff, 101);
	struct itm_culprit found = reads_culprit(100, reads, 1, false);
	assert_int_equal(found.grade, STMLOG_GRADE_UNKNOWN);
	assert_false(found.is_nobody);
	ring_transaction(rings[2], 2, MINE, 8, 101); /* this one is no chance */
	assert_int_equal(reads_culprit(100, reads, 1, false).thread, 3);
}

/* An abort does not raise the count, but its locks were in the way before. */
TEST_WITH(culprit_fixture, who_ended_without_a_commit_is_found_if_nobody_else_is)
{
	static const uintptr_t reads[] = {MINE};
	ring_transaction(rings[1], 1, MINE, 8, 100);
	assert_int_equal(reads_culprit(100, reads, 1, false).grade, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(culprit_fixture, nobody_is_said_only_where_all_is_on_record)
{
	static const uintptr_t reads[] = {MINE};
	ring_transaction(rings[1], 1, MINE + 0x100, 8, 101);
	assert_true(reads_culprit(100, reads, 1, false).is_nobody);
	assert_false(reads_culprit(100, reads, 1, true).is_nobody);
	assert_true(reads_culprit(100, reads, 0, false).is_nobody);
	for (size_t i = 0; i < 2 * ITM_RING_ENTRIES; i++)
		write_now(rings[2], 2, MINE + 0x1000, 8);
	assert_false(reads_culprit(100, reads, 1, false).is_nobody);
}

/* A transaction may have the lock whose writes were not recorded. But if the lock names its holder, that one it is. */
TEST_WITH(culprit_fixture, where_writes_may_be_missing_nobody_is_certain_but_whom_the_lock_named)
{
	static const uintptr_t reads[] = {MINE};
	const struct itm_read read = {MINE, READ_SITE};
	struct itm_victim self = victim(100);
	struct itm_range range = {MINE, 8};
	assert_true(itm_culprit_of_lock(&self, range, 0).is_nobody);
	assert_true(reads_culprit(100, reads, 1, false).is_nobody);
	self.is_in_part = true;
	assert_false(itm_culprit_of_lock(&self, range, 0).is_nobody);
	assert_false(itm_culprit_of_reads(&self, (struct itm_reads){&read, 1, false}, scratch).is_nobody);
	write_now(rings[1], 1, MINE, 8);
	assert_int_equal(itm_culprit_of_lock(&self, range, 0).grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(itm_culprit_of_lock(&self, range, 99 << 3).grade, STMLOG_GRADE_CANDIDATE);
	AO_t word = held_by(AO_load(&rings[1]->holder));
	assert_int_equal(itm_culprit_of_lock(&self, range, word).grade, STMLOG_GRADE_CERTAIN);
	self.is_in_part = false;
	assert_int_equal(itm_culprit_of_lock(&self, range, 0).grade, STMLOG_GRADE_CERTAIN);
}
