/* SPDX-License-Identifier: MIT
 * Transactions of a single thread: all of a transaction happens once, or nothing of it. */
#include "stm_session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
	struct stm_object *object;
	unsigned attempts;
	uint64_t seen;
	struct stm_thread *gone; /* of a thread that has ended without giving it back */
};

static void add_one(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	account->attempts++;
	stm_write(thread, account->object, 0, stm_read(thread, account->object, 0) + 1);
	account->seen = stm_read(thread, account->object, 0);
}

static void add_one_and_regret(struct stm_thread *thread, void *arg)
{
	add_one(thread, arg);
	stm_abort(thread, "REGRET");
}

static void add_one_at_the_third_attempt(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	stm_enter(thread);
	add_one(thread, arg);
	if (account->attempts < 3)
		stm_retry(thread, "NOT_YET");
	stm_leave(thread);
}

static void add_one_for_good(struct stm_thread *thread, void *arg)
{
	stm_become_inevitable(thread);
	stm_become_inevitable(thread); /* it is */
	add_one(thread, arg);
	stm_abort(thread, "TOO_LATE");
	stm_retry(thread, "TOO_LATE");
}

static void add_one_twice(struct stm_thread *thread, void *arg)
{
	assert_true(stm_run(thread, add_one, arg));
	assert_true(stm_run(thread, add_one, arg));
}

static void read_it(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	account->seen = stm_read(thread, account->object, 0);
}

static uint64_t value_of(struct account *account)
{
	assert_true(stm_run(self, read_it, account));
	return account->seen;
}

TEST_WITH(stm_session_fixture, what_a_transaction_wrote_it_reads_and_others_after_the_commit)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_true(stm_run(self, add_one, &account));
	assert_int_equal(account.seen, 1);
	assert_int_equal(value_of(&account), 1);
}

TEST_WITH(stm_session_fixture, what_is_given_up_has_not_happened)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_false(stm_run(self, add_one_and_regret, &account));
	assert_int_equal(account.attempts, 1);
	assert_int_equal(value_of(&account), 0);
}

TEST_WITH(stm_session_fixture, what_is_retried_happens_once)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	size_t frames = tb_live_frames();
	assert_true(stm_run(self, add_one_at_the_third_attempt, &account));
	assert_int_equal(account.attempts, 3);
	assert_int_equal(value_of(&account), 1);
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	assert_int_equal(tb_depth(tb_current(stack)), 0); /* the aborts have left what the body had entered */
	assert_true(tb_live_frames() <= frames + 8);      /* trails and pending groups, no more */
}

TEST_WITH(stm_session_fixture, an_inevitable_transaction_cannot_be_given_up)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_true(stm_run(self, add_one_for_good, &account));
	assert_int_equal(account.attempts, 1);
	assert_int_equal(value_of(&account), 1);
}

TEST_WITH(stm_session_fixture, a_transaction_within_one_is_part_of_it)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_true(stm_run(self, add_one_twice, &account));
	assert_int_equal(value_of(&account), 2);
}

static void end_within(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	stm_write(thread, account->object, 0, 7);
	pthread_exit(NULL);
}

static void *run_and_end_within(void *arg)
{
	struct stm_thread *thread = stm_thread_begin();
	struct account *account = arg;
	account->gone = thread;
	stm_run(thread, end_within, arg);
	return NULL;
}

TEST_WITH(stm_session_fixture, a_thread_that_ends_within_a_transaction_leaves_nothing_behind)
{
	const struct stm_setup one = {1, STM_ABORT_SELF, false};
	struct account account = {.object = stm_object_create(NULL, 1)};
	pthread_t thread;
	assert_int_equal(stm_configure(&one), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_and_end_within, &account), 0);
	pthread_join(thread, NULL);
	assert_true(stm_run(self, add_one, &account)); /* there is a segment, and the lock is free */
	assert_int_equal(account.seen, 1);
	free(account.gone);
}

TEST_WITH(stm_session_fixture, a_setup_that_there_is_not_is_refused)
{
	const struct stm_setup bad[] = {{0, STM_ABORT_SELF, false}, {STM_SEGMENTS_MAX + 1, STM_ABORT_SELF, false},
		{1, (enum stm_manager)(STM_PAUSE + 1), false}};
	for (size_t i = 0; i < 3; i++) {
		errno = 0;
		assert_int_equal(stm_configure(&bad[i]), -1);
		assert_int_equal(errno, EINVAL);
	}
}

TEST_WITH(stm_session_fixture, an_object_that_nobody_uses_is_destroyed_at_once)
{
	struct stm_object *object = stm_object_create(NULL, 3);
	stm_object_destroy(self, &object);
	assert_null(object);
	stm_object_destroy(self, &object);
}
