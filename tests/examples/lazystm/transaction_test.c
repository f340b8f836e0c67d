/* SPDX-License-Identifier: MIT
 * Transactions of a single thread: what lazystm has beside transactions.c. */
#include "lazystm.h"
#include "locks.h"
#include "transactions.h"

static void refuse_locks(void *arg)
{
	(void)arg;
	fail_msg("a lock was taken");
}

TEST_WITH(stm_session, a_transaction_that_only_reads_takes_no_lock_and_leaves_the_clock)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	account.object->word[0] = 42;
	AO_t clock = lock_clock_now(), version = lock_look(lock_of(&account.object->word[0]));
	stm_while_locked(stm_self, refuse_locks, NULL);
	assert_true(stm_run(stm_self, read_it, &account));
	assert_int_equal(account.seen, 42);
	assert_int_equal(lock_clock_now(), clock);
	assert_int_equal(lock_look(lock_of(&account.object->word[0])), version);
}

static void add_one_twice(struct stm_thread *thread, void *arg)
{
	assert_true(stm_run(thread, add_one, arg));
	assert_true(stm_run(thread, add_one, arg));
}

TEST_WITH(stm_session, a_transaction_with_one_within_it_advances_the_clock_once)
{
	struct account account = {.object = stm_object_create(NULL, 1)};
	AO_t before = lock_clock_now();
	assert_true(stm_run(stm_self, add_one_twice, &account));
	assert_int_equal(account.object->word[0], 2);
	assert_int_equal(lock_clock_now(), before + 2);
}

#define MANY 1000

static void write_many(struct stm_thread *thread, void *object)
{
	for (size_t i = 0; i < MANY; i++)
		stm_write(thread, object, i, i);
	for (size_t i = 0; i < MANY; i++)
		stm_write(thread, object, i + LOCKS, stm_read(thread, object, i) + 1); /* the same locks */
}

TEST_WITH(stm_session, more_writes_than_there_is_room_for_at_first_and_words_that_share_locks_are_no_trouble)
{
	struct stm_object *many = stm_object_create(NULL, MANY + LOCKS);
	assert_true(stm_run(stm_self, write_many, many));
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(many->word[i], i);
		assert_int_equal(many->word[i + LOCKS], i + 1);
		assert_false(lock_is_held(lock_look(lock_of(&many->word[i]))));
	}
}
