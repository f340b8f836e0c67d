/* SPDX-License-Identifier: MIT
 *
 * One event in a timeline against one LTTng-UST event of the same contents, where bench/lttng.sh has started a session
 * that records them; both into memory, keeping the newest. And a bare reading of the clock against it: our event has
 * one, so no event can be cheaper.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_tracepoint.h"

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "bench.h"

#define DEPTH 10

static void start_commit(uint64_t times, void *thread)
{
	for (uint64_t i = 0; i < times; i += 2) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
}

static void trace(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++)
		lttng_ust_tracepoint(stmlog_bench, event, i, 1, 2, 3);
}

static void read_clock(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++)
		bench_opaque((void *)(uintptr_t)stmlog_now_ns());
}

int main(void)
{
	const struct bench_side lttng = {"LTTng", trace, NULL};
	const struct stmlog_setup setup = {.runtime = "lttng", .report = "none"};
	struct stmlog_thread *thread = stmlog_open(&setup) == 0 ? stmlog_thread_open(NULL) : NULL;
	if (thread == NULL)
		return 1;
	if (!lttng_ust_tracepoint_enabled(stmlog_bench, event)) {
		fputs("no session records the event\n", stderr);
		return 1;
	}
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (int i = 0; i < DEPTH; i++)
		tb_push(stack, TB_HERE());
	stmlog_timeline_start();
	bench_against("start + commit in a timeline, each", (struct bench_side){"event", start_commit, thread}, lttng);
	bench_against("a clock reading", (struct bench_side){"clock", read_clock, NULL}, lttng);
	stmlog_timeline_stop();
	for (int i = 0; i < DEPTH; i++)
		tb_pop(stack);
	return 0;
}
