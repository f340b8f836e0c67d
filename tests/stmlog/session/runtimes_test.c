/* SPDX-License-Identifier: MIT
 * Several runtimes in one session: each names its own sites and objects, and may leave. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "losses.h"
#include "names.h"
#include "peer.h"
#include "runtimes.h"
#include "sections.h"
#include "session.h"
#include "test.h"
#include "wait_until.h"

/* A runtime. It names sites that have its code word, and the 100 objects from `objects` on; the block of memory that it
 * finds lies behind them. */
struct plug {
	const char *name;
	uintptr_t code, objects;
	int reports; /* calls of before_report() */
	int calls;   /* of its other callbacks */
};

static bool expand(struct tb_site site, struct stmlog_name *name, void *arg)
{
	struct plug *plug = arg;
	plug->calls++;
	snprintf(name->function, sizeof name->function, "%s_%d", plug->name, (int)site.position);
	return site.code == plug->code;
}

static bool name_object(uintptr_t object, char *name, size_t size, void *arg)
{
	struct plug *plug = arg;
	plug->calls++;
	snprintf(name, size, "%s+%d", plug->name, (int)(object - plug->objects));
	return object - plug->objects < 100;
}

static bool find_block(uintptr_t object, struct stmlog_block *block, void *arg)
{
	struct plug *plug = arg;
	plug->calls++;
	*block = (struct stmlog_block){.start = plug->objects + 1000, .size = 100};
	return object - block->start < block->size;
}

static void before_report(void *arg)
{
	((struct plug *)arg)->reports++;
}

static struct plug first, second;

static struct stmlog_setup setup_of(struct plug *plug)
{
	return (struct stmlog_setup){.runtime = plug->name,
		.expand = expand,
		.expand_arg = plug,
		.name_object = name_object,
		.name_object_arg = plug,
		.find_block = find_block,
		.find_block_arg = plug,
		.before_report = before_report,
		.before_report_arg = plug,
		.report = "none"};
}

static void open_both(void)
{
	first = (struct plug){.name = "first-stm", .code = 90, .objects = 10000};
	second = (struct plug){.name = "second-stm", .code = 91, .objects = 20000};
	struct stmlog_setup one = setup_of(&first), two = setup_of(&second);
	assert_int_equal(stmlog_open(&one), 0);
	assert_int_equal(stmlog_open(&two), -EALREADY);
}

static void close_all(void)
{
	stmlog_close();
	assert_int_equal(tb_live_frames(), 0);
}

static const struct test_fixture open_both_fixture = {open_both, close_all};

static const char *names(void)
{
	static char text[RUNTIMES_TEXT];
	runtimes_names(text);
	return text;
}

static void assert_function(uintptr_t code, const char *function)
{
	struct stmlog_name name;
	assert_int_equal(names_expand(tb_site_make(code, 7), &name), function != NULL);
	if (function != NULL)
		assert_string_equal(name.function, function);
}

static void assert_object(uintptr_t object, const char *expected)
{
	char name[OBJECT_NAME];
	assert_int_equal(names_object(object, name), expected[0] != '\0');
	assert_string_equal(name, expected);
}

TEST_WITH(open_both_fixture, each_names_what_is_its_own)
{
	struct stmlog_block block;
	assert_string_equal(names(), "first-stm, second-stm");
	assert_function(90, "first-stm_7");
	assert_function(91, "second-stm_7");
	assert_function(92, NULL);
	assert_object(10005, "first-stm+5");
	assert_object(20005, "second-stm+5");
	assert_object(30005, "");
	assert_true(names_block(21050, &block));
	assert_int_equal(block.start, 21000);
	assert_false(names_block(31050, &block));
}

TEST_WITH(open_both_fixture, each_is_called_before_a_report)
{
	session_before_report();
	assert_int_equal(first.reports, 1);
	assert_int_equal(second.reports, 1);
}

TEST_WITH(open_both_fixture, who_has_left_is_not_called_any_more_and_keeps_its_name)
{
	struct stmlog_setup setup = setup_of(&second);
	assert_true(stmlog_leave(&setup));
	assert_false(stmlog_leave(&setup));
	second.calls = 0;
	session_before_report();
	assert_function(90, "first-stm_7");
	assert_function(91, NULL);
	assert_object(20005, "");
	assert_int_equal(second.calls + second.reports, 0);
	assert_string_equal(names(), "first-stm, second-stm");
}

