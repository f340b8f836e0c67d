/* SPDX-License-Identifier: MIT
 * The scenarios of smallstm: each row of the table of causes. Transactions block on semaphores, so that both attempts
 * are where the scenario wants them. */
#include "scenario.h"
#include "smallstm.h"

/* ---- the first: makes an access, and stays until the second has met the conflict ---- */

static void stay(struct stm_thread *thread, struct interleaving *run)
{
	if (run->attempts[FIRST]++ == 0) {
		reach(run, FIRST_IS_IN_THE_WAY);
		wait_for(run, FIRST_MAY_GO_ON);
		if (run->scenario->loser == FIRST)
			pass_time(run);
	}
	stm_read(thread, run->other_object, 0); /* here it notices that it was aborted */
}

static void write_first(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	ACCESS(run, FIRST), stm_write(thread, run->object, 0, 1);
	stm_write(thread, run->object, 0, 2); /* reports show the first write, not this one */
	stay(thread, run);
}

static void read_first(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	ACCESS(run, FIRST), stm_read(thread, run->object, 0);
	stay(thread, run);
}

static void become_inevitable_first(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	ACCESS(run, FIRST), stm_become_inevitable(thread);
	stay(thread, run);
}

/* ---- the second: meets the conflict; after an abort it lets the first one go on ---- */

static void arrive(struct interleaving *run)
{
	const bool has_first = run->scenario->transaction[FIRST] != NULL;
	if (run->attempts[SECOND]++ != 0) {
		reach(run, FIRST_MAY_GO_ON);
		if (has_first)
			wait_for(run, FIRST_HAS_ENDED);
		return;
	}
	if (has_first)
		wait_for(run, FIRST_IS_IN_THE_WAY);
	if (run->scenario->loser == SECOND && !run->scenario->has_wait)
		pass_time(run);
}

static void write_second(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_write(thread, run->object, 0, 3);
	stm_read(thread, run->other_object, 0); /* so that it commits at another line than it wrote */
}

static void write_another_word_second(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_write(thread, run->object, 1, 3);
	stm_read(thread, run->other_object, 0);
}

static void read_second(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_read(thread, run->object, 0);
}

static void become_inevitable_second(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_become_inevitable(thread);
}

static void give_up(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_abort(thread, "NO_MONEY");
}

static void ask_for_a_retry(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	if (run->attempts[SECOND] == 1)
		ACCESS(run, SECOND), stm_retry(thread, "NOT_YET");
}

static void read_another_object(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	stm_read(thread, run->other_object, 0);
}

/* The transaction waits for a segment, which the first one has. */
static void wait_for_a_segment(struct interleaving *run, struct stm_thread *thread)
{
	wait_for(run, FIRST_IS_IN_THE_WAY);
	ACCESS(run, SECOND), stm_run(thread, run->scenario->transaction[SECOND], run);
}

/* Without a transaction: it waits for the attempts that may have the object. */
static void destroy_an_object(struct interleaving *run, struct stm_thread *thread)
{
	wait_for(run, FIRST_IS_IN_THE_WAY);
	stm_object_destroy(thread, &run->third_object);
}

/* ---- the scenarios ---- */

static const struct stm_setup abort_self = {4, STM_ABORT_SELF, false};
static const struct stm_setup abort_other = {4, STM_ABORT_OTHER, false};
static const struct stm_setup pause_self = {4, STM_PAUSE, false};
static const struct stm_setup one_segment = {1, STM_ABORT_SELF, false};
static const struct stm_setup readers_abort = {4, STM_ABORT_SELF, true};
static const struct stm_setup readers_pause = {4, STM_PAUSE, true};

/* The loss is an entry; its side that does not depend on the scenario. */
#define LOST_BY_SECOND .loser = SECOND, .is_entry = true, .local = LINE_OF_SECOND
#define LOST_BY_FIRST .loser = FIRST, .is_entry = true, .remote = LINE_OF_SECOND

