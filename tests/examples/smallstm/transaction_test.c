/* SPDX-License-Identifier: MIT
 * Transactions of a single thread: what smallstm has beside transactions.c. */
#include <errno.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "smallstm.h"
#include "transactions.h"

static void add_one_for_good(struct stm_thread *thread, void *arg)
{
	stm_become_inevitable(thread);
	stm_become_inevitable(thread); /* it is */
	add_one(thread, arg);
	stm_abort(thread, "TOO_LATE");
	stm_retry(thread, "TOO_LATE");
}

TEST_WITH(stm_session, an_inevitable_transaction_cannot_be_given_up)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_true(stm_run(stm_self, add_one_for_good, &account));
	assert_int_equal(account.attempts, 1);
	assert_int_equal(value_of(&account), 1);
}

TEST_WITH(stm_session, a_setup_that_there_is_not_is_refused)
{
	const struct stm_setup bad[] = {{0, STM_ABORT_SELF, false}, {STM_SEGMENTS_MAX + 1, STM_ABORT_SELF, false},
		{1, (enum stm_manager)(STM_PAUSE + 1), false}};
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(stm_configure(&bad[i]), -EINVAL);
}

TEST_WITH(stm_session, an_object_that_nobody_uses_is_destroyed_at_once)
{
	struct stm_object *object = stm_object_create(NULL, 3);
	stm_object_destroy(stm_self, &object);
	assert_null(object);
	stm_object_destroy(stm_self, &object);
}
