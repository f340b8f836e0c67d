/* SPDX-License-Identifier: MIT
 * Entries of an attempt: which of them has failed, in any chunk and any part of the attempt. */
#include "functions.h"

#include "entries.h"

enum { TVARS = 3 * HS_CHUNK_ENTRIES + 1 };

static struct haskell thread;
static struct hs_tvar *tvars[TVARS];
static struct ghc_lane *lane;

static void read_all(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		haskell_read(&thread, tvars[i]);
}

static void begin(void)
{
	thread = haskell_thread();
	for (size_t i = 0; i < TVARS; i++)
		tvars[i] = fake_tvar();
	haskell_atomically(&thread, &victim);
	lane = lane_of(hs_trec(thread.tso)->mark);
}

static struct changed changed(void)
{
	return entries_changed(lane, hs_trec(thread.tso));
}

static void end(void)
{
	haskell_kill(&thread);
}

static void any_entry_may_be_the_one_that_has_changed(void **state)
{
	(void)state;
	begin();
	read_all(0, TVARS);
	entries_note(lane, hs_trec(thread.tso));
	assert_null(changed().tvar);
	for (size_t i = 0; i < TVARS; i++) {
		uintptr_t value = tvars[i]->value;
		tvars[i]->value = fake_value();
		assert_ptr_equal(changed().tvar, tvars[i]);
		assert_false(changed().was_locked);
		tvars[i]->value = value;
	}
	end();
}

static void the_first_access_comes_first(void **state)
{
	(void)state;
	begin();
	read_all(0, TVARS);
	entries_note(lane, hs_trec(thread.tso));
	for (size_t i = TVARS; i-- != 0;) {
		tvars[i]->value = fake_value();
		assert_ptr_equal(changed().tvar, tvars[i]);
	}
	end();
}

static void parts_of_an_attempt_are_looked_at_from_the_outermost(void **state)
{
	(void)state;
	begin();
	read_all(0, 20);
	haskell_or_else(&thread);
	read_all(20, 30);
	haskell_catch(&thread);
	read_all(30, TVARS);
	entries_note(lane, hs_trec(thread.tso));
	const size_t changes[] = {TVARS - 1, 25, 19};
	for (size_t i = 0; i < 3; i++) {
		tvars[changes[i]]->value = fake_value();
		assert_ptr_equal(changed().tvar, tvars[changes[i]]);
	}
	end();
}

/* It is waited for, but not for long. */
static void a_lock_is_a_change(void **state)
{
	struct hs_trec other = {.info = 0};
	(void)state;
	begin();
	other.info = hs_trec(thread.tso)->info;
	read_all(0, 3);
	entries_note(lane, hs_trec(thread.tso));
	tvars[1]->value = (uintptr_t)&other;
	assert_ptr_equal(changed().tvar, tvars[1]);
	assert_true(changed().was_locked);
	assert_true(changed().is_locked);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HASKELL_TEST(any_entry_may_be_the_one_that_has_changed),
		HASKELL_TEST(the_first_access_comes_first),
		HASKELL_TEST(parts_of_an_attempt_are_looked_at_from_the_outermost),
		HASKELL_TEST(a_lock_is_a_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