/* In the order of the table of causes, and then what the table has no row for. */
static const struct scenario list[] = {
	{"self-abort, write-write", {write_first, write_second}, .setup = &abort_self, LOST_BY_SECOND,
		.cause = {STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WRITTEN"}, .remote = LINE_OF_FIRST},
	{"self-abort, inevitable", {become_inevitable_first, become_inevitable_second}, .setup = &abort_self,
		LOST_BY_SECOND, .cause = {STMLOG_SELF_ABORT, STMLOG_INEVITABLE, "INEVITABLE"}, .remote = LINE_OF_FIRST},
	{"self-abort, write-read, by the writer", {read_first, write_second}, .setup = &abort_self, LOST_BY_SECOND,
		.cause = {STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "READ"}, .remote = BEGIN_OF_FIRST},
	{"self-abort, write-read, by the reader", {write_first, read_second}, .setup = &readers_abort, LOST_BY_SECOND,
		.cause = {STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "BEING_WRITTEN"}, .remote = LINE_OF_FIRST},
	{"aborted-by-other, write-write", {write_first, write_second}, .setup = &abort_other, LOST_BY_FIRST,
		.cause = {STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE, "WRITTEN"}, .local = LINE_OF_FIRST},
	{"aborted-by-other, write-read", {read_first, write_second}, .setup = &abort_other, LOST_BY_FIRST,
		.cause = {STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_READ, "READ"}, .local = BEGIN_OF_FIRST},
	{"pause, write-write", {write_first, write_second}, .setup = &pause_self, LOST_BY_SECOND, .has_wait = true,
		.cause = {STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WRITTEN"}, .remote = LINE_OF_FIRST},
	{"pause, inevitable", {become_inevitable_first, become_inevitable_second}, .setup = &pause_self, LOST_BY_SECOND,
		.has_wait = true, .cause = {STMLOG_PAUSE, STMLOG_INEVITABLE, "INEVITABLE"}, .remote = LINE_OF_FIRST},
	{"pause, write-read, by the writer", {read_first, write_second}, .setup = &pause_self, LOST_BY_SECOND,
		.has_wait = true, .cause = {STMLOG_PAUSE, STMLOG_WRITE_READ, "READ"}, .remote = BEGIN_OF_FIRST},
	{"pause, write-read, by the reader", {write_first, read_second}, .setup = &readers_pause, LOST_BY_SECOND,
		.has_wait = true, .cause = {STMLOG_PAUSE, STMLOG_WRITE_READ, "BEING_WRITTEN"}, .remote = LINE_OF_FIRST},
	{"wait for a segment, inevitable", {become_inevitable_first, read_another_object}, {NULL, wait_for_a_segment},
		.setup = &one_segment, LOST_BY_SECOND, .has_wait = true,
		.cause = {STMLOG_WAIT, STMLOG_INEVITABLE, "NO_SEGMENT"}, .remote = LINE_OF_FIRST},
	{"wait for a segment, none", {write_first, read_another_object}, {NULL, wait_for_a_segment},
		.setup = &one_segment, .loser = SECOND, .has_wait = true, .cause = {STMLOG_WAIT, STMLOG_NONE, NULL}},
	{"explicit abort", {NULL, give_up}, .setup = &abort_self, LOST_BY_SECOND,
		.cause = {STMLOG_USER_ABORT, STMLOG_NONE, "NO_MONEY"}, .remote = NO_FRAMES},
	{"explicit retry", {NULL, ask_for_a_retry}, .setup = &abort_self, LOST_BY_SECOND,
		.cause = {STMLOG_USER_ABORT, STMLOG_NONE, "NOT_YET"}, .remote = NO_FRAMES},
	{"internal synchronisation", {write_first, NULL}, {NULL, destroy_an_object}, .setup = &abort_self,
		.loser = SECOND, .has_wait = true, .cause = {STMLOG_WAIT, STMLOG_NONE, NULL}},
	{"false conflict", {write_first, write_another_word_second}, .setup = &abort_self, LOST_BY_SECOND,
		.cause = {STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WRITTEN"}, .remote = LINE_OF_FIRST, .is_false = true},
};
const struct scenarios scenarios = {list, sizeof list / sizeof list[0], stm_configure};
