/* SPDX-License-Identifier: MIT
 * Transactions of a single thread: all of a transaction happens once, or nothing of it. */
#include "lazy_session.h"

#include "locks.h"

struct account {
	uintptr_t money;
	uintptr_t seen;
	unsigned attempts;
};

static void add_one(struct lazy_thread *thread, void *arg)
{
	struct account *account = arg;
	account->attempts++;
	lazy_write(thread, &account->money, lazy_read(thread, &account->money) + 1);
	account->seen = lazy_read(thread, &account->money);
}

static void add_one_and_regret(struct lazy_thread *thread, void *arg)
{
	add_one(thread, arg);
	lazy_abort(thread, "REGRET");
}

static void add_one_at_the_third_attempt(struct lazy_thread *thread, void *arg)
{
	struct account *account = arg;
	add_one(thread, arg);
	if (account->attempts < 3)
		lazy_retry(thread, "NOT_YET");
}

static void add_one_twice(struct lazy_thread *thread, void *arg)
{
	assert_true(lazy_run(thread, add_one, arg));
	assert_true(lazy_run(thread, add_one, arg));
}

TEST_WITH(lazy_session_fixture, a_write_is_read_by_its_transaction_and_in_memory_after_the_commit)
{
	struct account account = {.money = 41};
	assert_true(lazy_run(self, add_one, &account));
	assert_int_equal(account.seen, 42);
	assert_int_equal(account.money, 42);
}

TEST_WITH(lazy_session_fixture, a_transaction_that_is_given_up_has_not_happened)
{
	struct account account = {.money = 41};
	assert_false(lazy_run(self, add_one_and_regret, &account));
	assert_int_equal(account.attempts, 1);
	assert_int_equal(account.money, 41);
}

TEST_WITH(lazy_session_fixture, a_transaction_that_is_retried_happens_once)
{
	struct account account = {.money = 41};
	assert_true(lazy_run(self, add_one_at_the_third_attempt, &account));
	assert_int_equal(account.attempts, 3);
	assert_int_equal(account.money, 42);
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	assert_int_equal(tb_depth(tb_current(stack)), 0); /* the aborts have left the lines that had been entered */
}

TEST_WITH(lazy_session_fixture, a_transaction_within_a_transaction_is_part_of_it)
{
	struct account account = {.money = 40};
	AO_t before = lock_clock_now();
	assert_true(lazy_run(self, add_one_twice, &account));
	assert_int_equal(account.money, 42);
	assert_int_equal(lock_clock_now(), before + 2);
}

static void read_it(struct lazy_thread *thread, void *arg)
{
	struct account *account = arg;
	account->seen = lazy_read(thread, &account->money);
}

static void refuse_locks(void *arg)
{
	(void)arg;
	fail_msg("a lock was taken");
}

TEST_WITH(lazy_session_fixture, a_transaction_that_only_reads_takes_no_lock_and_leaves_the_clock)
{
	struct account account = {.money = 42};
	AO_t clock = lock_clock_now(), version = lock_look(lock_of(&account.money));
	lazy_while_locked(self, refuse_locks, NULL);
	assert_true(lazy_run(self, read_it, &account));
	assert_int_equal(account.seen, 42);
	assert_int_equal(lock_clock_now(), clock);
	assert_int_equal(lock_look(lock_of(&account.money)), version);
}

#define MANY 1000

static uintptr_t many[MANY + LOCKS];

static void write_many(struct lazy_thread *thread, void *arg)
{
	(void)arg;
	for (uintptr_t i = 0; i < MANY; i++)
		lazy_write(thread, &many[i], i);
	for (uintptr_t i = 0; i < MANY; i++)
		lazy_write(thread, &many[i + LOCKS], lazy_read(thread, &many[i]) + 1); /* the same locks */
}

TEST_WITH(lazy_session_fixture, more_writes_than_there_is_room_for_at_first_and_words_that_share_locks_are_no_trouble)
{
	assert_true(lazy_run(self, write_many, NULL));
	for (uintptr_t i = 0; i < MANY; i++) {
		assert_int_equal(many[i], i);
		assert_int_equal(many[i + LOCKS], i + 1);
		assert_false(lock_is_held(lock_look(lock_of(&many[i]))));
	}
}
