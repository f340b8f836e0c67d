/* SPDX-License-Identifier: MIT
 *
 * Makes a recording of a given size, as a program that embeds the library makes one: by the hooks. Time is a counter,
 * so that a recording of 10^7 events takes seconds to make, and is the same each time but for the order of threads.
 * usage: recording keys N OUT [FIRST]   N losses, each with a key of its own; FIRST: the number of the first key (0)
 *        recording events N OUT [KEYS]  about N events of a timeline, of four threads: transactions, regions, tasks;
 *                                       and of another thread KEYS losses with their own (none)
 * Prints what `stmlog report` of it should find: the number of keys or events, and how long stmlog_record() took, in
 * nanoseconds. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>
#include <stmlog/timeline.h>

enum { THREADS = 4, DEPTH = 8, CALLEES = 4, KEYS_PER_SITE = 10, MIN_SITES = 16, SITES_AT_WORK = 64 };

/* A site's `code`, which names() knows. */
#define CODE 17

static _Atomic uint64_t ticks;

/* Readings follow each other after 100 ns on average. */
static uint64_t now_ns(void)
{
	uint64_t tick = ++ticks;
	return tick * 100 + (tick * 0x9e3779b97f4a7c15u >> 32) % 100;
}

static uint64_t real_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool name_site(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)arg;
	if (site.code != CODE)
		return false;
	snprintf(name->function, sizeof name->function, "handle_request_of_kind_%u", (unsigned)(site.position / 3));
	snprintf(name->file, sizeof name->file, "src/server/part_%u.c", (unsigned)(site.position / 30));
	name->line = (uint32_t)(10 + site.position % 30 * 7);
	return true;
}

/* From the outermost in: each site calls one of a few others, so that tracebacks share their outer parts. The innermost
 * site is `site`. */
static struct tb_frame *traceback_of(struct tb_stack *stack, uint64_t key, uint64_t site, uint64_t sites)
{
	struct tb_site chain[DEPTH];
	uint64_t at = 1;
	for (size_t i = DEPTH; i-- > 1;) {
		chain[i] = tb_site_make(CODE, at);
		at = (at * CALLEES + 1 + (key >> 2 * i) % CALLEES) % sites + 1;
	}
	chain[0] = tb_site_make(CODE, site + 1);
	return tb_build(stack, chain, DEPTH, TB_EMPTY);
}

/* ---- keys ---- */

/* Losses of one key differ from those of another in the innermost sites of both sides. */
static void lose(struct stmlog_thread *thread, uint64_t key, uint64_t sites)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	loss.local = traceback_of(stack, key, key % sites, sites);
	loss.remote = traceback_of(stack, key / 3, (key / sites * 7 + key) % sites, sites);
	loss.grade = STMLOG_GRADE_CERTAIN;
	loss.object = 0x100000 + key % 1000 * 64;
	stmlog_start(thread);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	tb_unref(stack, loss.local);
	tb_unref(stack, loss.remote);
}

static void make_keys(uint64_t len, uint64_t first)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	uint64_t sites = len / KEYS_PER_SITE > MIN_SITES ? len / KEYS_PER_SITE : MIN_SITES;
	if (thread == NULL)
		exit(1);
	for (uint64_t key = first; key < first + len; key++)
		lose(thread, key, sites);
}

/* ---- events ---- */

/* Ten events: three transactions, of which one aborts first, and two of a region or of a task. */
enum { EVENTS_PER_STEP = 10 };

static void enclose(struct stmlog_thread *thread, uint64_t step, bool is_begin)
{
	uint64_t task = (uint64_t)stmlog_thread_id(thread) << 40 | step;
	if (step % 2 == 0 && is_begin)
		stmlog_region_begin(thread, step % 4 == 0 ? "parse" : "store", 1);
	else if (step % 2 == 0)
		stmlog_region_end(thread, 0);
	else if (is_begin)
		stmlog_task_start(thread, task);
	else
		stmlog_task_end(thread, task);
}

static void transact(struct stmlog_thread *thread, uint64_t step, bool is_aborted)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	tb_push(stack, tb_site_make(CODE, 1 + step % SITES_AT_WORK));
	stmlog_start(thread);
	if (is_aborted) {
		loss.local = tb_current(stack);
		loss.remote_thread = 1 + stmlog_thread_id(thread) % THREADS;
		loss.object = 0x100000 + step % 1000 * 64;
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
	}
	stmlog_commit(thread);
	tb_pop(stack);
}

static void *work(void *arg)
{
	uint64_t steps = *(const uint64_t *)arg;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	if (thread == NULL)
		exit(1);
	for (uint64_t step = 0; step < steps; step++) {
		enclose(thread, step, true);
		for (int i = 0; i < 3; i++)
			transact(thread, step, i == 0);
		enclose(thread, step, false);
	}
	return NULL;
}

static uint64_t make_events(uint64_t len)
{
	uint64_t steps = len / EVENTS_PER_STEP / THREADS;
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &steps) != 0)
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return steps * EVENTS_PER_STEP * THREADS;
}

/* ---- the whole ---- */

static int usage(void)
{
	fputs("usage: recording keys N OUT [FIRST] | events N OUT [KEYS]\n", stderr);
	return 2;
}

/* Both are called before the library is open. */
static void make_room_for_keys(uint64_t keys)
{
	char options[128];
	snprintf(options, sizeof options, "capacity=%" PRIu64, keys);
	setenv("STMLOG_OPTIONS", options, 1);
}

/* For the events of each thread: a share of `events`, or those of the thread that loses all keys. */
static void make_room_for_events(uint64_t events, uint64_t keys)
{
	enum { SPARE = 1000, EVENTS_PER_KEY = 5 };
	char options[128];
	snprintf(options, sizeof options, "capacity=%" PRIu64 ":timeline=%" PRIu64 ",grow", keys + SPARE,
		events / THREADS + EVENTS_PER_KEY * keys + SPARE);
	setenv("STMLOG_OPTIONS", options, 1);
}

int main(int argc, char **argv)
{
	const struct stmlog_setup setup = {.runtime = "bench", .report = "none", .expand = name_site};
	if (argc < 4)
		return usage();
	bool is_keys = strcmp(argv[1], "keys") == 0;
	uint64_t len = strtoull(argv[2], NULL, 10), last = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	uint64_t keys = is_keys ? len : last, first = is_keys ? last : 0;
	if (len == 0 || (!is_keys && strcmp(argv[1], "events") != 0))
		return usage();
	if (is_keys)
		make_room_for_keys(keys);
	else
		make_room_for_events(len, keys);
	stmlog_set_clock(now_ns);
	if (stmlog_open(&setup) != 0)
		return 1;
	uint64_t made = is_keys ? keys : make_events(len);
	if (keys > 0)
		make_keys(keys, first);
	uint64_t began_ns = real_ns();
	if (stmlog_record(argv[3]) != 0)
		return 1;
	printf("%" PRIu64 " %" PRIu64 "\n", made, real_ns() - began_ns);
	return 0;
}
