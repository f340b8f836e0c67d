/* SPDX-License-Identifier: MIT
 * All that a session does (open, attach, every hook, timelogs, timelines, profiles, files, reports, flush, close), with
 * each of its allocations failing in turn (of those that take long to play, some). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stmlog/profile.h>

#include "account.h"
#include "capture_stderr.h"
#include "every_hook.h"
#include "losses.h"
#include "mem.h"
#include "peer.h"
#include "registry.h"
#include "session_fixture.h"
#include "stress.h"
#include "temp_dir.h"

static char out[256], file[256];

/* What a round has recorded, and what it says that it has not. */
struct round {
	uint64_t commits, losses, events, calls;
	uint64_t refused; /* calls that returned an error, threads and events that were counted as missing */
};

static void check_error(struct round *round, int error)
{
	assert_true(error == 0 || error == -ENOMEM);
	round->refused += error != 0;
}

/* Returns whether there is a result; without, the call must have said why. */
static bool is_there(struct round *round, const void *result)
{
	round->refused += result == NULL;
	if (result == NULL)
		assert_int_equal(errno, ENOMEM);
	return result != NULL;
}

/* ---- events ---- */

/* Each hook, in the state that it needs, on an attachment of its own. */
static void call_every_hook(void)
{
	for (size_t i = 0; i < every_hook_len; i++) {
		struct stmlog_thread *me = stmlog_thread_open(NULL);
		if (me == NULL || every_hook[i].needs == STATE_IDLE || every_hook[i].needs == STATE_CLAIMED)
			continue;
		tb_push(stmlog_thread_stack(me), tb_site_make(7, i));
		every_hook_prepare(me, every_hook[i].needs);
		fake_clock_advance(10);
		every_hook[i].call(me);
		fake_clock_advance(10);
		close_own();
	}
}

/* Losses of many keys at different depths, with objects, in a thread of its own. */
static void *lose_often(void *arg)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct tb_stack *stack = stmlog_thread_stack(me);
	for (uintptr_t i = 0; i < 40 && me != NULL; i++) {
		struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WORD");
		tb_push(stack, tb_site_make(7, i));
		loss.local = tb_current(stack);
		loss.object = 64 + i % 5;
		lose(me, 10, &loss);
		stmlog_retry(me);
		stmlog_origin(me, tb_site_make(8, i));
		fake_clock_advance(10);
		stmlog_commit(me);
	}
	return arg;
}

static void use_a_lane(struct round *round)
{
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	if (lane == NULL) {
		round->refused++;
		return;
	}
	stmlog_claim(lane);
	stmlog_start(lane);
	stmlog_commit(lane);
	stmlog_release(lane);
	stmlog_thread_close(&lane);
}

/* ---- what readers do ---- */

static void use_timelogs(struct round *round)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WORD");
	struct stmlog_timelog *log = me != NULL ? stmlog_timelog_create(4) : NULL;
	if (me == NULL || !is_there(round, log))
		return;
	stmlog_timelog_activate(log);
	lose(me, 10, &loss);
	struct stmlog_timelog *copy = stmlog_timelog_snapshot_remote(log);
	if (is_there(round, copy))
		stmlog_timelog_destroy(&copy);
	copy = stmlog_timelog_take(log);
	if (is_there(round, copy))
		stmlog_timelog_destroy(&copy);
	stmlog_timelog_destroy(&log);
}

static void walk(struct round *round)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(16, 8);
	OWNED(stmlog_walker_destroy)
	struct stmlog_walker *walker = profile != NULL ? stmlog_walker_create(profile) : NULL;
	for (uint32_t site = 0; site < 200; site++)
		stmlog_walker_enter(walker, site % 7);
	if (is_there(round, walker))
		for (uint32_t site = 0; site < 7; site++)
			round->calls += stmlog_profile_calls(profile, site);
	round->calls += stmlog_profile_overflowed(profile);
}

static void take_timeline(struct round *round)
{
	stmlog_timeline_stop();
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	if (!is_there(round, timeline))
		return;
	round->events = timeline->len;
	round->refused += timeline->unrecorded;
	struct stmlog_timeline_fault fault;
	assert_true(
		stmlog_timeline_check(timeline, &fault) || strcmp(fault.what, "there is no memory to check it") == 0);
	stmlog_timeline_destroy(&timeline);
}

static void write_all(struct round *round)
{
	int report = memfd_create("report", 0);
	check_error(round, stmlog_report(report));
	close(report);
	int error = stmlog_record(file);
	check_error(round, error);
	assert_int_equal(access(file, F_OK), error == 0 ? 0 : -1);
	unlink(file);
	stmlog_flush();
}

/* ---- a round ---- */

static void count_threads(struct round *round)
{
	registry_lock();
	for (size_t i = 0; i < registry.ended_len; i++)
		round->commits += registry.ended[i].account.commits;
	round->losses = timelog_recorded(registry.retired).count;
	round->refused += registry.refused;
	registry_unlock();
}

static void record(struct round *round)
{
	check_error(round, stmlog_timeline_start());
	call_every_hook();
	run_in_thread(lose_often, NULL);
	use_a_lane(round);
	use_timelogs(round);
	walk(round);
	write_all(round);
	close_own();
	take_timeline(round);
	count_threads(round);
}

static struct round play(size_t fails_at, char *told, size_t size)
{
	static const struct stmlog_setup setup = {.runtime = "test", .report = "none"};
	struct round round = {.refused = 0};
	char options[512];
	snprintf(options, sizeof options, "out=%s:timeline=512:paths=on", out);
	setenv("STMLOG_OPTIONS", options, 1);
	fake_clock_set(1000);
	stmlog_set_clock(fake_clock_now_ns);
	capture_stderr_begin();
	mem_fail_at(fails_at);
	int error = stmlog_open(&setup);
	check_error(&round, error);
	if (error == 0)
		record(&round);
	stmlog_close();
	capture_stderr_end(told, size);
	return round;
}

static bool is_same(const struct round *a, const struct round *b)
{
	return a->commits == b->commits && a->losses == b->losses && a->events == b->events && a->calls == b->calls;
}

TEST(whatever_allocation_fails_nothing_is_lost_without_a_word)
{
	char told[4096];
	size_t failures = 0, lost = 0, before = mem_live_bytes();
	const struct round whole = play(0, told, sizeof told);
	assert_true(whole.commits > 40 && whole.losses > 40 && whole.events > 200 && whole.calls == 200 &&
		    whole.refused == 0);
	const size_t step = 400 / stress_times(400);
	for (size_t n = 1;; n += step) {
		struct round round = play(n, told, sizeof told);
		if (mem_fail_left() != 0)
			break; /* nobody asked for an n-th allocation */
		failures++;
		lost += !is_same(&round, &whole);
		assert_int_equal(tb_live_frames(), 0);
		assert_int_equal(mem_live_bytes(), before);
		if (!is_same(&round, &whole) && round.refused == 0 && told[0] == '\0')
			fail_msg("allocation %zu: %lu commits, %lu losses, %lu events, and nothing said", n,
				(unsigned long)round.commits, (unsigned long)round.losses, (unsigned long)round.events);
	}
	mem_fail_at(0);
	assert_true(failures * step > 200 && lost > 0);
	const struct round again = play(0, told, sizeof told);
	assert_true(is_same(&again, &whole) && again.refused == 0);
}

static void set_up(void)
{
	temp_dir_set_up();
	snprintf(out, sizeof out, "%s", temp_dir_path("out"));
	snprintf(file, sizeof file, "%s", temp_dir_path("file"));
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

GROUP_WITH(fixture);
