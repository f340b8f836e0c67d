/* SPDX-License-Identifier: MIT
 * The clock moves only where the scenario lets time pass. */
#include "scenario_tests.h"

#include <string.h>

#include "scenario.h"
#include "session_fixture.h"
#include "test.h"

#define LOST_NS (5 * MS)

/* A traceback, of which the test looks at the innermost line. */
struct seen {
	bool is_known;
	size_t depth;
	struct tb_place place;
};

/* What the library has recorded of each thread. */
static struct found {
	uint32_t thread;
	struct stmlog_timelog *log;
	size_t entries;
	struct stmlog_entry entry; /* the first one; its tracebacks are not valid any more */
	struct seen local, remote;
	struct stmlog_account account;
} found[2];

static void let_time_pass(void)
{
	fake_clock_advance(LOST_NS);
}

static void begin(enum role role)
{
	found[role] = (struct found){.thread = stmlog_thread_id(stmlog_thread_self())};
	found[role].log = stmlog_timelog_create(8);
	stmlog_timelog_activate(found[role].log);
}

static struct seen look(const struct tb_frame *traceback)
{
	struct seen seen = {.is_known = !tb_is_unknown(traceback), .depth = tb_depth(traceback)};
	if (tb_is_frame(traceback) && tb_frame_site(traceback).code == TB_CODE_PLACE)
		seen.place = *(const struct tb_place *)tb_frame_site(traceback).position;
	return seen;
}

static void end(enum role role)
{
	struct found *it = &found[role];
	it->entries = stmlog_timelog_len(it->log);
	stmlog_account_read(stmlog_thread_self(), &it->account);
	struct stmlog_cursor cursor = stmlog_timelog_cursor(it->log);
	if (stmlog_cursor_next(&cursor, &it->entry) == STMLOG_NEXT_ENTRY) {
		it->local = look(it->entry.local);
		it->remote = look(it->entry.remote);
	}
	stmlog_timelog_destroy(&it->log);
}

static struct scenario_observer observer = {.pass_time = let_time_pass, .begin = begin, .end = end};

/* ---- what is expected ---- */

/* Where scenario_run() has had the first thread run its transaction. */
static void assert_begin_of_first(const struct seen *seen)
{
	assert_true(seen->is_known);
	assert_int_equal(seen->depth, 1);
	assert_string_equal(seen->place.function, "run_first");
}

static void assert_line(const struct seen *seen, size_t depth, unsigned line)
{
	assert_true(seen->is_known);
	assert_int_equal(seen->depth, depth);
	assert_int_equal(seen->place.line, line);
	assert_non_null(strstr(seen->place.file, "stm_scenarios.c"));
}

static void assert_side(const struct seen *seen, enum side side, size_t depth)
{
	switch (side) {
	case BEGIN_OF_FIRST:
		assert_begin_of_first(seen);
		break;
	case NO_FRAMES:
		assert_true(seen->is_known);
		assert_int_equal(seen->depth, 0);
		break;
	case LINE_OF_FIRST:
		assert_line(seen, depth, observer.line[FIRST]);
		break;
	case LINE_OF_SECOND:
		assert_line(seen, depth, observer.line[SECOND]);
		break;
	}
}

static bool is_over_an_object(const struct stmlog_cause *cause)
{
	return cause->contention == STMLOG_WRITE_WRITE || cause->contention == STMLOG_WRITE_READ;
}

/* An access has two lines: its own and, outside of that, the line that runs the transaction. A thread that waits for a
 * segment is in no transaction yet, so it has one line less. */
static void assert_entry(const struct scenario *scenario, const struct found *loser, const struct found *other)
{
	const struct stmlog_entry *entry = &loser->entry;
	assert_int_equal(loser->entries, 1);
	assert_int_equal(entry->cause.reason, scenario->cause.reason);
	assert_int_equal(entry->cause.contention, scenario->cause.contention);
	assert_string_equal(entry->cause.detail, scenario->cause.detail);
	assert_int_equal(entry->count, 1);
	assert_int_equal(entry->lost_ns, LOST_NS);
	assert_int_equal(entry->false_conflicts, scenario->is_false);
	assert_int_equal(entry->local_thread, loser->thread);
	assert_side(&loser->local, scenario->local, scenario->cause.reason == STMLOG_WAIT ? 1 : 2);
	assert_side(&loser->remote, scenario->remote, 2);
	if (scenario->cause.contention != STMLOG_NONE) {
		assert_int_equal(entry->remote_thread, other->thread);
		assert_int_equal(entry->grade, STMLOG_GRADE_CERTAIN);
		assert_int_equal(entry->undecided + entry->wasted, 0);
	}
	/* Conflicts over an object have its address, which comes from malloc and is not known. */
	assert_int_equal(entry->objects[0].address != 0, is_over_an_object(&scenario->cause));
}

/* The same time in the account of the thread that loses. */
static uint64_t time_lost(const struct scenario *scenario, const struct stmlog_account *account)
{
	if (scenario->transaction[SECOND] == NULL)
		return account->other_ns;
	switch (scenario->cause.reason) {
	case STMLOG_PAUSE:
		return account->paused_ns;
	case STMLOG_WAIT:
		return scenario->cause.contention == STMLOG_NONE ? account->waiting_none_ns
								 : account->waiting_inevitable_ns;
	default:
		return account->aborted_ns[scenario->cause.contention];
	}
}

/* A thread that waits after the program's own retry is blocked, which is no loss. */
static void assert_blocked(const struct scenario *scenario, const struct stmlog_account *account)
{
	bool is_blocked = scenario->has_wait && scenario->cause.reason == STMLOG_USER_ABORT;
	assert_int_equal(account->blocked, is_blocked);
	assert_int_equal(account->blocked_ns, is_blocked ? LOST_NS : 0);
}

static const struct scenario *scenario; /* of the test that runs */

static void the_loss_shows_who_was_where(void)
{
	scenario_run(scenario, &observer);
	const struct found *loser = &found[scenario->loser], *other = &found[!scenario->loser];
	assert_int_equal(time_lost(scenario, &loser->account), LOST_NS);
	assert_blocked(scenario, &loser->account);
	if (scenario->is_entry)
		assert_entry(scenario, loser, other);
	else
		assert_int_equal(loser->entries, 0);
	if (scenario->transaction[FIRST] != NULL)
		assert_int_equal(other->entries, 0); /* the other thread loses nothing */
}

static void set_up(void)
{
	scenario = scenario == NULL ? scenarios.list : scenario + 1;
	session_set_up();
	assert_int_equal(stm_open(), 0);
}

static void tear_down(void)
{
	stm_close();
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

void scenario_tests_add(void)
{
	static struct test tests[64];
	assert_in_range(scenarios.len, 1, sizeof tests / sizeof tests[0]);
	for (size_t i = 0; i < scenarios.len; i++) {
		tests[i] = (struct test){
			.claim = scenarios.list[i].name, .run = the_loss_shows_who_was_where, .fixture = &fixture};
		test_add(&tests[i]);
	}
}
