/* SPDX-License-Identifier: MIT
 * The accesses of an attempt. The lanes of a capability: of attempts under way, spare, or forgotten by a forked child.
 */
#include "functions.h"

#include <string.h>
#include <unistd.h>

#include "child.h"

/* ---- accesses ---- */

static struct records records;

static void clear(void)
{
	records.len = 0;
}

static struct record *add(uintptr_t tvar, bool is_write)
{
	struct record *record = records_next(&records);
	record->tvar = tvar;
	record->is_write = is_write;
	records_append(&records);
	return record;
}

TEST_WITH(no_leaks, a_tvar_is_found_by_its_first_access)
{
	clear();
	assert_null(records_first(&records, 1));
	const struct record *first = add(1, false);
	add(2, false);
	add(1, true);
	assert_ptr_equal(records_first(&records, 1), first);
	assert_null(records_first(&records, 3));
}

TEST_WITH(no_leaks, there_are_so_many_records_and_no_more)
{
	clear();
	for (uintptr_t i = 1; i <= RECORDS_MAX; i++)
		add(i, false);
	assert_int_equal(records_first(&records, RECORDS_MAX)->tvar, RECORDS_MAX);
	add(RECORDS_MAX + 1, false);
	assert_int_equal(records.len, RECORDS_MAX);
	assert_null(records_first(&records, RECORDS_MAX + 1));
}

TEST_WITH(no_leaks, a_record_that_is_not_kept_is_not_found)
{
	clear();
	records_next(&records)->tvar = 1;
	assert_null(records_first(&records, 1));
}

TEST_WITH(no_leaks, a_write_is_looked_for_among_the_latest_records)
{
	clear();
	add(1, false);
	assert_null(records_write_near(&records, 1));
	const struct record *write = add(1, true);
	for (uintptr_t i = 1; i < RECORDS_NEAR; i++)
		add(1 + i, true);
	assert_ptr_equal(records_write_near(&records, 1), write);
	add(2, true);
	assert_null(records_write_near(&records, 1));
}

/* ---- lanes ---- */

/* The Haskell threads of one capability, each of which is preempted in the middle of an attempt. */
enum { THREADS = LANES_OF_CAPABILITY + 2 };
static struct haskell threads[THREADS];
static struct hs_tvar *tvar;

static void begin_all(void)
{
	struct hs_capability *capability = fake_capability();
	tvar = fake_tvar();
	for (int i = 0; i < THREADS; i++) {
		threads[i] = haskell_thread_on(capability);
		haskell_atomically(&threads[i], &victim);
		victim_reads(&threads[i], tvar);
	}
}

static void commit_all(void)
{
	for (int i = 0; i < THREADS; i++)
		assert_true(haskell_commit(&threads[i]));
}

static struct ghc_capability *capability(void)
{
	return capability_find(threads[0].capability);
}

static uint64_t measured_commits(void)
{
	uint64_t commits = 0;
	for (int i = 0; i < LANES_OF_CAPABILITY; i++) {
		struct stmlog_account account;
		stmlog_account_read(capability()->lanes[i]->log, &account);
		commits += account.commits;
	}
	return commits;
}

TEST_WITH(haskell_fixture, each_attempt_under_way_has_a_lane_of_its_own)
{
	begin_all();
	for (int i = 0; i < LANES_OF_CAPABILITY; i++) {
		assert_true(AO_load(&capability()->lanes[i]->is_in_use));
		assert_int_equal(hs_trec(threads[i].tso)->mark, capability()->lanes[i]->number);
	}
	commit_all();
	for (int i = 0; i < LANES_OF_CAPABILITY; i++)
		assert_false(AO_load(&capability()->lanes[i]->is_in_use));
}

TEST_WITH(haskell_fixture, without_a_lane_a_transaction_is_counted_only)
{
	begin_all();
	commit_all();
	assert_int_equal(measured_commits(), LANES_OF_CAPABILITY);
	assert_int_equal(haskell_account(&threads[0]).unmeasured_commits, THREADS - LANES_OF_CAPABILITY);
	haskell_poke(&threads[0], &poke, tvar);
	assert_int_equal(measured_commits(), LANES_OF_CAPABILITY + 1);
}

/* The first lane's attached time is the capability's, unless its attempt does not run. */
TEST_WITH(haskell_fixture, a_lane_is_idle_while_its_attempt_does_not_run)
{
	struct stmlog_account spare;
	struct haskell first = haskell_thread(), second = haskell_thread_on(first.capability);
	haskell_atomically(&first, &victim);
	haskell_atomically(&second, &victim);
	fake_clock_advance(5 * US);
	assert_true(haskell_commit(&second));
	fake_clock_advance(20 * US);
	assert_true(haskell_commit(&first));
	fake_clock_advance(7 * US);
	stmlog_account_read(capability_find(first.capability)->lanes[1]->log, &spare);
	assert_int_equal(spare.attached_ns, 5 * US);
	assert_int_equal(spare.committed_ns, 5 * US);
	assert_int_equal(haskell_account(&first).attached_ns, 7 * US);
	assert_int_equal(haskell_account(&first).committed_ns, 0);
}

TEST_WITH(haskell_fixture, a_number_leads_to_its_lane)
{
	begin_all();
	commit_all();
	for (int i = 0; i < LANES_OF_CAPABILITY; i++)
		assert_ptr_equal(lane_of(capability()->lanes[i]->number), capability()->lanes[i]);
	struct haskell elsewhere = haskell_thread();
	haskell_poke(&elsewhere, &poke, tvar);
	const struct ghc_lane *lane = capability_find(elsewhere.capability)->lanes[0];
	assert_ptr_equal(lane_of(lane->number), lane);
	assert_ptr_not_equal(lane, capability()->lanes[0]);
}

TEST_WITH(haskell_fixture, an_attempt_may_end_on_another_capability)
{
	struct haskell thread = haskell_thread(), other = haskell_thread();
	haskell_atomically(&thread, &victim);
	haskell_poke(&other, &poke, fake_tvar());
	thread.capability = other.capability;
	assert_true(haskell_commit(&thread));
	thread.tso = other.tso;
	haskell_poke(&thread, &poke, fake_tvar());
	assert_int_equal(haskell_account(&other).commits, 2);
}

/* ---- fork ---- */

static void exit_child(bool is_right)
{
	_exit(is_right ? 0 : 1);
}

TEST_WITH(haskell_fixture, a_forked_child_takes_new_lanes_and_counts_from_zero)
{
	begin_all();
	commit_all();
	if (in_forked_child()) {
		lanes_after_fork();
		capabilities_after_fork();
		haskell_poke(&threads[0], &poke, tvar);
		struct stmlog_account account = haskell_account(&threads[0]);
		exit_child(account.commits == 1 && account.unmeasured_commits == 0);
	}
}

/* The RTS ends the other Haskell threads in the child: their attempts belong to the parent. */
TEST_WITH(haskell_fixture, what_a_child_ends_of_its_parent_is_not_recorded)
{
	begin_all();
	if (in_forked_child()) {
		lanes_after_fork();
		capabilities_after_fork();
		for (int i = 0; i < THREADS; i++)
			haskell_kill(&threads[i]);
		haskell_atomically(&threads[0], &poke);
		haskell_change(&threads[0], tvar);
		bool has_lane = AO_load(&capability()->lanes[0]->is_in_use) != 0;
		haskell_commit(&threads[0]);
		struct stmlog_account account = haskell_account(&threads[0]);
		exit_child(has_lane && account.commits == 1 && account.aborts[STMLOG_NONE] == 0);
	}
	commit_all();
}
