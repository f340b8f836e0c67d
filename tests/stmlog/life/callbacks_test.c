/* SPDX-License-Identifier: MIT
 * Callbacks of struct stmlog_setup that call what makes outputs, or what waits for callbacks to end. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "losses.h"
#include "misuse.h"
#include "test.h"
#include "wait_until.h"

enum { CODE = 90, OBJECT = 10000 };

/* ---- what a callback may call: each returns whether it was refused as the header says ---- */

static struct stmlog_setup setup;
static int null_fd;

static bool misuses_by(void (*call)(void))
{
	size_t before = misuse_total();
	call();
	return misuse_total() == before + 1;
}

static bool report_is_refused(void)
{
	return stmlog_report(null_fd) == -EDEADLK;
}

static bool record_is_refused(void)
{
	return stmlog_record("/dev/null/none") == -EDEADLK;
}

static bool open_is_refused(void)
{
	return stmlog_open(&setup) == -EDEADLK;
}

static bool leave_is_refused(void)
{
	return !stmlog_leave(&setup);
}

static bool flush_is_refused(void)
{
	return misuses_by(stmlog_flush);
}

static bool close_is_refused(void)
{
	return misuses_by(stmlog_close);
}

static bool (*const calls[])(void) = {
	report_is_refused, record_is_refused, open_is_refused, leave_is_refused, flush_is_refused, close_is_refused};
#define CALLS (sizeof calls / sizeof *calls)

/* ---- the callbacks ---- */

enum callback { EXPAND, NAME_OBJECT, FIND_BLOCK, BEFORE_REPORT, FIND_OPEN, CALLBACKS };
static enum callback calling;
static size_t called_first; /* the call that is made once in the callback */
static int refused, called;

static void call_back(enum callback callback)
{
	if (callback != calling || called != 0)
		return;
	called++;
	refused += calls[called_first]();
}

static bool expand(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)site, (void)name, (void)arg;
	call_back(EXPAND);
	return false;
}

static bool name_object(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)object, (void)name, (void)size, (void)arg;
	call_back(NAME_OBJECT);
	return false;
}

static bool find_block(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)object, (void)block, (void)arg;
	call_back(FIND_BLOCK);
	return false;
}

static void before_report(void *arg)
{
	(void)arg;
	call_back(BEFORE_REPORT);
}

static size_t find_open(struct stmlog_open_transaction *open, size_t max, void *arg)
{
	(void)open, (void)max, (void)arg;
	call_back(FIND_OPEN);
	return 0;
}

static struct stmlog_setup setup = {.runtime = "calls-back",
	.expand = expand,
	.name_object = name_object,
	.find_block = find_block,
	.before_report = before_report,
	.find_open = find_open,
	.report = "none"};

static void lose(void)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_push(me, tb_site_make(CODE, 1));
	stmlog_start(me);
	abort_over_write(me, OBJECT, 0, "LOCKED");
}

TEST(what_makes_outputs_is_refused_within_each_callback)
{
	null_fd = open("/dev/null", O_WRONLY);
	hang_guard_begin();
	for (calling = 0; calling < CALLBACKS; calling++) {
		for (called_first = 0; called_first < CALLS; called_first++) {
			called = refused = 0;
			assert_int_equal(stmlog_open(&setup), 0);
			lose();
			assert_int_equal(stmlog_report(null_fd), 0);
			assert_int_equal(called, 1);
			if (refused != 1)
				fail_msg("callback %d makes call %zu", (int)calling, called_first);
			assert_true(stmlog_leave(&setup));
			stmlog_close();
		}
	}
	hang_guard_end();
	close(null_fd);
}
