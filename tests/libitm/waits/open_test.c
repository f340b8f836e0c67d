/* SPDX-License-Identifier: MIT
 * Which transactions a snapshot finds under way, and which one each may wait for, in rings that are written by hand. */
#include "alone.h"
#include "others.h"
#include "session_fixture.h"
#include "test.h"

enum { RINGS = 3, MAX = 8 };

static struct itm_ring *rings[RINGS];
static volatile unsigned serial; /* libitm's */
static struct stmlog_open_transaction open[MAX];

static void set_up(void)
{
	session_set_up();
	for (uint32_t i = 0; i < RINGS; i++) {
		rings[i] = itm_ring_acquire(1 + i);
		itm_ring_note_end(rings[i]); /* it is in no transaction */
	}
	serial = 0;
	itm_locks.serial = &serial;
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < RINGS; i++) {
		itm_alone_publish_wait(rings[i], 0);
		itm_ring_note_end(rings[i]);
		itm_ring_release(rings[i]);
	}
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* ---- what threads do ---- */

static void begin(struct itm_ring *ring, uintptr_t site)
{
	AO_store(&ring->site, site);
}

/* Returns since when. */
static uint64_t wait_for_lock(struct itm_ring *ring)
{
	uint64_t now_ns = stmlog_now_ns();
	itm_alone_publish_wait(ring, now_ns);
	return now_ns;
}

static void ask(struct itm_ring *ring, uintptr_t place)
{
	itm_alone_request(ring, place, ITM_WAY_ASKED);
	serial = 1;
}

/* ---- what a snapshot finds ---- */

static size_t look(void)
{
	fake_clock_advance(1);
	return itm_open_find(open, MAX, NULL);
}

static const struct stmlog_open_transaction *of_ring(size_t ring, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (open[i].thread == 1 + ring)
			return &open[i];
	return NULL;
}

static void assert_site(uintptr_t expected, struct tb_site found)
{
	struct tb_site site = tb_site_make(TB_CODE_ADDRESS, expected);
	assert_true(found.code == site.code && found.position == site.position);
}

static void assert_in_the_way(const struct stmlog_open_transaction *of, size_t ring, uintptr_t site)
{
	assert_int_equal(of->other_thread, 1 + ring);
	assert_site(site, of->other_site);
	assert_int_equal(of->grade, STMLOG_GRADE_CANDIDATE);
}

static void assert_none_in_the_way(const struct stmlog_open_transaction *of)
{
	assert_int_equal(of->other_thread, 0);
	assert_int_equal(of->other_site.position, 0);
}

/* ---- claims ---- */

/* Another one that asks, and waits as well, is not in its way, although it has waited longer. */
TEST_WITH(fixture, one_that_asks_to_run_alone_waits_for_the_one_inside)
{
	begin(rings[2], 0x444);
	ask(rings[2], 0x555);
	wait_for_lock(rings[2]);
	begin(rings[0], 0x111);
	assert_int_equal(look(), 1);
	begin(rings[1], 0x222);
	ask(rings[1], 0x333);
	uint64_t since_ns = wait_for_lock(rings[1]);
	const struct stmlog_open_transaction *found = of_ring(1, look());
	assert_non_null(found);
	assert_int_equal(found->kind, STMLOG_OPEN_WAIT);
	assert_int_equal(found->since_ns, since_ns);
	assert_site(0x222, found->site);
	assert_in_the_way(found, 0, 0x111);
}

/* It is known in the first snapshot, however short the other one may be. That one is named by the place where it asked,
 * or where it begins. */
TEST_WITH(fixture, a_begin_waits_for_the_one_that_has_asked_to_run_alone)
{
	for (int knows_place = 0; knows_place < 2; knows_place++) {
		begin(rings[0], 0x111);
		ask(rings[0], knows_place ? 0x333 : 0);
		begin(rings[1], 0x222);
		uint64_t since_ns = wait_for_lock(rings[1]);
		assert_int_equal(look(), 1);
		assert_int_equal(open[0].thread, 2);
		assert_int_equal(open[0].kind, STMLOG_OPEN_WAIT);
		assert_int_equal(open[0].since_ns, since_ns);
		assert_site(0x222, open[0].site);
		assert_in_the_way(&open[0], 0, knows_place ? 0x333 : 0x111);
		itm_ring_note_end(rings[0]);
	}
}

TEST_WITH(fixture, a_begin_waits_for_nobody_who_shares_the_lock)
{
	begin(rings[0], 0x111);
	assert_int_equal(look(), 0);
	begin(rings[1], 0x222);
	wait_for_lock(rings[1]);
	serial = 1;
	const struct stmlog_open_transaction *found = of_ring(1, look());
	assert_non_null(found);
	assert_none_in_the_way(found);
}

/* Another commit is not in its way, although it has waited longer. */
TEST_WITH(fixture, a_commit_waits_for_the_one_inside)
{
	begin(rings[1], 0x222);
	itm_ring_note_commit(rings[1], 0);
	begin(rings[2], 0x333);
	itm_ring_note_commit(rings[2], 0);
	assert_int_equal(look(), 0);
	uint64_t found_ns = stmlog_now_ns();
	begin(rings[0], 0x111);
	assert_int_equal(look(), 2);
	size_t len = look();
	assert_int_equal(len, 3);
	for (size_t ring = 1; ring < 3; ring++) {
		const struct stmlog_open_transaction *found = of_ring(ring, len);
		assert_non_null(found);
		assert_int_equal(found->kind, STMLOG_OPEN_COMMIT);
		assert_int_equal(found->since_ns, found_ns);
		assert_site(ring == 1 ? 0x222 : 0x333, found->site);
		assert_in_the_way(found, 0, 0x111);
	}
	const struct stmlog_open_transaction *inside = of_ring(0, len);
	assert_non_null(inside);
	assert_int_equal(inside->kind, STMLOG_OPEN_TRANSACTION);
	assert_none_in_the_way(inside);
}

/* It was under way in both snapshots, but it was not the same one. */
TEST_WITH(fixture, a_transaction_that_no_earlier_snapshot_has_found_is_left_out)
{
	begin(rings[0], 0x111);
	assert_int_equal(look(), 0);
	itm_ring_note_end(rings[0]);
	begin(rings[0], 0x111);
	assert_int_equal(look(), 0);
	assert_int_equal(look(), 1);
}
