/* SPDX-License-Identifier: MIT
 * Transactions of a single thread, in either STM: all of a transaction happens once, or nothing of it. Part of the
 * transaction_test of each STM. */
#include "transactions.h"

#include <stmlog/agent.h>
#include <stmlog/read.h>

void add_one(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	account->attempts++;
	stm_write(thread, account->object, 0, stm_read(thread, account->object, 0) + 1);
	account->seen = stm_read(thread, account->object, 0);
}

void read_it(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	account->seen = stm_read(thread, account->object, 0);
}

uint64_t value_of(struct account *account)
{
	stm_run(stm_self, read_it, account);
	return account->seen;
}

static void add_one_and_regret(struct stm_thread *thread, void *arg)
{
	add_one(thread, arg);
	stm_abort(thread, "REGRET");
}

static void add_one_at_the_third_attempt(struct stm_thread *thread, void *arg)
{
	struct account *account = arg;
	add_one(thread, arg);
	if (account->attempts < 3)
		stm_retry(thread, "NOT_YET");
}

static void add_one_twice(struct stm_thread *thread, void *arg)
{
	assert_true(stm_run(thread, add_one, arg));
	assert_true(stm_run(thread, add_one, arg));
}

/* Aborts have left the lines that had been entered. */
static void assert_nothing_entered(void)
{
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	assert_int_equal(tb_depth(tb_current(stack)), 0);
}

TEST_WITH(stm_session, what_a_transaction_wrote_it_reads_and_others_after_the_commit)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_true(stm_run(stm_self, add_one, &account));
	assert_int_equal(account.seen, 1);
	assert_int_equal(value_of(&account), 1);
}

TEST_WITH(stm_session, what_is_given_up_has_not_happened)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	assert_false(stm_run(stm_self, add_one_and_regret, &account));
	assert_int_equal(account.attempts, 1);
	assert_nothing_entered();
	assert_int_equal(value_of(&account), 0);
}

TEST_WITH(stm_session, what_is_retried_happens_once)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	size_t frames = tb_live_frames();
	assert_true(stm_run(stm_self, add_one_at_the_third_attempt, &account));
	assert_int_equal(account.attempts, 3);
	assert_int_equal(value_of(&account), 1);
	assert_nothing_entered();
	assert_true(tb_live_frames() <= frames + 8); /* cached origins and pending groups, no more */
}

TEST_WITH(stm_session, a_transaction_within_one_is_part_of_it)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	struct stmlog_account before, after;
	stmlog_account_read(stmlog_thread_self(), &before);
	assert_true(stm_run(stm_self, add_one_twice, &account));
	stmlog_account_read(stmlog_thread_self(), &after);
	assert_int_equal(after.commits - before.commits, 1);
	assert_int_equal(value_of(&account), 2);
}
