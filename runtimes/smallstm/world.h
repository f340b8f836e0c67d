/* SPDX-License-Identifier: MIT
 *
 * What transactions share, and the one lock over it. A runtime that is built for speed has
 * atomic operations here instead; where the hooks go would be the same.
 *
 * Invariants, while nobody holds the lock:
 *   an object's owner is a segment that is in use, whose attempt has a copy of the object;
 *   an object's readers are segments whose attempts have read it and may still be told to abort for it;
 *   `inevitable` is the one segment whose attempt is inevitable, or NULL.
 */
#ifndef SMALLSTM_WORLD_H
#define SMALLSTM_WORLD_H

#include <pthread.h>

#include "profile.h"
#include "smallstm.h"

struct stm_object {
	const char *name;
	struct segment *owner; /* whose attempt writes it; NULL: nobody's */
	uint64_t readers;      /* a bit for each segment whose attempt has read it */
	struct stm_object *next, *previous;
	size_t words;
	uint64_t word[];
};

/* One object that an attempt writes, with the values that it will have. */
struct write {
	struct stm_object *object;
	struct write *next;
	uint64_t word[];
};

struct read {
	struct stm_object *object;
	struct read *next;
};

enum status {
	FREE,   /* nobody is in the segment */
	ACTIVE, /* an attempt is under way */
	ABORTED /* somebody has made it abort; its thread does not know yet */
};

struct segment {
	enum status status;
	bool stands_still; /* paused for another one: nobody may wait for it */
	uint64_t attempt;  /* rises; another number is another attempt */
	uint64_t birth;    /* of the transaction: lower is older */
	uint64_t bit;      /* its own, in stm_object.readers */
	struct write *writes;
	struct read *reads;
	struct stmlog_other who;     /* for stmlog: the thread in it, and its attempt */
	struct stmlog_other aborter; /* ABORTED: by whom */
	enum stmlog_contention aborted_over;
};

struct world {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* an attempt has ended or has been told to, or a segment is free */
	struct stm_setup setup;
	struct segment *inevitable;
	struct stm_object *objects;
	uint64_t births;
	unsigned waiting;
	struct segment segments[STM_SEGMENTS_MOST];
};

extern struct world world;

static inline void world_lock(void)
{
	pthread_mutex_lock(&world.lock);
}

static inline void world_unlock(void)
{
	pthread_mutex_unlock(&world.lock);
}

/* Both with the lock held. No thread is cancelled while it waits: it would end with the lock. */
static inline void world_wait(void)
{
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	world.waiting++;
	pthread_cond_wait(&world.changed, &world.lock);
	world.waiting--;
	pthread_setcancelstate(before, &before);
}

static inline void world_has_changed(void)
{
	pthread_cond_broadcast(&world.changed);
}

#endif
