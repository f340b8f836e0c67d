/* SPDX-License-Identifier: MIT
 * The costliest transactions in the way, against a model that looks at each pair of entries. */
#include <errno.h>
#include <string.h>

#include "timelog.h"
#include "mem.h"
#include "random.h"
#include "session_fixture.h"
#include "test.h"

enum { ENTRIES_MAX = 300, PLACES = 20 };

static struct tb_frame *places[PLACES]; /* of the test's thread: unknown, empty, and tracebacks that share sites */

static void set_up(void)
{
	session_set_up();
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	places[0] = TB_UNKNOWN;
	places[1] = TB_EMPTY;
	for (uintptr_t i = 2; i < PLACES; i++) {
		const struct tb_site sites[] = {{2, i / 2}, {2, i}};
		places[i] = tb_build(stack, sites, 1 + i % 2, i % 5 == 0 ? TB_UNKNOWN : TB_EMPTY);
	}
	stmlog_timelog_destroy(&fixture_log);
}

static void tear_down(void)
{
	for (size_t i = 0; i < PLACES; i++)
		tb_unref(stmlog_thread_stack(stmlog_thread_self()), places[i]);
	session_tear_down();
}

static const struct test_fixture aggressors_fixture = {set_up, tear_down};

static void lose_one(struct random *random)
{
	static const enum stmlog_reason reasons[] = {STMLOG_SELF_ABORT, STMLOG_ABORTED_BY_OTHER, STMLOG_USER_ABORT};
	enum stmlog_reason reason = reasons[random_below(random, 3)];
	bool is_user = reason == STMLOG_USER_ABORT;
	struct stmlog_loss loss = stmlog_loss_make(reason, is_user ? STMLOG_NONE : STMLOG_WRITE_WRITE, NULL);
	if (!is_user)
		loss.cause.contention = random_below(random, 2) == 0 ? STMLOG_WRITE_READ : STMLOG_DATA;
	loss.local = places[random_below(random, PLACES)];
	loss.remote = places[random_below(random, PLACES)];
	loss.overlap = (enum stmlog_overlap)random_below(random, STMLOG_OVERLAP_ALIAS + 1);
	stmlog_set_weight(stmlog_thread_self(), 1 + random_below(random, 3));
	lose(stmlog_thread_self(), random_below(random, 50) * US, &loss);
	stmlog_retry(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
}

/* ---- the model ---- */

static size_t entries_of(struct stmlog_timelog *log, struct stmlog_entry *entries)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(log);
	size_t len = 0;
	while (len < ENTRIES_MAX && stmlog_cursor_next(&cursor, &entries[len]) == STMLOG_NEXT_ENTRY)
		len += entries[len].cause.contention != STMLOG_NONE;
	return len;
}

static bool is_same_place(const struct tb_frame *a, const struct tb_frame *b)
{
	if (!tb_is_frame(a) || !tb_is_frame(b))
		return a == b;
	return tb_frame_site(a).code == tb_frame_site(b).code && tb_frame_site(a).position == tb_frame_site(b).position;
}

/* Whether an entry before this one has the same remote traceback, and, if asked, the same local place. */
static bool has_been(const struct stmlog_entry *entries, size_t at, bool with_local)
{
	for (size_t i = 0; i < at; i++)
		if (tb_equal(entries[i].remote, entries[at].remote) &&
			(!with_local || is_same_place(entries[i].local, entries[at].local)))
			return true;
	return false;
}

static struct stmlog_aggressor sum_of(const struct stmlog_entry *entries, size_t len, struct tb_frame *remote)
{
	struct stmlog_aggressor sum = {.remote = remote};
	for (size_t i = 0; i < len; i++) {
		const struct stmlog_entry *entry = &entries[i];
		if (!tb_equal(entry->remote, remote))
			continue;
		sum.victims += !has_been(entries, i, true);
		sum.count += entry->count;
		sum.lost_ns += entry->lost_ns;
		sum.longest_ns = entry->longest_ns > sum.longest_ns ? entry->longest_ns : sum.longest_ns;
		sum.false_conflicts += entry->false_conflicts;
		sum.estimated_ns += entry->estimated_ns;
		sum.variance_ns2 = stmlog_joint_variance(sum.variance_ns2, entry->variance_ns2);
	}
	return sum;
}

static size_t model_len(const struct stmlog_entry *entries, size_t len)
{
	size_t rows = 0;
	for (size_t i = 0; i < len; i++)
		rows += !has_been(entries, i, false);
	return rows;
}

static void assert_row_is(const struct stmlog_aggressor *row, const struct stmlog_aggressor *expected)
{
	assert_int_equal(row->victims, expected->victims);
	assert_int_equal(row->count, expected->count);
	assert_int_equal(row->lost_ns, expected->lost_ns);
	assert_int_equal(row->longest_ns, expected->longest_ns);
	assert_int_equal(row->false_conflicts, expected->false_conflicts);
	assert_true(row->estimated_ns == expected->estimated_ns);
	assert_true(row->variance_ns2 == expected->variance_ns2);
}

/* ---- */

static void assert_is_as_the_model(struct stmlog_timelog *log)
{
	struct stmlog_entry entries[ENTRIES_MAX];
	struct stmlog_aggressor rows[PLACES], few[3];
	size_t len = entries_of(log, entries), found = stmlog_timelog_aggressors(log, rows, PLACES);
	assert_int_equal(found, model_len(entries, len));
	for (size_t i = 0; i < found; i++) {
		struct stmlog_aggressor expected = sum_of(entries, len, rows[i].remote);
		assert_row_is(&rows[i], &expected);
		assert_true(i == 0 || rows[i].lost_ns <= rows[i - 1].lost_ns);
		for (size_t before = 0; before < i; before++)
			assert_false(tb_equal(rows[i].remote, rows[before].remote));
	}
	assert_int_equal(stmlog_timelog_aggressors(log, few, 3), found);
	assert_memory_equal(few, rows, (found < 3 ? found : 3) * sizeof few[0]);
	assert_int_equal(stmlog_timelog_aggressors(log, NULL, 0), found);
}

TEST_WITH(aggressors_fixture, each_row_is_the_sum_of_its_entries)
{
	struct random random = {5};
	for (int round = 0; round < 60; round++) {
		OWNED(stmlog_timelog_destroy)
		struct stmlog_timelog *log = stmlog_timelog_create(1 + random_below(&random, ENTRIES_MAX));
		stmlog_timelog_activate(log);
		for (uint32_t losses = random_below(&random, 400); losses > 0; losses--)
			lose_one(&random);
		assert_is_as_the_model(log);
	}
}

TEST_WITH(aggressors_fixture, an_empty_timelog_and_no_timelog_have_none)
{
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *log = stmlog_timelog_create(4);
	assert_int_equal(stmlog_timelog_aggressors(log, NULL, 0), 0);
	assert_int_equal(stmlog_timelog_aggressors(NULL, NULL, 0), 0);
}

TEST_WITH(aggressors_fixture, without_memory_there_is_none_and_errno_says_why)
{
	struct random random = {6};
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *log = stmlog_timelog_create(64);
	stmlog_timelog_activate(log);
	for (int i = 0; i < 50; i++)
		lose_one(&random);
	assert_int_not_equal(stmlog_timelog_aggressors(log, NULL, 0), 0);
	errno = 0;
	mem_fail_at(1);
	assert_int_equal(stmlog_timelog_aggressors(log, NULL, 0), 0);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(mem_fail_left(), 0);
}
