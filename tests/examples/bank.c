/* SPDX-License-Identifier: MIT */
#include "bank.h"

#include <pthread.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "random.h"

#define DESKS_MAX 8
#define ACCOUNTS 6
#define MONEY 1000u

/* Of all desks; guarded by the lock. */
struct bank {
	const struct bank_setup *setup;
	struct stm_object *accounts[ACCOUNTS];
	pthread_mutex_t lock;
	uint64_t wrong_sums;
	uint64_t aborted_for_good; /* transactions that were aborted although they were inevitable */
	uint64_t wrong_commits;    /* clerks whose accounts have not one commit for each operation */
};

struct desk {
	struct bank *bank;
	struct random random;
	size_t from, to;
	uint64_t sum;
	bool has_seen_wrong;
	unsigned attempts_when_inevitable; /* of the present transaction; 1 if it does not become inevitable */
};

static void transfer(struct stm_thread *thread, void *arg)
{
	struct desk *desk = arg;
	struct stm_object *from = desk->bank->accounts[desk->from], *to = desk->bank->accounts[desk->to];
	uint64_t money = stm_read(thread, from, 0);
	stm_write(thread, from, 0, money - 1);
	stm_write(thread, to, 0, stm_read(thread, to, 0) + 1);
}

static void transfer_for_good(struct stm_thread *thread, void *arg)
{
	struct desk *desk = arg;
	desk->bank->setup->become_inevitable(thread);
	desk->attempts_when_inevitable++;
	transfer(thread, arg);
}

static void audit(struct stm_thread *thread, void *arg)
{
	struct desk *desk = arg;
	desk->sum = 0;
	for (size_t i = 0; i < ACCOUNTS; i++)
		desk->sum += stm_read(thread, desk->bank->accounts[i], 0);
	/* This holds even in an attempt that will abort: the values it has read were all current at one time. */
	desk->has_seen_wrong |= desk->sum != ACCOUNTS * MONEY;
}

static void serve(struct desk *desk, struct stm_thread *thread)
{
	desk->from = random_below(&desk->random, ACCOUNTS);
	desk->to = random_below(&desk->random, ACCOUNTS);
	desk->attempts_when_inevitable = 1;
	desk->has_seen_wrong = false;
	if (random_below(&desk->random, desk->bank->setup->every_audit) == 0) {
		stm_run(thread, audit, desk);
	} else if (desk->bank->setup->become_inevitable != NULL && random_below(&desk->random, 20) == 0) {
		desk->attempts_when_inevitable = 0;
		stm_run(thread, transfer_for_good, desk);
	} else {
		stm_run(thread, transfer, desk);
	}
	if (!desk->has_seen_wrong && desk->attempts_when_inevitable == 1)
		return;
	pthread_mutex_lock(&desk->bank->lock);
	desk->bank->wrong_sums += desk->has_seen_wrong;
	desk->bank->aborted_for_good += desk->attempts_when_inevitable != 1;
	pthread_mutex_unlock(&desk->bank->lock);
}

static void check_commits(struct bank *bank)
{
	struct stmlog_account account;
	stmlog_account_read(stmlog_thread_self(), &account);
	if (account.commits == bank->setup->operations)
		return;
	pthread_mutex_lock(&bank->lock);
	bank->wrong_commits++;
	pthread_mutex_unlock(&bank->lock);
}

/* The life of a clerk. Half of them, at random, have a timelog of their own, and clear it half-way. */
static void *work(void *arg)
{
	struct desk *desk = arg;
	struct stm_thread *thread = stm_thread_begin();
	struct stmlog_timelog *log = random_below(&desk->random, 2) == 0 ? stmlog_timelog_create(4) : NULL;
	if (log != NULL)
		stmlog_timelog_activate(log);
	for (unsigned i = 0; i < desk->bank->setup->operations; i++) {
		if (i == desk->bank->setup->operations / 2 && log != NULL)
			stmlog_timelog_clear(log);
		serve(desk, thread);
	}
	check_commits(desk->bank);
	stmlog_timelog_destroy(&log);
	stm_thread_end(&thread);
	return NULL;
}

static void *work_in_turns(void *arg)
{
	const struct desk *desk = arg;
	for (unsigned i = 0; i < desk->bank->setup->clerks; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, work, arg) == 0)
			pthread_join(thread, NULL);
	}
	return NULL;
}

static void put_money(struct stm_thread *thread, void *arg)
{
	struct bank *bank = arg;
	for (size_t i = 0; i < ACCOUNTS; i++)
		stm_write(thread, bank->accounts[i], 0, MONEY);
}

void bank_test(const struct bank_setup *setup)
{
	struct bank bank = {.setup = setup, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct desk desks[DESKS_MAX];
	pthread_t threads[DESKS_MAX];
	assert_in_range(setup->desks, 1, DESKS_MAX);
	for (size_t i = 0; i < ACCOUNTS; i++)
		bank.accounts[i] = stm_object_create("an account", 1);
	stm_run(stm_self, put_money, &bank);
	for (uint64_t i = 0; i < setup->desks; i++) {
		desks[i] = (struct desk){.bank = &bank, .random = {i}};
		assert_int_equal(pthread_create(&threads[i], NULL, work_in_turns, &desks[i]), 0);
	}
	for (size_t i = 0; i < setup->desks; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(bank.wrong_sums, 0);
	assert_int_equal(bank.aborted_for_good, 0);
	assert_int_equal(bank.wrong_commits, 0);
	struct desk auditor = {.bank = &bank};
	stm_run(stm_self, audit, &auditor);
	assert_int_equal(auditor.sum, ACCOUNTS * MONEY);
	assert_int_equal(stm_waiting(), 0);
}
