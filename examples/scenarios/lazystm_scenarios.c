/* SPDX-License-Identifier: MIT
 * The scenarios of lazystm: each cause of an abort. The first thread writes a word and commits, or stops while it holds
 * the word's lock. */
#include "lazystm.h"
#include "scenario.h"

/* ---- the first ---- */

static void write_word(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	ACCESS(run, FIRST), stm_write(thread, run->object, 0, 1);
	stm_write(thread, run->object, 0, 2); /* reports show the first write, not this one */
}

static void write_third_object(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	stm_write(thread, run->third_object, 0, stm_read(thread, run->third_object, 0) + 1);
}

/* So many further transactions of the thread commit before the second one meets the conflict. */
static void commit_and_go_on(struct interleaving *run, struct stm_thread *thread, int later)
{
	wait_for(run, FIRST_MAY_START);
	stm_run(thread, write_word, run);
	for (int i = 0; i < later; i++)
		stm_run(thread, write_third_object, run);
	reach(run, FIRST_IS_IN_THE_WAY);
}

static void commit_it(struct interleaving *run, struct stm_thread *thread)
{
	commit_and_go_on(run, thread, 0);
}

static void commit_it_long_before(struct interleaving *run, struct stm_thread *thread)
{
	commit_and_go_on(run, thread, 50);
}

static void stop_while_locked(void *arg)
{
	struct interleaving *run = arg;
	reach(run, FIRST_IS_IN_THE_WAY);
	wait_for(run, FIRST_MAY_GO_ON);
}

static void hold_its_lock(struct interleaving *run, struct stm_thread *thread)
{
	stm_while_locked(thread, stop_while_locked, run);
	wait_for(run, FIRST_MAY_START);
	stm_run(thread, write_word, run);
}

static void wake_the_second(struct interleaving *run, struct stm_thread *thread)
{
	wait_for(run, FIRST_MAY_GO_ON);
	stm_run(thread, write_word, run);
}

/* ---- the second ---- */

/* The second attempt begins after the first thread's version was set, so it succeeds when that thread has ended. */
static void arrive(struct interleaving *run)
{
	if (run->attempts[SECOND]++ == 0)
		return;
	reach(run, FIRST_MAY_GO_ON);
	if (run->scenario->transaction[FIRST] != NULL)
		wait_for(run, FIRST_HAS_ENDED);
}

/* In its first attempt: the first thread gets in the way now. */
static void let_first_in(struct interleaving *run)
{
	if (run->attempts[SECOND] != 1)
		return;
	reach(run, FIRST_MAY_START);
	wait_for(run, FIRST_IS_IN_THE_WAY);
	pass_time(run);
}

static void read_it(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	stm_read(thread, run->other_object, 0);
	let_first_in(run);
	ACCESS(run, SECOND), stm_read(thread, run->object, 0);
}

static void have_read_it(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_read(thread, run->object, 0);
	stm_write(thread, run->other_object, 0, 1);
	let_first_in(run);
}

static void write_it(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	ACCESS(run, SECOND), stm_write(thread, run->object, 0, 3);
	let_first_in(run);
}

static void give_up(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	pass_time(run);
	ACCESS(run, SECOND), stm_abort(thread, "NO_MONEY");
}

static void ask_for_a_retry(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	pass_time(run);
	if (run->attempts[SECOND] == 1)
		ACCESS(run, SECOND), stm_retry(thread, "NOT_YET");
}

static void await_a_change(struct stm_thread *thread, void *arg)
{
	struct interleaving *run = arg;
	arrive(run);
	if (stm_read(thread, run->object, 0) != 0)
		return;
	pass_time(run);
	ACCESS(run, SECOND), stm_await(thread, "EMPTY");
}

/* ---- the scenarios ---- */

#define LOST(contention, word)                                                                            \
	.loser = SECOND, .is_entry = true, .cause = {STMLOG_SELF_ABORT, STMLOG_WRITE_##contention, word}, \
	.local = LINE_OF_SECOND, .remote = LINE_OF_FIRST
#define ASKED(word) \
	.loser = SECOND, .is_entry = true, .cause = {STMLOG_USER_ABORT, STMLOG_NONE, word}, .local = LINE_OF_SECOND

static const struct scenario list[] = {
	{"a read of a word that has changed", {write_word, read_it}, {commit_it}, LOST(READ, "CHANGED")},
	{"a read of a word that has changed long ago", {write_word, read_it}, {commit_it_long_before},
		LOST(READ, "CHANGED")},
	{"a read of a word that is locked", {write_word, read_it}, {hold_its_lock}, LOST(READ, "LOCKED")},
	{"a commit after a read of a word that has changed", {write_word, have_read_it}, {commit_it},
		LOST(READ, "CHANGED")},
	{"a commit after a read of a word that is locked", {write_word, have_read_it}, {hold_its_lock},
		LOST(READ, "LOCKED")},
	{"a commit that writes a word that is locked", {write_word, write_it}, {hold_its_lock}, LOST(WRITE, "LOCKED")},
	{"explicit abort", {NULL, give_up}, ASKED("NO_MONEY")},
	{"explicit retry", {NULL, ask_for_a_retry}, ASKED("NOT_YET")},
	{"retry that waits for a change", {write_word, await_a_change}, {wake_the_second}, ASKED("EMPTY"),
		.has_wait = true},
};
const struct scenarios scenarios = {list, sizeof list / sizeof list[0], NULL};
