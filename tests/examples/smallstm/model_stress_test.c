/* SPDX-License-Identifier: MIT
 * Random transactions of several threads, under each manager. */
#include "model.h"
#include "smallstm.h"
#include "stress.h"

TEST_WITH(stm_session, under_each_manager_transactions_do_what_they_would_one_after_the_other)
{
	for (enum stm_manager manager = STM_ABORT_SELF; manager <= STM_PAUSE; manager++) {
		for (int detect = 0; detect < 2; detect++) {
			const struct stm_setup settings = {4, manager, detect != 0};
			assert_int_equal(stm_configure(&settings), 0);
			model_test(stress_times(2000));
		}
	}
}
