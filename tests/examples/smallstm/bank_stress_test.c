/* SPDX-License-Identifier: MIT
 * A bank in smallstm: desks move money under every manager. The sum of the money never changes, and all losses are
 * recorded. */
#include "bank.h"
#include "smallstm.h"
#include "stress.h"

static void become_inevitable(struct stm_thread *thread)
{
	stm_become_inevitable(thread);
}

/* Under any manager, with enough segments and with too few. */
static void a_bank_never_has_more_or_less_money(const struct stm_setup *settings)
{
	const struct bank_setup bank = {
		.desks = is_below_drd() ? 4 : 8,
		.clerks = 1 + stress_times(40),
		.operations = RUNNING_ON_VALGRIND ? 10 : 50,
		.every_audit = 20,
		.become_inevitable = become_inevitable,
	};
	assert_int_equal(stm_configure(settings), 0);
	bank_test(&bank);
}

TEST_WITH(stm_session, a_bank_keeps_its_money_whoever_gives_way)
{
	for (enum stm_manager manager = STM_ABORT_SELF; manager <= STM_PAUSE; manager++) {
		for (int detect = 0; detect < 2; detect++) {
			const struct stm_setup settings = {is_below_drd() ? 4 : 8, manager, detect != 0};
			a_bank_never_has_more_or_less_money(&settings);
		}
	}
}

TEST_WITH(stm_session, a_bank_keeps_its_money_with_fewer_segments_than_threads)
{
	const struct stm_setup one = {1, STM_ABORT_SELF, false}, three = {3, STM_PAUSE, true};
	a_bank_never_has_more_or_less_money(&one);
	a_bank_never_has_more_or_less_money(&three);
}
