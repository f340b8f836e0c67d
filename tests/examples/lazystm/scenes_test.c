/* SPDX-License-Identifier: MIT
 * Every cause of an abort in lazystm, made by two threads: the reason, the contention, the place and thread of both
 * sides, and the time to the nanosecond. The clock moves only where the scene dwells. */
#include "scenes.h"

#include <string.h>

#include "session_fixture.h"
#include "test.h"

#define DWELL_NS (5 * MS)

/* A traceback, of which the test looks at the innermost line. */
struct seen {
	bool is_known;
	size_t depth;
	struct tb_place place;
};

/* Of the victim, except for the last two. */
static struct {
	size_t entries;
	struct stmlog_entry entry; /* its tracebacks are not valid any more */
	struct seen local, remote;
	struct stmlog_account account;
	uint32_t thread, writer;
	size_t losses_of_writer;
} found;

static __thread struct stmlog_timelog *log_of_thread;

static void let_time_pass(void)
{
	fake_clock_advance(DWELL_NS);
}

static void begin(bool is_victim)
{
	*(is_victim ? &found.thread : &found.writer) = stmlog_thread_id(stmlog_thread_self());
	log_of_thread = stmlog_timelog_create(8, STMLOG_KEEP_COSTLIEST);
	stmlog_timelog_activate(log_of_thread);
}

static struct seen look(const struct tb_frame *traceback)
{
	struct seen seen = {.is_known = !tb_is_unknown(traceback), .depth = tb_depth(traceback)};
	if (tb_is_frame(traceback))
		seen.place = *(const struct tb_place *)tb_frame_site(traceback).position;
	return seen;
}

static void look_at_victim(void)
{
	found.entries = stmlog_timelog_len(log_of_thread);
	stmlog_account_read(stmlog_thread_self(), &found.account);
	struct stmlog_cursor cursor = stmlog_timelog_cursor(log_of_thread);
	if (stmlog_cursor_next(&cursor, &found.entry) != STMLOG_NEXT_ENTRY)
		return;
	found.local = look(found.entry.local);
	found.remote = look(found.entry.remote);
}

static void end(bool is_victim)
{
	if (is_victim)
		look_at_victim();
	else
		found.losses_of_writer = stmlog_timelog_len(log_of_thread);
	stmlog_timelog_destroy(&log_of_thread);
}

/* An access has two lines: its own and, outside of that, the line that runs the transaction. */
static void assert_line(const struct seen *seen, unsigned line)
{
	assert_true(seen->is_known);
	assert_int_equal(seen->depth, 2);
	assert_int_equal(seen->place.line, line);
	assert_non_null(strstr(seen->place.file, "scenes.c"));
}

static void assert_writer(const struct stage *stage)
{
	assert_line(&found.remote, stage->writer_line);
	assert_int_equal(found.entry.remote_thread, found.writer);
	assert_int_equal(found.entry.grade, STMLOG_GRADE_CERTAIN);
}

static const struct scene *scene; /* of the test that runs */

static void each_cause_shows_which_accesses_were_in_conflict(void)
{
	struct stage stage = {.dwell = let_time_pass, .begin = begin, .end = end};
	memset(&found, 0, sizeof found);
	scene_play(scene, &stage);
	assert_int_equal(found.entries, 1);
	assert_int_equal(found.entry.count, 1);
	assert_int_equal(found.entry.lost_ns, DWELL_NS);
	assert_int_equal(found.account.aborted_ns[scene->cause.contention], DWELL_NS);
	assert_int_equal(found.entry.cause.reason, scene->cause.reason);
	assert_int_equal(found.entry.cause.contention, scene->cause.contention);
	assert_string_equal(found.entry.cause.detail, scene->cause.detail);
	assert_int_equal(found.entry.local_thread, found.thread);
	assert_line(&found.local, stage.victim_line);
	bool is_conflict = scene->cause.contention != STMLOG_NONE;
	if (is_conflict)
		assert_writer(&stage);
	else
		assert_true(found.remote.is_known && found.remote.depth == 0);
	assert_int_equal(found.entry.objects[0].address != 0, is_conflict);
	assert_int_equal(found.account.blocked, scene->is_awaited);
	assert_int_equal(found.account.blocked_ns, scene->is_awaited ? DWELL_NS : 0);
	assert_int_equal(found.losses_of_writer, 0);
}

static void set_up(void)
{
	scene = scene == NULL ? scenes : scene + 1;
	session_set_up();
	assert_int_equal(lazy_open(), 0);
}

static void tear_down(void)
{
	lazy_close();
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* A test of each scene, in their order, with its name. */
__attribute__((constructor)) static void add_tests(void)
{
	static struct test tests[64];
	for (size_t i = 0; i < scenes_len; i++) {
		tests[i] = (struct test){.claim = scenes[i].name,
			.run = each_cause_shows_which_accesses_were_in_conflict,
			.fixture = &fixture};
		test_add(&tests[i]);
	}
}
