/* SPDX-License-Identifier: MIT
 * Every row of the table of causes, made by two threads of a real STM: the reason, the contention, the place and thread
 * of both sides, and the time to the nanosecond. The clock moves only where the scene dwells. */
#include "scenes.h"

#include <string.h>

#include "session_fixture.h"
#include "test.h"

#define DWELL_NS (5 * MS)

/* What the library has recorded for a role's thread. */
struct seen {
	size_t entries;
	struct stmlog_entry entry; /* the first one; its tracebacks are not valid any more, but for what follows */
	struct tb_place local, remote;
	bool is_local_known, is_remote_known;
	size_t local_depth, remote_depth;
	struct stmlog_account account;
	uint32_t thread;
};

static struct seen seen[2];
static struct stmlog_timelog *logs[2];

static void let_time_pass(void)
{
	fake_clock_advance(DWELL_NS);
}

static void begin(enum role role)
{
	seen[role] = (struct seen){.thread = stmlog_thread_id(stmlog_thread_self())};
	logs[role] = stmlog_timelog_create(8, STMLOG_KEEP_COSTLIEST);
	stmlog_timelog_activate(logs[role]);
}

static struct tb_place innermost(const struct tb_frame *traceback)
{
	struct tb_place place = {"", "", 0};
	if (tb_is_frame(traceback) && tb_frame_site(traceback).code == TB_CODE_PLACE)
		place = *(const struct tb_place *)tb_frame_site(traceback).position;
	return place;
}

static void end(enum role role)
{
	struct seen *it = &seen[role];
	it->entries = stmlog_timelog_len(logs[role]);
	stmlog_account_read(stmlog_thread_self(), &it->account);
	struct stmlog_cursor cursor = stmlog_timelog_cursor(logs[role]);
	if (stmlog_cursor_next(&cursor, &it->entry) == STMLOG_NEXT_ENTRY) {
		it->local = innermost(it->entry.local);
		it->remote = innermost(it->entry.remote);
		it->is_local_known = !tb_is_unknown(it->entry.local);
		it->is_remote_known = !tb_is_unknown(it->entry.remote);
		it->local_depth = tb_depth(it->entry.local);
		it->remote_depth = tb_depth(it->entry.remote);
	}
	stmlog_timelog_destroy(&logs[role]);
}

static struct stage stage = {.dwell = let_time_pass, .begin = begin, .end = end};

static void play(const struct scene *scene)
{
	scene_play(scene, &stage);
}

/* ---- what is expected ---- */

/* The frames of an access: its own line, and outside of that the line that runs the transaction. */
static void assert_side(enum side side, bool is_known, size_t depth, struct tb_place place, size_t deed_depth)
{
	switch (side) {
	case UNKNOWN:
		assert_false(is_known);
		break;
	case NOTHING:
		assert_true(is_known);
		assert_int_equal(depth, 0);
		break;
	default:
		assert_true(is_known);
		assert_int_equal(depth, deed_depth);
		assert_int_equal(place.line, stage.line[side == FIRST_DID ? FIRST : SECOND]);
		assert_non_null(strstr(place.file, "scenes.c"));
	}
}

static void assert_cause(const struct stmlog_cause *found, const struct stmlog_cause *expected)
{
	assert_int_equal(found->reason, expected->reason);
	assert_int_equal(found->contention, expected->contention);
	assert_string_equal(found->detail, expected->detail);
}

static void assert_entry(const struct scene *scene, const struct seen *loser, const struct seen *other)
{
	/* A thread that waits for a segment is in no transaction yet, so it has one frame less. */
	size_t local_depth = scene->cause.reason == STMLOG_WAIT ? 1 : 2;
	assert_int_equal(loser->entries, 1);
	assert_cause(&loser->entry.cause, &scene->cause);
	assert_int_equal(loser->entry.count, 1);
	assert_int_equal(loser->entry.lost_ns, DWELL_NS);
	assert_int_equal(loser->entry.false_conflicts, scene->is_false);
	assert_int_equal(loser->entry.local_thread, loser->thread);
	assert_side(scene->local, loser->is_local_known, loser->local_depth, loser->local, local_depth);
	assert_side(scene->remote, loser->is_remote_known, loser->remote_depth, loser->remote, 2);
	if (scene->cause.contention != STMLOG_NONE) {
		assert_int_equal(loser->entry.remote_thread, other->thread);
		assert_int_equal(loser->entry.grade, STMLOG_GRADE_CERTAIN);
		assert_int_equal(loser->entry.undecided + loser->entry.wasted, 0);
	}
	/* Conflicts over an object have its address, which comes from malloc and is not known. */
	assert_int_equal(loser->entry.objects[0].address != 0,
		scene->cause.contention == STMLOG_WRITE_WRITE || scene->cause.contention == STMLOG_WRITE_READ);
}

/* The same time in the account of the role that loses. */
static uint64_t time_lost(const struct scene *scene, const struct stmlog_account *account)
{
	if (scene->second == NULL)
		return account->other_ns;
	switch (scene->cause.reason) {
	case STMLOG_PAUSE:
		return account->paused_ns;
	case STMLOG_WAIT:
		return scene->cause.contention == STMLOG_NONE ? account->waiting_none_ns
							      : account->waiting_inevitable_ns;
	default:
		return account->aborted_ns[scene->cause.contention];
	}
}

static const struct scene *scene; /* of the test that runs */

static void each_row_shows_who_was_where(void)
{
	play(scene);
	const struct seen *loser = &seen[scene->loser], *other = &seen[!scene->loser];
	assert_int_equal(time_lost(scene, &loser->account), DWELL_NS);
	if (scene->is_entry)
		assert_entry(scene, loser, other);
	else
		assert_int_equal(loser->entries, 0);
	if (scene->first != NULL)
		assert_int_equal(other->entries, 0); /* the other role loses nothing */
}

static void set_up(void)
{
	scene = scene == NULL ? scenes : scene + 1;
	session_set_up();
	assert_int_equal(stm_open(&scenes[0].setup), 0);
}

static void tear_down(void)
{
	stm_close();
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* A test of each scene, in their order, with its name. */
__attribute__((constructor)) static void add_tests(void)
{
	static struct test tests[64];
	for (size_t i = 0; i < scenes_len; i++) {
		tests[i] = (struct test){
			.claim = scenes[i].name, .run = each_row_shows_who_was_where, .fixture = &fixture};
		test_add(&tests[i]);
	}
}
