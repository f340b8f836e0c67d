/* SPDX-License-Identifier: MIT
 * Entries of an attempt: which of them has failed, in any chunk and any part of the attempt. */
#include <string.h>

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

TEST_WITH(haskell_fixture, any_entry_may_be_the_one_that_has_changed)
{
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

TEST_WITH(haskell_fixture, entries_of_all_chunks_are_counted_behind_the_commit_as_well)
{
	begin();
	read_all(0, TVARS);
	haskell_read(&thread, tvars[0]); /* makes no entry */
	entries_note(lane, hs_trec(thread.tso));
	assert_int_equal(entries_len(lane), TVARS);
	assert_true(haskell_commit(&thread));
	assert_int_equal(entries_len(lane), TVARS);
}

/* How often each of the TVars was found, in this many looks. */
enum { LOOKS = 10000 };
static uint64_t found[TVARS];

static void look(void)
{
	memset(found, 0, sizeof found);
	for (size_t looks = 0; looks < LOOKS; looks++) {
		const struct hs_tvar *tvar = changed().tvar;
		for (size_t i = 0; i < TVARS; i++)
			found[i] += tvars[i] == tvar;
	}
}

TEST_WITH(haskell_fixture, of_several_changes_each_is_found_as_often)
{
	enum { CHANGES = 5 };
	static const size_t changes[CHANGES] = {0, 1, HS_CHUNK_ENTRIES, TVARS / 2, TVARS - 1};
	begin();
	read_all(0, TVARS);
	entries_note(lane, hs_trec(thread.tso));
	for (size_t i = 0; i < CHANGES; i++)
		tvars[changes[i]]->value = fake_value();
	look();
	for (size_t i = 0; i < CHANGES; i++)
		assert_in_range(found[changes[i]], LOOKS / CHANGES * 9 / 10, LOOKS / CHANGES * 11 / 10);
	end();
}

TEST_WITH(haskell_fixture, all_parts_of_an_attempt_are_looked_at)
{
	static const size_t changes[] = {19, 25, TVARS - 1};
	begin();
	read_all(0, 20);
	haskell_or_else(&thread);
	read_all(20, 30);
	haskell_catch(&thread);
	read_all(30, TVARS);
	entries_note(lane, hs_trec(thread.tso));
	for (size_t i = 0; i < 3; i++)
		tvars[changes[i]]->value = fake_value();
	look();
	for (size_t i = 0; i < 3; i++)
		assert_in_range(found[changes[i]], LOOKS / 4, LOOKS / 2);
	end();
}

/* It is waited for, but not for long. */
TEST_WITH(haskell_fixture, a_lock_is_a_change)
{
	struct hs_trec other = {.info = 0};
	begin();
	other.info = hs_trec(thread.tso)->info;
	read_all(0, 3);
	entries_note(lane, hs_trec(thread.tso));
	tvars[1]->value = (uintptr_t)&other;
	assert_ptr_equal(changed().tvar, tvars[1]);
	assert_true(changed().was_locked);
	tvars[2]->value = fake_value(); /* nobody needs to be waited for */
	assert_ptr_equal(changed().tvar, tvars[2]);
	assert_false(changed().was_locked);
	end();
}
