/* SPDX-License-Identifier: MIT
 * A bank in lazystm: the sum of the money never changes, and an audit never sees another one, even in an attempt that
 * will abort. All losses are recorded. */
#include "bank.h"
#include "stress.h"

TEST_WITH(stm_session, a_bank_keeps_its_money_and_each_audit_finds_all_of_it)
{
	const struct bank_setup bank = {.desks = 4, .clerks = 1, .operations = stress_times(200000), .every_audit = 4};
	bank_test(&bank);
}

TEST_WITH(stm_session, a_bank_keeps_its_money_while_threads_begin_and_end)
{
	const struct bank_setup bank = {.desks = 4,
		.clerks = 1 + stress_times(40),
		.operations = RUNNING_ON_VALGRIND ? 10 : 50,
		.every_audit = 4};
	bank_test(&bank);
}
