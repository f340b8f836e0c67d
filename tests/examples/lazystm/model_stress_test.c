/* SPDX-License-Identifier: MIT
 * Random transactions of several threads. */
#include "model.h"
#include "stress.h"

TEST_WITH(stm_session, transactions_do_what_they_would_do_one_after_the_other)
{
	model_test(stress_times(MODEL_TRANSACTIONS_MAX));
}
