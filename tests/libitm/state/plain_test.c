/* SPDX-License-Identifier: MIT
 * Which dispatch object plain transactions have. */

#include "libitm_layout.h"
#include "plain.h"
#include "ring.h"
#include "test.h"

static _Alignas(8) const char optimistic[8], alone[8];

static void set_up(void)
{
	itm_locks.dispatch = optimistic;
	itm_plain_prepare();
}

static const struct test_fixture fixture = {.set_up = set_up};

/* As commit.c asks. */
static bool is_plain(const void *dispatch)
{
	return itm_scramble(dispatch) == AO_load(&itm_plain.dispatch);
}

TEST_WITH(fixture, libitm_has_scrambled_nothing_before_a_transaction)
{
	assert_int_equal(itm_dispatch_scrambled(), 0);
	assert_int_equal(itm_scramble(itm_dispatch()), 0);
}

TEST_WITH(fixture, only_transactions_with_the_dispatch_object_of_ml_wt_are_plain)
{
	assert_true(is_plain(optimistic));
	assert_false(is_plain(alone));
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

TEST_WITH(fixture, without_a_known_layout_no_transaction_is_plain)
{
	itm_locks.dispatch = NULL;
	itm_plain_prepare();
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

TEST_WITH(fixture, while_paused_no_transaction_is_plain)
{
	itm_plain_pause();
	assert_false(is_plain(optimistic));
	itm_plain_resume();
	assert_true(is_plain(optimistic));
}

/* Outside of transactions libitm's word is 0. */
TEST_WITH(fixture, alone_in_the_process_any_transaction_is_plain_until_another_thread_transacts)
{
	struct itm_ring *one = itm_ring_acquire(1);
	itm_plain_joined();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_plain_solo();
	assert_int_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	struct itm_ring *other = itm_ring_acquire(2);
	itm_plain_joined();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_plain_solo();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_ring_release(one);
	itm_ring_release(other);
}

TEST_WITH(fixture, where_plain_transactions_cannot_be_told_none_is_plain_alone_either)
{
	itm_locks.dispatch = NULL;
	itm_plain_prepare();
	itm_plain_solo();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
}
