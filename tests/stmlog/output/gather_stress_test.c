/* SPDX-License-Identifier: MIT
 * What threads have spent, read while they go on. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "mem.h"
#include "sections.h"
#include "stress.h"
#include "test.h"

enum { THREADS = 3, SITES = 20 };

static atomic_int running;
static size_t transactions;
static struct stmlog_account accounts[THREADS];

/* From one of SITES places; each third one aborts first. */
static void transact(struct stmlog_thread *me, size_t i)
{
	struct tb_stack *stack = stmlog_thread_stack(me);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "STRESS");
	tb_push(stack, tb_site_make(1000, 1 + i % SITES));
	loss.local = tb_current(stack);
	stmlog_start(me);
	if (i % 3 == 0) {
		stmlog_abort(me, &loss);
		stmlog_retry(me);
	}
	stmlog_commit(me);
	tb_pop(stack);
}

static void *work(void *arg)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	for (size_t i = 0; i < transactions; i++)
		transact(me, i);
	stmlog_account_read(me, &accounts[(size_t)(uintptr_t)arg]);
	stmlog_thread_close(&me);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static struct stmlog_path_record sum_of(uint64_t *committed)
{
	OWNED(spent_fini) struct spent spent;
	struct stmlog_path_record sum = {0};
	assert_int_equal(spent_gather(&spent), 0);
	for (size_t i = 0; i < spent.path_count; i++) {
		sum.commits += spent.paths[i].record.commits;
		sum.aborts += spent.paths[i].record.aborts;
		sum.committed_ns += spent.paths[i].record.committed_ns;
		sum.aborted_ns += spent.paths[i].record.aborted_ns;
	}
	*committed = 0;
	for (size_t i = 0; i < spent.tries_count; i++)
		*committed += spent.tries[i].record.commits;
	return sum;
}

/* By the threads' accounts. */
static uint64_t commits_on_account(void)
{
	OWNED(gathered_fini) struct gathered all;
	assert_int_equal(gather(&all, 0), 0);
	uint64_t commits = all.total.account.commits;
	return commits;
}

TEST(sums_never_fall_nor_lag_behind_the_accounts_which_they_are_in_the_end)
{
	pthread_t threads[THREADS];
	uint64_t commits = 0, by_site = 0, now = 0;
	size_t before = mem_live_bytes();
	setenv("STMLOG_OPTIONS", "paths=on", 1);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	transactions = stress_times(300000);
	atomic_store(&running, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
	while (atomic_load(&running) > 0) {
		uint64_t on_account = commits_on_account();
		struct stmlog_path_record sum = sum_of(&now);
		assert_true(sum.commits >= commits && now >= by_site);
		assert_true(sum.commits >= on_account && now >= on_account);
		commits = sum.commits;
		by_site = now;
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	struct stmlog_path_record sum = sum_of(&now);
	for (size_t i = 0; i < THREADS; i++) {
		sum.committed_ns -= accounts[i].committed_ns;
		sum.aborted_ns -= accounts[i].aborted_ns[STMLOG_WRITE_READ];
		sum.aborts -= accounts[i].aborts[STMLOG_WRITE_READ];
	}
	assert_int_equal(sum.commits, THREADS * transactions);
	assert_int_equal(now, THREADS * transactions);
	assert_int_equal(sum.committed_ns, 0);
	assert_int_equal(sum.aborted_ns, 0);
	assert_int_equal(sum.aborts, 0);
	stmlog_close();
	unsetenv("STMLOG_OPTIONS");
	assert_int_equal(mem_live_bytes(), before);
}
