/* SPDX-License-Identifier: MIT
 * Calls every hook in turn, of the thread's own handle and of a lane, while a timer's handler calls hooks of the same
 * handle a thousand times a second. In the first half of the time the handler does what is right wherever it comes, so
 * that all counts are known; in the second half it calls every hook in turn, too.
 * Prints how many calls were lost, because the handler had interrupted a hook. Exits with 1 if any sum is wrong.
 * usage: interrupted SECONDS */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "every_hook.h"
#include "losses.h"

static struct stmlog_thread *own, *lane;
static struct stmlog_thread *volatile handle; /* the one in turn */
static volatile bool is_outside;              /* no transaction, pause or wait of it is under way */
static volatile bool is_wild;                 /* the handler calls every hook */

static uint64_t lost, recorded, commits; /* by the handler; commits of the first half */
static uint64_t rounds;                  /* of the loop */

/* ---- the handler ---- */

static void transact(void)
{
	stmlog_start(handle);
	stmlog_origin(handle, TB_HERE());
	abort_over_write(handle, 64, every_hook_other, "HANDLER");
	stmlog_retry(handle);
	stmlog_commit(handle);
	commits++;
}

static uint64_t call_every_hook(void)
{
	for (size_t i = 0; i < every_hook_len; i++)
		every_hook[i].call(handle);
	return every_hook_len;
}

static void on_tick(int signal)
{
	(void)signal;
	/* It is 0 only if the call was lost. Then all calls up to the handler's return are. */
	bool is_lost = stmlog_origin_at(handle, TB_UNKNOWN) == 0;
	uint64_t calls = 1;
	if (is_wild || is_lost)
		calls += call_every_hook();
	else if (is_outside)
		transact();
	if (is_lost) {
		lost += calls;
		return;
	}
	stmlog_unmeasured(handle, 1, 0);
	recorded++;
}

/* ---- the loop ---- */

static void prepare(enum hook_state needs)
{
	is_outside = false;
	every_hook_prepare(handle, needs);
}

static void finish(enum hook_state left)
{
	if (left == STATE_OTHER || left == STATE_BLOCKED || left == STATE_WAIT || left == STATE_PAUSE)
		stmlog_wait_end(handle);
	if (left == STATE_IDLE)
		stmlog_claim(handle);
	if (left == STATE_PAUSE || left == STATE_ATTEMPT || left == STATE_FAILED)
		abort_asked(handle, "WORD");
	is_outside = true;
}

/* The wild handler may have left anything under way. */
static void finish_whatever(void)
{
	for (enum hook_state state = STATE_OUTSIDE; state < STATE_CLAIMED; state++)
		finish(state);
}

static void call_each_in_turn(void)
{
	rounds++;
	for (size_t i = 0; i < every_hook_len; i++) {
		const struct every_hook *hook = &every_hook[i];
		if (handle == own && (hook->needs == STATE_IDLE || hook->needs == STATE_CLAIMED))
			continue;
		stmlog_push(handle, TB_HERE());
		prepare(hook->needs);
		hook->call(handle);
		finish(hook->leaves);
		stmlog_pop(handle);
		if (is_wild)
			finish_whatever();
	}
}

/* No transaction of the handler's may begin while the handle changes. */
static void call_for(double seconds)
{
	uint64_t until_ns = stmlog_now_ns() + (uint64_t)(seconds * 1e9);
	do {
		is_outside = false;
		handle = handle == own ? lane : own;
		is_outside = true;
		call_each_in_turn();
	} while (stmlog_now_ns() < until_ns);
}

/* ---- the other thread ---- */

static pthread_barrier_t barrier;

/* Stays in an attempt that nothing can abort: all conflicts are with it. */
static void *be_met(void *unused)
{
	struct stmlog_thread *self = stmlog_thread_open(NULL);
	stmlog_start(self);
	every_hook_other = stmlog_became_inevitable(self, TB_HERE());
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	stmlog_commit(self);
	return unused;
}

/* ---- what must hold ---- */

static bool is_wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected == found)
		return;
	printf("%s: %llu, and not %llu\n", what, (unsigned long long)found, (unsigned long long)expected);
	is_wrong = true;
}

static uint64_t sum_of(const struct stmlog_account *a)
{
	uint64_t sum = a->outside_ns + a->committed_ns + a->paused_ns + a->waiting_inevitable_ns + a->waiting_none_ns +
		       a->other_ns + a->blocked_ns + a->descheduled_ns + a->open_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += a->aborted_ns[c];
	return sum;
}

static struct stmlog_account account_of(const struct stmlog_thread *thread)
{
	struct stmlog_account account;
	stmlog_account_read(thread, &account);
	expect("attached time", sum_of(&account), account.attached_ns);
	return account;
}

/* How many hooks of a round commit. */
static uint64_t commits_of_round(void)
{
	uint64_t count = 0;
	for (size_t i = 0; i < every_hook_len; i++) {
		enum hook_state needs = every_hook[i].needs;
		count += (needs == STATE_ATTEMPT || needs == STATE_PAUSE) && every_hook[i].leaves == STATE_OUTSIDE;
	}
	return count;
}

static void check_first_half(void)
{
	struct stmlog_account one = account_of(own), other = account_of(lane);
	expect("misuses", 0, tb_misuses());
	expect("handlers recorded", recorded, one.unmeasured_commits + other.unmeasured_commits);
	expect("commits", commits + commits_of_round() * rounds, one.commits + other.commits);
}

static void check_timeline(void)
{
	struct stmlog_timeline_fault fault;
	stmlog_timeline_stop();
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	if (!stmlog_timeline_check(timeline, &fault)) {
		printf("event %zu of the timeline: %s\n", fault.index, fault.what);
		is_wrong = true;
	}
	stmlog_timeline_destroy(&timeline);
}

/* ---- the program ---- */

static void set_timer(long us)
{
	const struct itimerval timer = {{0, us}, {0, us}};
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void begin(pthread_t *met)
{
	sigset_t alarm_only;
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	stmlog_open(NULL);
	own = handle = stmlog_thread_open(NULL);
	lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
	pthread_create(met, NULL, be_met, NULL);
	pthread_barrier_wait(&barrier);
	signal(SIGALRM, on_tick);
	pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
	stmlog_timeline_start();
}

static void end(pthread_t met)
{
	finish_whatever();
	pthread_barrier_wait(&barrier);
	pthread_join(met, NULL);
	account_of(own);
	account_of(lane);
	check_timeline();
	stmlog_thread_close(&lane);
	stmlog_thread_close(&own);
	stmlog_close();
	expect("live frames", 0, tb_live_frames());
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_t met;
	begin(&met);
	set_timer(1000);
	call_for(seconds / 2);
	set_timer(0);
	check_first_half();
	is_wild = true;
	set_timer(1000);
	call_for(seconds / 2);
	set_timer(0);
	end(met);
	printf("%llu calls lost, %llu handlers recorded\n", (unsigned long long)lost, (unsigned long long)recorded);
	return is_wrong;
}
