/* SPDX-License-Identifier: MIT
 * Which dispatch object plain transactions have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hardware_code.h"
#include "libitm_layout.h"
#include "plain.h"
#include "ring.h"

static _Alignas(8) const char optimistic[8], alone[8];
static const struct itm_serial_lock lock;

static int set_up(void **state)
{
	(void)state;
	itm_hardware.lock = NULL;
	itm_locks.dispatch = optimistic;
	itm_plain_prepare();
	return 0;
}

/* As commit.c asks. */
static bool is_plain(const void *dispatch)
{
	return itm_scramble(dispatch) == AO_load(&itm_plain.dispatch);
}

static void libitm_has_scrambled_nothing_before_a_transaction(void **state)
{
	(void)state;
	assert_int_equal(itm_dispatch_scrambled(), 0);
	assert_int_equal(itm_scramble(itm_dispatch()), 0);
}

static void only_transactions_with_the_dispatch_object_of_ml_wt_are_plain(void **state)
{
	(void)state;
	assert_true(is_plain(optimistic));
	assert_false(is_plain(alone));
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

static void without_a_known_layout_no_transaction_is_plain(void **state)
{
	(void)state;
	itm_locks.dispatch = NULL;
	itm_plain_prepare();
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

static void with_hardware_transactions_no_transaction_is_plain(void **state)
{
	(void)state;
	itm_hardware.lock = &lock;
	itm_plain_prepare();
	assert_false(is_plain(optimistic));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
	itm_plain_resume();
	assert_false(is_plain(optimistic));
}

static void while_paused_no_transaction_is_plain(void **state)
{
	(void)state;
	itm_plain_pause();
	assert_false(is_plain(optimistic));
	itm_plain_resume();
	assert_true(is_plain(optimistic));
}

/* Outside of transactions libitm's word is 0. */
static void alone_in_the_process_any_transaction_is_plain_until_another_thread_transacts(void **state)
{
	(void)state;
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

static void where_plain_transactions_cannot_be_told_none_is_plain_alone_either(void **state)
{
	(void)state;
	itm_hardware.lock = &lock;
	itm_plain_prepare();
	itm_plain_solo();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(libitm_has_scrambled_nothing_before_a_transaction, set_up),
		cmocka_unit_test_setup(only_transactions_with_the_dispatch_object_of_ml_wt_are_plain, set_up),
		cmocka_unit_test_setup(without_a_known_layout_no_transaction_is_plain, set_up),
		cmocka_unit_test_setup(with_hardware_transactions_no_transaction_is_plain, set_up),
		cmocka_unit_test_setup(while_paused_no_transaction_is_plain, set_up),
		cmocka_unit_test_setup(where_plain_transactions_cannot_be_told_none_is_plain_alone_either, set_up),
		cmocka_unit_test_setup(
			alone_in_the_process_any_transaction_is_plain_until_another_thread_transacts, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
