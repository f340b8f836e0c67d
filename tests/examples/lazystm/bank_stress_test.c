/* SPDX-License-Identifier: MIT
 * A bank in lazystm: threads move money between a few accounts, and audit all of them. The sum never changes, and an
 * audit never sees another one, even in an attempt that will abort. All losses are recorded. */
#include "lazy_session.h"

#include <pthread.h>

#include "random.h"
#include "stress.h"

#define THREADS 4
#define ACCOUNTS 6
#define MONEY 1000u
#define OPERATIONS stress_times(200000)

static uintptr_t accounts[ACCOUNTS];

struct clerk {
	pthread_t thread;
	struct random random;
	size_t from, to;
	bool has_seen_wrong;
	uint64_t audits, transfers;
	struct stmlog_account account;
};

static void transfer(struct lazy_thread *thread, void *arg)
{
	const struct clerk *clerk = arg;
	lazy_write(thread, &accounts[clerk->from], lazy_read(thread, &accounts[clerk->from]) - 1);
	lazy_write(thread, &accounts[clerk->to], lazy_read(thread, &accounts[clerk->to]) + 1);
}

static void audit(struct lazy_thread *thread, void *arg)
{
	struct clerk *clerk = arg;
	uintptr_t sum = 0;
	for (size_t i = 0; i < ACCOUNTS; i++)
		sum += lazy_read(thread, &accounts[i]);
	clerk->has_seen_wrong |= sum != ACCOUNTS * MONEY;
}

static void *work(void *arg)
{
	struct clerk *clerk = arg;
	struct lazy_thread *thread = lazy_thread_begin();
	for (uint32_t i = 0; i < OPERATIONS; i++) {
		clerk->from = random_below(&clerk->random, ACCOUNTS);
		clerk->to = random_below(&clerk->random, ACCOUNTS);
		bool is_audit = random_below(&clerk->random, 4) == 0;
		lazy_run(thread, is_audit ? audit : transfer, clerk);
		*(is_audit ? &clerk->audits : &clerk->transfers) += 1;
	}
	stmlog_account_read(stmlog_thread_self(), &clerk->account);
	lazy_thread_end(&thread);
	return NULL;
}

TEST_WITH(lazy_session_fixture, a_bank_keeps_its_money_and_each_audit_finds_all_of_it)
{
	struct clerk clerks[THREADS] = {{.audits = 0}};
	for (size_t i = 0; i < ACCOUNTS; i++)
		accounts[i] = MONEY;
	for (uint64_t i = 0; i < THREADS; i++) {
		clerks[i].random.state = i;
		assert_int_equal(pthread_create(&clerks[i].thread, NULL, work, &clerks[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(clerks[i].thread, NULL);
		assert_false(clerks[i].has_seen_wrong);
		assert_int_equal(clerks[i].account.commits, clerks[i].audits + clerks[i].transfers);
	}
	struct clerk auditor = {.audits = 0};
	lazy_run(self, audit, &auditor);
	assert_false(auditor.has_seen_wrong);
}