/* An abort at a site of the runtime's own, and because of an object of its own. */
static void lose_at(const struct plug *plug)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_push(me, tb_site_make(plug->code, 7));
	stmlog_start(me);
	abort_over_write(me, plug->objects + 5, 0, "LOCKED");
	stmlog_pop(me);
}

TEST_WITH(open_both_fixture, what_who_has_left_could_name_keeps_its_name)
{
	struct stmlog_setup setup = setup_of(&second);
	lose_at(&second);
	assert_true(stmlog_leave(&setup));
	second.calls = 0;
	assert_function(91, "second-stm_7");
	assert_object(20005, "second-stm+5");
	assert_object(20006, "");
	assert_int_equal(second.calls, 0);
	stmlog_close();
	open_both();
	assert_true(stmlog_leave(&setup));
	assert_function(91, NULL); /* the names were those of the session before */
	assert_object(20005, "");
}

TEST_WITH(open_both_fixture, who_has_opened_may_leave_too)
{
	struct stmlog_setup setup = setup_of(&first);
	assert_true(stmlog_leave(&setup));
	assert_function(90, NULL);
	assert_function(91, "second-stm_7");
	assert_true(session_is_open());
}

/* A plug-in that is loaded again and again, at other addresses. */
TEST_WITH(open_both_fixture, who_comes_back_has_its_old_place)
{
	struct plug plugs[3 * STMLOG_RUNTIMES];
	for (size_t i = 0; i < 3 * STMLOG_RUNTIMES; i++) {
		plugs[i] = (struct plug){.name = "plug-in", .code = 100 + i, .objects = 50000};
		struct stmlog_setup setup = setup_of(&plugs[i]);
		assert_int_equal(stmlog_open(&setup), -EALREADY);
		assert_int_equal(stmlog_open(&setup), -EALREADY); /* no second place */
		assert_function(100 + i, "plug-in_7");
		assert_true(stmlog_leave(&setup));
		assert_function(100 + i, NULL);
	}
	assert_string_equal(names(), "first-stm, second-stm, plug-in");
}

TEST_WITH(open_both_fixture, there_is_room_for_so_many_and_the_next_one_still_records)
{
	static const char *const more[] = {"c", "d", "e", "f", "g", "h", "i"};
	static struct plug plugs[7]; /* called by the teardown, too */
	for (size_t i = 0; i < 7; i++) {
		plugs[i] = (struct plug){.name = more[i], .code = 100 + i};
		struct stmlog_setup setup = setup_of(&plugs[i]);
		assert_int_equal(stmlog_open(&setup), i < STMLOG_RUNTIMES - 2 ? -EALREADY : -ENOSPC);
	}
	assert_function(105, "h_7");
	assert_function(106, NULL);
	assert_non_null(stmlog_thread_open(NULL));
	assert_string_equal(names(), "first-stm, second-stm, c, d, e, f, g, h");
}

TEST_WITH(open_both_fixture, a_runtime_without_a_name_is_embedded_only_where_no_other_has_one)
{
	struct stmlog_setup setup = {.runtime = "named", .report = "none"};
	stmlog_close();
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_string_equal(names(), "embedded");
	assert_int_equal(stmlog_open(&setup), -EALREADY);
	assert_string_equal(names(), "named");
}

/* ---- in the recording ---- */

static void commit_one(struct stmlog_thread *thread)
{
	stmlog_start(thread);
	stmlog_commit(thread);
}

static void *run_thread(void *name)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_set_runtime(thread, name);
	commit_one(thread);
	return NULL;
}

/* How many threads of the recording belong to the runtime; "": it is not known of them. */
static int threads_of(const char *runtime)
{
	OWNED(sections_fini) struct sections sections;
	int count = 0;
	assert_int_equal(sections_init(&sections, SECTIONS_OF_FILE), 0);
	const struct stmlog_thread_record *thread = (const void *)sections.threads.bytes;
	const struct stmlog_thread_record *end = thread + sections.threads.len / sizeof *thread;
	for (; thread < end; thread++)
		count += strcmp(sections.intern.strings.bytes + thread->runtime, runtime) == 0;
	return count;
}

