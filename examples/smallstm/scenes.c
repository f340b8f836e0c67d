/* SPDX-License-Identifier: MIT
 * The transactions' bodies block on semaphores, so that both attempts are where the scene wants them. */
#include "scenes.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

/* One performance. */
struct play {
	const struct scene *scene;
	struct stage *stage;
	struct stm_object *object, *other_object, *doomed;
	sem_t first_is_in_the_way, first_may_go, first_has_gone;
	unsigned attempts[2];
};

static void dwell(const struct play *play)
{
	if (play->stage->dwell != NULL)
		play->stage->dwell();
}

/* The role's access, by which it gets in the way or meets the conflict, is on the line of this macro. */
#define DEED(play, role) ((play)->stage->line[role] = __LINE__)

/* ---- the first: makes an access, and stays until the second has met the conflict ---- */

static void stay(struct stm_thread *thread, struct play *play)
{
	if (play->attempts[FIRST]++ == 0) {
		sem_post(&play->first_is_in_the_way);
		sem_wait(&play->first_may_go);
		if (play->scene->loser == FIRST)
			dwell(play);
	}
	stm_read(thread, play->other_object, 0); /* here it notices that it was aborted */
}

static void write_first(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	DEED(play, FIRST), stm_write(thread, play->object, 0, 1);
	stm_write(thread, play->object, 0, 2); /* reports show the first write, not this one */
	stay(thread, play);
}

static void read_first(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	DEED(play, FIRST), stm_read(thread, play->object, 0);
	stay(thread, play);
}

static void become_inevitable_first(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	DEED(play, FIRST), stm_become_inevitable(thread);
	stay(thread, play);
}

/* ---- the second: meets the conflict; after an abort it lets the first one go on ---- */

static void arrive(struct play *play)
{
	if (play->attempts[SECOND]++ != 0) {
		sem_post(&play->first_may_go);
		if (play->scene->first != NULL)
			sem_wait(&play->first_has_gone);
	} else if (play->scene->loser == SECOND && !play->scene->has_wait) {
		dwell(play);
	}
}

static void write_second(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, SECOND), stm_write(thread, play->object, 0, 3);
	stm_read(thread, play->other_object, 0); /* so that it commits at another line than it wrote */
}

static void write_another_word_second(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, SECOND), stm_write(thread, play->object, 1, 3);
	stm_read(thread, play->other_object, 0);
}

static void read_second(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, SECOND), stm_read(thread, play->object, 0);
}

static void become_inevitable_second(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, SECOND), stm_become_inevitable(thread);
}

/* It has waited for a segment before. */
static void do_without_deed(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	stm_read(thread, play->other_object, 0);
}

static void give_up(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, SECOND), stm_abort(thread, "NO_MONEY");
}

static void ask_for_a_retry(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	if (play->attempts[SECOND] == 1)
		DEED(play, SECOND), stm_retry(thread, "NOT_YET");
}

/* Without a transaction: it waits for the attempts that may have the object. */
static void destroy_an_object(struct stm_thread *thread, void *arg)
{
	struct play *play = arg;
	stm_object_destroy(thread, &play->doomed);
}

#define SELF(contention, word)                               \
	{                                                    \
		STMLOG_SELF_ABORT, STMLOG_##contention, word \
	}
#define OTHER(contention, word)                                    \
	{                                                          \
		STMLOG_ABORTED_BY_OTHER, STMLOG_##contention, word \
	}
#define PAUSED(contention, word)                        \
	{                                               \
		STMLOG_PAUSE, STMLOG_##contention, word \
	}

