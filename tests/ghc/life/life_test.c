/* SPDX-License-Identifier: MIT
 * The module opens itself before the program begins, and again in a forked child. */
#include "functions.h"
#include "tvars.h"
#include "child.h"
#include "wait_until.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static struct haskell thread;
static struct hs_tvar *tvar;

/* One transaction is lost and commits; `poke` commits. */
static void transact(void)
{
	struct haskell other = haskell_thread();
	haskell_atomically(&thread, &victim);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
	assert_true(haskell_commit(&thread));
}

/* Measured or not. */
static uint64_t commits(void)
{
	struct stmlog_account account = haskell_account(&thread);
	return account.commits + account.unmeasured_commits;
}

TEST(the_module_is_open_before_the_program_begins)
{
	assert_true(ghc_rts.is_threaded);
	assert_int_equal(ghc_rts.entry_size, sizeof(struct hs_entry) + sizeof(uint64_t));
	transact();
	assert_int_equal(commits(), 1);
}

TEST(a_forked_child_has_an_account_of_its_own)
{
	transact();
	uint64_t before = commits();
	if (in_forked_child()) {
		transact();
		transact();
		_exit(commits() == 2 ? 0 : 1);
	}
	transact();
	assert_int_equal(commits(), before + 1);
}

/* ---- fork by C, which waits for nobody ---- */

static volatile AO_t is_inside, has_forked;

static void stay(void *unused, uintptr_t *object)
{
	(void)unused;
	(void)object;
	AO_store_release(&is_inside, 1);
	while (!AO_load_acquire(&has_forked))
		sched_yield();
}

static void *visit_objects(void *unused)
{
	objects_visit(stay, NULL);
	return unused;
}

/* The guard ends a child that waits for the thread, which it does not have. */
TEST(a_child_does_not_wait_for_threads_of_its_parent)
{
	pthread_t visitor;
	transact();
	assert_int_not_equal(objects_number(tvar), 0);
	assert_int_equal(pthread_create(&visitor, NULL, visit_objects, NULL), 0);
	while (!AO_load_acquire(&is_inside))
		sched_yield();
	pid_t child = fork();
	if (child == 0) {
		hang_guard_begin();
		transact();
		_exit(commits() == 1 ? 0 : 1);
	}
	AO_store_release(&has_forked, 1);
	assert_child_succeeds(child);
	assert_int_equal(pthread_join(visitor, NULL), 0);
}

static void set_up(void)
{
	thread = haskell_thread();
	tvar = fake_tvar();
}

static void tear_down(void)
{
	haskell_forget();
	fake_objects_free();
	stmlog_close(); /* with a report of these transactions */
}

static const struct test_fixture fixture = {set_up, tear_down};

GROUP_WITH(fixture);
