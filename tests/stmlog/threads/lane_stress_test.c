/* SPDX-License-Identifier: MIT
 * A lane moves over eight OS threads in the middle of transactions, while another thread makes reports: no time and no
 * loss is lost, and the runtime's handing over is all the order that is needed. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "stress.h"

enum { THREADS = 8, STEPS_OF_A_TRANSACTION = 4 };

/* Whose turn it is. */
static sem_t turn[THREADS];
static struct stmlog_thread *lane;
static uint32_t moves;

/* One step of a transaction: begins, aborts, tries again, commits. */
static void step(uint32_t number)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "MOVED");
	switch (number % STEPS_OF_A_TRANSACTION) {
	case 0:
		stmlog_push(lane, TB_HERE());
		stmlog_start(lane);
		break;
	case 1:
		loss.own = stmlog_origin(lane, TB_HERE());
		stmlog_abort(lane, &loss);
		break;
	case 2:
		stmlog_retry(lane);
		break;
	default:
		stmlog_commit(lane);
		stmlog_pop(lane);
	}
}

/* Each step is another thread's. */
static void *move_it(void *number)
{
	int me = (int)(intptr_t)number;
	for (uint32_t i = (uint32_t)me; i < moves; i += THREADS) {
		while (sem_wait(&turn[me]) != 0) {
		}
		stmlog_claim(lane);
		step(i);
		stmlog_release(lane);
		sem_post(&turn[(me + 1) % THREADS]);
	}
	return NULL;
}

static void report_meanwhile(void)
{
	int null = open("/dev/null", O_WRONLY);
	for (uint32_t i = 0; i < stress_times(200) / 10 + 1; i++)
		assert_int_equal(stmlog_report(null), 0);
	close(null);
}

TEST_WITH(no_leaks, all_that_a_moving_lane_does_is_booked_once)
{
	static const struct stmlog_setup setup = {.runtime = "lanes", .report = "none"};
	struct stmlog_account account;
	pthread_t thread[THREADS];
	assert_int_equal(stmlog_open(&setup), 0);
	lane = stmlog_thread_open("lane");
	moves = stress_times(is_below_drd() ? 500000 : 1000000) / STEPS_OF_A_TRANSACTION * STEPS_OF_A_TRANSACTION;
	for (int i = 0; i < THREADS; i++)
		sem_init(&turn[i], 0, i == 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, move_it, (void *)(intptr_t)i), 0);
	report_meanwhile();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	stmlog_account_read(lane, &account);
	assert_int_equal(account.commits, moves / STEPS_OF_A_TRANSACTION);
	assert_int_equal(account.aborts[STMLOG_WRITE_WRITE], moves / STEPS_OF_A_TRANSACTION);
	assert_int_equal(account.attached_ns, account.outside_ns + account.committed_ns +
						      account.aborted_ns[STMLOG_WRITE_WRITE] + account.descheduled_ns +
						      account.open_ns);
	stmlog_thread_close(&lane);
	stmlog_close();
	for (int i = 0; i < THREADS; i++)
		sem_destroy(&turn[i]);
}
