/* SPDX-License-Identifier: MIT
 * Entries of an attempt: which of them has failed, in any chunk and any part of the attempt; and losses as messages of
 * the program's eventlog. */
#include "two_threads.h"

#include <string.h>

#include "ghc_blame.h"
#include "real.h"

/* ---- entries ---- */

enum { TVARS = 3 * HS_CHUNK_ENTRIES + 1 };

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
		const struct hs_tvar *one = changed().tvar;
		for (size_t i = 0; i < TVARS; i++)
			found[i] += tvars[i] == one;
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
	struct hs_trec holding = {.info = 0};
	begin();
	holding.info = hs_trec(thread.tso)->info;
	read_all(0, 3);
	entries_note(lane, hs_trec(thread.tso));
	tvars[1]->value = (uintptr_t)&holding;
	assert_ptr_equal(changed().tvar, tvars[1]);
	assert_true(changed().was_locked);
	tvars[2]->value = fake_value(); /* nobody needs to be waited for */
	assert_ptr_equal(changed().tvar, tvars[2]);
	assert_false(changed().was_locked);
	end();
}

/* ---- messages ---- */

static char message[512];
static struct hs_capability *holder;
static size_t messages;
static bool is_on;

static void note(struct hs_capability *capability, char *text)
{
	holder = capability;
	messages++;
	strncpy(message, text, sizeof message - 1);
}

/* One attempt of two microseconds is lost. */
static void lose_logged(void (*function)(struct hs_capability *, char *), bool is_written)
{
	ghc_real.user_message = function;
	ghc_real.eventlog_is_on = function != NULL ? &is_on : NULL;
	is_on = is_written;
	messages = 0;
	begin_attempt();
	victim_reads(&thread, tvar);
	fake_clock_advance(2 * US);
	lose_once();
	ghc_real.user_message = NULL;
	ghc_real.eventlog_is_on = NULL;
}

TEST_WITH(haskell_fixture, a_lost_attempt_is_a_message_of_its_capability)
{
	lose_logged(note, true);
	assert_int_equal(messages, 1);
	assert_ptr_equal(holder, thread.capability);
	assert_string_equal(message, "stm abort INVALID: TVar #1 of ghc-prim:GHC.Types.I#, 2000 ns");
}

TEST_WITH(haskell_fixture, without_an_eventlog_there_is_no_message)
{
	lose_logged(note, false);
	assert_int_equal(messages, 0);
	lose_logged(NULL, false);
	assert_int_equal(messages, 0);
}

TEST_WITH(haskell_fixture, a_transaction_that_falls_asleep_is_a_message)
{
	ghc_real.user_message = note;
	ghc_real.eventlog_is_on = &is_on;
	is_on = true;
	begin_attempt();
	victim_reads(&thread, tvar);
	fake_clock_advance(3 * US);
	assert_true(haskell_retry(&thread));
	assert_string_equal(message, "stm block RETRY, 3000 ns");
	ghc_real.user_message = NULL;
	ghc_real.eventlog_is_on = NULL;
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(&thread));
	assert_true(haskell_commit(&thread));
}