/* In the order of the table of causes, and then what the table has no row for. */
const struct scene scenes[] = {
	{"self-abort, write-write", {4, STM_ABORT_SELF, false}, write_first, write_second, SECOND, false, true,
		SELF(WRITE_WRITE, "WRITTEN"), SECOND_DID, FIRST_DID, false},
	{"self-abort, inevitable", {4, STM_ABORT_SELF, false}, become_inevitable_first, become_inevitable_second,
		SECOND, false, true, SELF(INEVITABLE, "INEVITABLE"), SECOND_DID, FIRST_DID, false},
	{"self-abort, write-read, by the writer", {4, STM_ABORT_SELF, false}, read_first, write_second, SECOND, false,
		true, SELF(WRITE_READ, "READ"), SECOND_DID, UNKNOWN, false},
	{"self-abort, write-read, by the reader", {4, STM_ABORT_SELF, true}, write_first, read_second, SECOND, false,
		true, SELF(WRITE_READ, "BEING_WRITTEN"), SECOND_DID, FIRST_DID, false},
	{"aborted-by-other, write-write", {4, STM_ABORT_OTHER, false}, write_first, write_second, FIRST, false, true,
		OTHER(WRITE_WRITE, "WRITTEN"), FIRST_DID, SECOND_DID, false},
	{"aborted-by-other, write-read", {4, STM_ABORT_OTHER, false}, read_first, write_second, FIRST, false, true,
		OTHER(WRITE_READ, "READ"), UNKNOWN, SECOND_DID, false},
	{"pause, write-write", {4, STM_PAUSE, false}, write_first, write_second, SECOND, true, true,
		PAUSED(WRITE_WRITE, "WRITTEN"), SECOND_DID, FIRST_DID, false},
	{"pause, inevitable", {4, STM_PAUSE, false}, become_inevitable_first, become_inevitable_second, SECOND, true,
		true, PAUSED(INEVITABLE, "INEVITABLE"), SECOND_DID, FIRST_DID, false},
	{"pause, write-read, by the writer", {4, STM_PAUSE, false}, read_first, write_second, SECOND, true, true,
		PAUSED(WRITE_READ, "READ"), SECOND_DID, UNKNOWN, false},
	{"pause, write-read, by the reader", {4, STM_PAUSE, true}, write_first, read_second, SECOND, true, true,
		PAUSED(WRITE_READ, "BEING_WRITTEN"), SECOND_DID, FIRST_DID, false},
	{"wait for a segment, inevitable", {1, STM_ABORT_SELF, false}, become_inevitable_first, do_without_deed, SECOND,
		true, true, {STMLOG_WAIT, STMLOG_INEVITABLE, "NO_SEGMENT"}, SECOND_DID, FIRST_DID, false},
	{"wait for a segment, none", {1, STM_ABORT_SELF, false}, write_first, do_without_deed, SECOND, true, false,
		{STMLOG_WAIT, STMLOG_NONE, NULL}, NOTHING, NOTHING, false},
	{"explicit abort", {4, STM_ABORT_SELF, false}, NULL, give_up, SECOND, false, true,
		{STMLOG_USER_ABORT, STMLOG_NONE, "NO_MONEY"}, SECOND_DID, NOTHING, false},
	{"explicit retry", {4, STM_ABORT_SELF, false}, NULL, ask_for_a_retry, SECOND, false, true,
		{STMLOG_USER_ABORT, STMLOG_NONE, "NOT_YET"}, SECOND_DID, NOTHING, false},
	{"internal synchronisation", {4, STM_ABORT_SELF, false}, write_first, NULL, SECOND, true, false,
		{STMLOG_WAIT, STMLOG_NONE, NULL}, NOTHING, NOTHING, false},
	{"false conflict", {4, STM_ABORT_SELF, false}, write_first, write_another_word_second, SECOND, false, true,
		SELF(WRITE_WRITE, "WRITTEN"), SECOND_DID, FIRST_DID, true},
};
const size_t scenes_len = sizeof scenes / sizeof scenes[0];

/* ---- playing ---- */

static struct stm_thread *begin(const struct play *play, enum role role)
{
	struct stm_thread *thread = stm_thread_begin();
	if (thread == NULL)
		abort();
	if (play->stage->begin != NULL)
		play->stage->begin(role);
	return thread;
}

static void end(const struct play *play, enum role role, struct stm_thread *thread)
{
	if (play->stage->end != NULL)
		play->stage->end(role);
	stm_thread_end(&thread);
}

static void *play_first(void *arg)
{
	struct play *play = arg;
	struct stm_thread *thread = begin(play, FIRST);
	stm_run(thread, play->scene->first, play);
	sem_post(&play->first_has_gone);
	end(play, FIRST, thread);
	return NULL;
}

static void *play_second(void *arg)
{
	struct play *play = arg;
	struct stm_thread *thread = begin(play, SECOND);
	if (play->scene->first != NULL)
		sem_wait(&play->first_is_in_the_way);
	if (play->scene->second == NULL)
		destroy_an_object(thread, play);
	else if (play->scene->cause.reason == STMLOG_WAIT)
		DEED(play, SECOND), stm_run(thread, play->scene->second, play);
	else
		stm_run(thread, play->scene->second, play);
	sem_post(&play->first_may_go); /* in case it still waits */
	end(play, SECOND, thread);
	return NULL;
}

/* When the second one waits, lets time pass; then lets the first one go on. */
static void direct(struct play *play)
{
	if (!play->scene->has_wait)
		return;
	while (stm_waiting() == 0)
		sched_yield();
	dwell(play);
	sem_post(&play->first_may_go);
}

static void start(pthread_t *thread, void *(*part)(void *), struct play *play)
{
	if (pthread_create(thread, NULL, part, play) != 0)
		abort();
}

void scene_play(const struct scene *scene, struct stage *stage)
{
	struct play play = {.scene = scene, .stage = stage};
	pthread_t first, second;
	stm_configure(&scene->setup);
	play.object = stm_object_create("the object", 2);
	play.other_object = stm_object_create("another object", 1);
	play.doomed = stm_object_create("a doomed object", 1);
	sem_init(&play.first_is_in_the_way, 0, 0);
	sem_init(&play.first_may_go, 0, 0);
	sem_init(&play.first_has_gone, 0, 0);
	if (scene->first != NULL)
		start(&first, play_first, &play);
	start(&second, play_second, &play);
	direct(&play);
	if (scene->first != NULL)
		pthread_join(first, NULL);
	pthread_join(second, NULL);
	sem_destroy(&play.first_is_in_the_way);
	sem_destroy(&play.first_may_go);
	sem_destroy(&play.first_has_gone);
}
