/* SPDX-License-Identifier: MIT
 * Losses as messages of the program's eventlog. */
#include "two_threads.h"

#include <string.h>

#include "real.h"

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
