/* SPDX-License-Identifier: MIT
 * The two threads meet at semaphores. */
#include "scenes.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

/* One performance. */
struct play {
	const struct scene *scene;
	struct stage *stage;
	uintptr_t words[3]; /* the victim's, the one of the conflict, and one for the writer's later transactions */
	unsigned long waits_before; /* lazy_waits_begun() */
	sem_t writer_may_start, is_in_the_way, writer_may_go, writer_has_gone;
};

/* The access by which a thread gets in the way, or meets the conflict, is on the line of this macro. */
#define DEED(play, side) ((play)->stage->side##_line = __LINE__)

static void dwell(const struct play *play)
{
	if (play->stage->dwell != NULL)
		play->stage->dwell();
}

/* ---- the writer ---- */

static void write_word(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	DEED(play, writer), lazy_write(thread, &play->words[1], 1);
	lazy_write(thread, &play->words[1], 2); /* reports show the first write, not this one */
}

static void write_another(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	lazy_write(thread, &play->words[2], lazy_read(thread, &play->words[2]) + 1);
}

static void stop_while_locked(void *arg)
{
	struct play *play = arg;
	sem_post(&play->is_in_the_way);
	sem_wait(&play->writer_may_go);
}

static struct lazy_thread *begin(const struct play *play, bool is_victim)
{
	struct lazy_thread *thread = lazy_thread_begin();
	if (thread == NULL)
		abort();
	if (play->stage->begin != NULL)
		play->stage->begin(is_victim);
	return thread;
}

static void end(const struct play *play, bool is_victim, struct lazy_thread *thread)
{
	if (play->stage->end != NULL)
		play->stage->end(is_victim);
	lazy_thread_end(&thread);
}

/* Lets the victim sleep for a while, and wakes it. */
static void play_waker(struct play *play, struct lazy_thread *thread)
{
	while (lazy_waits_begun() == play->waits_before)
		sched_yield();
	dwell(play);
	lazy_run(thread, write_word, play);
}

static void *play_writer(void *arg)
{
	struct play *play = arg;
	struct lazy_thread *thread = begin(play, false);
	sem_wait(&play->writer_may_start);
	if (play->scene->is_held)
		lazy_while_locked(thread, stop_while_locked, play);
	if (play->scene->is_awaited)
		play_waker(play, thread);
	else
		lazy_run(thread, write_word, play);
	for (unsigned i = 0; i < play->scene->later; i++)
		lazy_run(thread, write_another, play);
	if (!play->scene->is_held)
		sem_post(&play->is_in_the_way);
	sem_post(&play->writer_has_gone);
	end(play, false, thread);
	return NULL;
}

/* ---- the victim ---- */

/* The second attempt begins after the writer's version was set, so it succeeds when the writer has gone. */
static void arrive(struct play *play)
{
	if (play->stage->attempts++ == 0)
		return;
	sem_post(&play->writer_may_go);
	if (play->scene->has_writer)
		sem_wait(&play->writer_has_gone);
}

/* In the first attempt the writer gets in the way now. */
static void meet(struct play *play)
{
	if (play->stage->attempts != 1)
		return;
	sem_post(&play->writer_may_start);
	sem_wait(&play->is_in_the_way);
	dwell(play);
}

static void read_it(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	lazy_read(thread, &play->words[0]);
	meet(play);
	DEED(play, victim), lazy_read(thread, &play->words[1]);
}

static void have_read_it(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, victim), lazy_read(thread, &play->words[1]);
	lazy_write(thread, &play->words[0], 1);
	meet(play);
}

static void write_it(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	DEED(play, victim), lazy_write(thread, &play->words[1], 3);
	meet(play);
}

static void give_up(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	dwell(play);
	DEED(play, victim), lazy_abort(thread, "NO_MONEY");
}

static void ask_for_a_retry(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	dwell(play);
	if (play->stage->attempts == 1)
		DEED(play, victim), lazy_retry(thread, "NOT_YET");
}

static void await_a_change(struct lazy_thread *thread, void *arg)
{
	struct play *play = arg;
	arrive(play);
	if (lazy_read(thread, &play->words[1]) != 0)
		return;
	dwell(play);
	sem_post(&play->writer_may_start);
	DEED(play, victim), lazy_await(thread, "EMPTY");
}

static void *play_victim(void *arg)
{
	struct play *play = arg;
	struct lazy_thread *thread = begin(play, true);
	lazy_run(thread, play->scene->body, play);
	end(play, true, thread);
	return NULL;
}

#define LOST(contention, word)                                     \
	{                                                          \
		STMLOG_SELF_ABORT, STMLOG_WRITE_##contention, word \
	}

const struct scene scenes[] = {
	{"a read of a word that has changed", read_it, true, false, 0, LOST(READ, "CHANGED"), false},
	{"a read of a word that has changed long ago", read_it, true, false, 50, LOST(READ, "CHANGED"), false},
	{"a read of a word that is locked", read_it, true, true, 0, LOST(READ, "LOCKED"), false},
	{"a commit after a read of a word that has changed", have_read_it, true, false, 0, LOST(READ, "CHANGED"),
		false},
	{"a commit after a read of a word that is locked", have_read_it, true, true, 0, LOST(READ, "LOCKED"), false},
	{"a commit that writes a word that is locked", write_it, true, true, 0, LOST(WRITE, "LOCKED"), false},
	{"explicit abort", give_up, false, false, 0, {STMLOG_USER_ABORT, STMLOG_NONE, "NO_MONEY"}, false},
	{"explicit retry", ask_for_a_retry, false, false, 0, {STMLOG_USER_ABORT, STMLOG_NONE, "NOT_YET"}, false},
	{"retry that waits for a change", await_a_change, true, false, 0, {STMLOG_USER_ABORT, STMLOG_NONE, "EMPTY"},
		true},
};
const size_t scenes_len = sizeof scenes / sizeof scenes[0];

/* ---- playing ---- */

static void start(pthread_t *thread, void *(*part)(void *), struct play *play)
{
	if (pthread_create(thread, NULL, part, play) != 0)
		abort();
}

void scene_play(const struct scene *scene, struct stage *stage)
{
	struct play play = {.scene = scene, .stage = stage, .waits_before = lazy_waits_begun()};
	pthread_t victim, writer;
	stage->attempts = 0;
	sem_init(&play.writer_may_start, 0, 0);
	sem_init(&play.is_in_the_way, 0, 0);
	sem_init(&play.writer_may_go, 0, 0);
	sem_init(&play.writer_has_gone, 0, 0);
	start(&victim, play_victim, &play);
	if (scene->has_writer) {
		start(&writer, play_writer, &play);
		pthread_join(writer, NULL);
	}
	pthread_join(victim, NULL);
	sem_destroy(&play.writer_may_start);
	sem_destroy(&play.is_in_the_way);
	sem_destroy(&play.writer_may_go);
	sem_destroy(&play.writer_has_gone);
}
