/* SPDX-License-Identifier: MIT
 *
 * The cost of one hook, on average over a sequence of hooks, against one bare reading of the same
 * clock, which nearly every hook needs. STMLOG_OPTIONS=clock=... chooses the clock. The hooks are
 * called as a runtime calls them, with a traceback that was captured before.
 */
#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include <string.h>

#include "bench.h"

#define DEPTH 10

static void read_monotonic(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		bench_opaque(&now);
	}
}

#ifdef __x86_64__
static void read_tsc(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++)
		bench_opaque((void *)(uintptr_t)__builtin_ia32_rdtsc());
}
#else
#define read_tsc read_monotonic
#endif

/* The least that an account needs: the time since the last reading, in nanoseconds, added to one word. */
static struct {
	uint64_t last_ns, sum_ns;
} min;

__attribute__((noinline)) static void add_reading(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	min.sum_ns += now_ns - min.last_ns;
	min.last_ns = now_ns;
}

static void add_readings(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++)
		add_reading();
}

static struct stmlog_loss make_loss(struct stmlog_thread *thread)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	loss.local = tb_current(stmlog_thread_stack(thread));
	return loss;
}

/* Each function does `times` events. An abort and its retry are one event: they share one reading of the clock. */
static void start_commit(uint64_t times, void *thread)
{
	for (uint64_t i = 0; i < times; i += 2) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
}

static void abort_retry(uint64_t times, void *thread)
{
	struct stmlog_loss loss = make_loss(thread);
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++) {
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
	}
	stmlog_commit(thread);
}

/* Each abort is the only one of its transaction. */
static void start_abort_commit(uint64_t times, void *thread)
{
	struct stmlog_loss loss = make_loss(thread);
	for (uint64_t i = 0; i < times; i += 3) {
		stmlog_start(thread);
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
		stmlog_commit(thread);
	}
}

/* As in a function of the program that runs a transaction: its site is pushed before, and popped afterwards. */
static void entered_start_commit(uint64_t times, void *thread)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (uint64_t i = 0; i < times; i += 2) {
		tb_push(stack, TB_HERE());
		start_commit(2, thread);
		tb_pop(stack);
	}
}

static void entered_start_abort_commit(uint64_t times, void *thread)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (uint64_t i = 0; i < times; i += 3) {
		tb_push(stack, TB_HERE());
		start_abort_commit(3, thread);
		tb_pop(stack);
	}
}

static void hooks_without_thread(uint64_t times, void *arg)
{
	struct stmlog_thread *thread = bench_opaque(arg);
	for (uint64_t i = 0; i < times; i += 2) {
		stmlog_start(thread);
		bench_opaque(NULL);
		stmlog_commit(thread);
		bench_opaque(NULL);
	}
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "event", .report = "none"};
	const char *options = getenv("STMLOG_OPTIONS");
	bool is_tsc = options != NULL && strstr(options, "clock=tsc") != NULL;
	const struct bench_side clock = {is_tsc ? "rdtsc" : "clock_gettime", is_tsc ? read_tsc : read_monotonic, NULL};
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	if (thread == NULL)
		return 1;
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (int i = 0; i < DEPTH; i++)
		tb_push(stack, TB_HERE());
	if (!is_tsc)
		bench_against("floor", (struct bench_side){"reading added", add_readings, NULL}, clock);
	bench_against("start + commit, each", (struct bench_side){"event", start_commit, thread}, clock);
	bench_against("abort + retry", (struct bench_side){"event", abort_retry, thread}, clock);
	bench_against("start + abort + commit, each", (struct bench_side){"event", start_abort_commit, thread}, clock);
	bench_against("push, start, commit, pop, each of 2", (struct bench_side){"event", entered_start_commit, thread},
		clock);
	bench_against("push, start, abort, commit, pop, each of 3",
		(struct bench_side){"event", entered_start_abort_commit, thread}, clock);
	stmlog_timeline_start();
	bench_against("start + commit in a timeline, each", (struct bench_side){"event", start_commit, thread}, clock);
	bench_against(
		"abort + retry in a timeline, each of 3", (struct bench_side){"event", abort_retry, thread}, clock);
	stmlog_timeline_stop();
	bench_against("hook with no thread", (struct bench_side){"hook", hooks_without_thread, NULL}, clock);
	for (int i = 0; i < DEPTH; i++)
		tb_pop(stack);
	return 0;
}
