/* SPDX-License-Identifier: MIT
 * A bank in smallstm: eight desks move money, under every manager; at each desk one thread follows another. The sum of
 * the money never changes, and all losses are recorded. */
#include "stm_session.h"

#include <pthread.h>

#include "random.h"
#include "stress.h"

#define DESKS_MAX 8
#define DESKS (is_below_drd() ? 4u : DESKS_MAX)
#define ACCOUNTS 5
#define MONEY 1000u
#define TRANSFERS (RUNNING_ON_VALGRIND ? 10 : 50) /* in the life of a thread */

struct bank {
	struct stm_object *accounts[ACCOUNTS];
	pthread_mutex_t lock; /* guards the two figures below */
	uint64_t wrong_sums;
	uint64_t aborted_for_good; /* transactions that were aborted although they were inevitable */
};

struct clerk {
	struct bank *bank;
	struct random random;
	size_t from, to;
	uint64_t sum;
	bool has_seen_wrong;
	unsigned attempts_when_inevitable; /* of the present transaction; 1 if it does not become inevitable */
};

static void transfer(struct stm_thread *thread, void *arg)
{
	struct clerk *clerk = arg;
	struct stm_object *from = clerk->bank->accounts[clerk->from], *to = clerk->bank->accounts[clerk->to];
	uint64_t money = stm_read(thread, from, 0);
	stm_write(thread, from, 0, money - 1);
	stm_write(thread, to, 0, stm_read(thread, to, 0) + 1);
}

static void transfer_for_good(struct stm_thread *thread, void *arg)
{
	struct clerk *clerk = arg;
	stm_become_inevitable(thread);
	clerk->attempts_when_inevitable++;
	transfer(thread, arg);
}

static void audit(struct stm_thread *thread, void *arg)
{
	struct clerk *clerk = arg;
	clerk->sum = 0;
	for (size_t i = 0; i < ACCOUNTS; i++)
		clerk->sum += stm_read(thread, clerk->bank->accounts[i], 0);
	/* This holds even in an attempt that will abort: the values it has read were all current at one time. */
	clerk->has_seen_wrong |= clerk->sum != ACCOUNTS * MONEY;
}

static void serve(struct clerk *clerk, struct stm_thread *thread)
{
	uint32_t kind = random_below(&clerk->random, 20);
	clerk->from = random_below(&clerk->random, ACCOUNTS);
	clerk->to = random_below(&clerk->random, ACCOUNTS);
	clerk->attempts_when_inevitable = 1;
	clerk->has_seen_wrong = false;
	if (kind == 0) {
		stm_run(thread, audit, clerk);
	} else if (kind == 1) {
		clerk->attempts_when_inevitable = 0;
		stm_run(thread, transfer_for_good, clerk);
	} else {
		stm_run(thread, transfer, clerk);
	}
	if (!clerk->has_seen_wrong && clerk->attempts_when_inevitable == 1)
		return;
	pthread_mutex_lock(&clerk->bank->lock);
	clerk->bank->wrong_sums += clerk->has_seen_wrong;
	clerk->bank->aborted_for_good += clerk->attempts_when_inevitable != 1;
	pthread_mutex_unlock(&clerk->bank->lock);
}

/* The life of a thread. Half of the threads, at random, have a timelog of their own, and clear it half-way. */
static void *work(void *arg)
{
	struct clerk *clerk = arg;
	struct stm_thread *thread = stm_thread_begin();
	struct stmlog_timelog *log =
		random_below(&clerk->random, 2) == 0 ? stmlog_timelog_create(4, STMLOG_KEEP_COSTLIEST) : NULL;
	if (log != NULL)
		stmlog_timelog_activate(log);
	for (int i = 0; i < TRANSFERS; i++) {
		if (i == TRANSFERS / 2 && log != NULL)
			stmlog_timelog_clear(log);
		serve(clerk, thread);
	}
	stmlog_timelog_destroy(&log);
	stm_thread_end(&thread);
	return NULL;
}

/* A desk, at which one clerk follows the other. */
static void *work_in_turns(void *arg)
{
	for (uint32_t lives = 1 + stress_times(40); lives > 0; lives--) {
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

/* Under any manager, with enough segments and with too few. */
static void a_bank_never_has_more_or_less_money(const struct stm_setup *settings)
{
	struct bank bank = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct clerk clerks[DESKS_MAX];
	pthread_t threads[DESKS_MAX];
	assert_int_equal(stm_configure(settings), 0);
	for (size_t i = 0; i < ACCOUNTS; i++)
		bank.accounts[i] = stm_object_create("an account", 1);
	stm_run(self, put_money, &bank);
	for (uint64_t i = 0; i < DESKS; i++) {
		clerks[i] = (struct clerk){.bank = &bank, .random = {i}};
		assert_int_equal(pthread_create(&threads[i], NULL, work_in_turns, &clerks[i]), 0);
	}
	for (size_t i = 0; i < DESKS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(bank.wrong_sums, 0);
	assert_int_equal(bank.aborted_for_good, 0);
	struct clerk auditor = {.bank = &bank};
	stm_run(self, audit, &auditor);
	assert_int_equal(auditor.sum, ACCOUNTS * MONEY);
	assert_int_equal(stm_waiting(), 0);
}

TEST_WITH(stm_session_fixture, a_bank_keeps_its_money_whoever_gives_way)
{
	for (enum stm_manager manager = STM_ABORT_SELF; manager <= STM_PAUSE; manager++) {
		for (int detect = 0; detect < 2; detect++) {
			const struct stm_setup settings = {DESKS, manager, detect != 0};
			a_bank_never_has_more_or_less_money(&settings);
		}
	}
}

TEST_WITH(stm_session_fixture, a_bank_keeps_its_money_with_fewer_segments_than_threads)
{
	const struct stm_setup one = {1, STM_ABORT_SELF, false}, three = {3, STM_PAUSE, true};
	a_bank_never_has_more_or_less_money(&one);
	a_bank_never_has_more_or_less_money(&three);
}