TEST_WITH(open_both_fixture, the_recording_says_to_which_runtime_a_thread_or_lane_belongs)
{
	static const char *const owners[] = {"first-stm", "second-stm"};
	struct stmlog_thread *lanes[2];
	for (size_t i = 0; i < 2; i++) {
		run_in_thread(run_thread, (void *)(uintptr_t)owners[i]);
		lanes[i] = stmlog_thread_open("lane");
		stmlog_set_runtime(lanes[i], owners[i]);
	}
	for (size_t i = 0; i < 20; i++) { /* one OS thread uses both, in the middle of each other's transactions */
		stmlog_claim(lanes[0]);
		stmlog_start(lanes[0]);
		stmlog_claim(lanes[1]);
		commit_one(lanes[1]);
		stmlog_release(lanes[1]);
		stmlog_commit(lanes[0]);
		stmlog_release(lanes[0]);
	}
	for (size_t i = 0; i < 2; i++) {
		struct stmlog_account account;
		stmlog_account_read(lanes[i], &account);
		assert_int_equal(account.commits, 20);
		stmlog_thread_close(&lanes[i]);
	}
	assert_string_equal(names(), "first-stm, second-stm");
	assert_int_equal(threads_of("first-stm"), 2);
	assert_int_equal(threads_of("second-stm"), 2);
}

TEST_WITH(open_both_fixture, without_such_names_it_is_not_known)
{
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	commit_one(lane);
	stmlog_thread_close(&lane);
	stmlog_set_runtime(NULL, "none");
	assert_int_equal(threads_of(""), 1);
}

/* ---- leaving while others report ---- */

static int is_over;
static bool is_loaded;

static bool name_if_loaded(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)object;
	if (!__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE))
		++*(int *)arg; /* called after it has left */
	snprintf(name, size, "x");
	return false;
}

/* No runtime is asked: the name outlives what it names. */
TEST_WITH(open_both_fixture, an_object_may_be_the_number_of_its_name)
{
	int calls = first.calls;
	assert_object(tb_code_intern("queue 17", NULL), "queue 17");
	assert_object(TB_CODE_UNKNOWN, "unknown code");
	assert_int_equal(first.calls, calls);
}

static void *ask_all_the_time(void *arg)
{
	char name[OBJECT_NAME];
	(void)arg;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		names_object(70000, name);
	return NULL;
}

TEST_WITH(open_both_fixture, nobody_is_within_a_callback_of_a_runtime_that_has_left)
{
	int late = 0;
	pthread_t asker;
	struct stmlog_setup setup = {
		.runtime = "plug-in", .name_object = name_if_loaded, .name_object_arg = &late, .report = "none"};
	is_over = 0;
	assert_int_equal(pthread_create(&asker, NULL, ask_all_the_time, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		__atomic_store_n(&is_loaded, true, __ATOMIC_RELEASE);
		assert_int_equal(stmlog_open(&setup), -EALREADY);
		assert_true(stmlog_leave(&setup));
		__atomic_store_n(&is_loaded, false, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(asker, NULL);
	assert_int_equal(late, 0);
}

/* ---- a place that another thread is comparing ---- */

/* Linked with -Wl,--wrap=sched_yield: a thread that waits for a place calls it. */
int __real_sched_yield(void);
int __wrap_sched_yield(void);

static volatile AO_t yields;

int __wrap_sched_yield(void)
{
	AO_fetch_and_add1(&yields);
	return __real_sched_yield();
}

static void *part(void *setup)
{
	return (void *)(uintptr_t)runtimes_part(setup);
}

TEST_WITH(open_both_fixture, who_leaves_waits_for_its_place)
{
	struct stmlog_setup setup = setup_of(&second);
	pthread_t thread;
	void *has_left;
	AO_store(&runtimes[1].state, RUNTIME_CHANGING);
	AO_store(&yields, 0);
	assert_int_equal(pthread_create(&thread, NULL, part, &setup), 0);
	WAIT_UNTIL(AO_load(&yields) != 0);
	AO_store_release(&runtimes[1].state, RUNTIME_IN);
	pthread_join(thread, &has_left);
	assert_non_null(has_left);
}
