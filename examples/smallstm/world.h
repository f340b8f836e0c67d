/* SPDX-License-Identifier: MIT
 *
 * The data that transactions share, the one lock that guards them, and the attempts of transactions. A runtime built
 * for speed would have atomic operations instead of the lock; the hooks would be at the same places.
 *
 * Invariants, while no thread holds the lock:
 *   an object's owner is a segment in use, whose attempt has a copy of the object;
 *   an object's readers are the segments whose attempts have read it, and may still have to abort because of it;
 *   `inevitable` is the segment whose attempt is inevitable, or NULL.
 */
#ifndef SMALLSTM_WORLD_H
#define SMALLSTM_WORLD_H

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

#include "objects.h"
#include "profile.h"
#include "smallstm.h"

struct stm_object {
	struct object listed;
	struct segment *owner; /* of the attempt that writes it; NULL: none does */
	uint64_t readers;      /* a bit for each segment whose attempt has read it */
	size_t words;
	uint64_t word[];
};

/* One object that an attempt writes, with the values that it will have. */
struct write {
	struct stm_object *object;
	struct write *next;
	uint64_t changed; /* a bit for each word that the attempt has written, of the first 64 */
	uint64_t origin;  /* for stmlog: where the attempt first wrote the object */
	uint64_t word[];
};

struct read {
	struct stm_object *object;
	struct read *next;
};

enum status {
	FREE,   /* no thread is in the segment */
	ACTIVE, /* an attempt is under way */
	ABORTED /* another transaction has aborted it; its thread has not noticed yet */
};

struct segment {
	enum status status;
	bool is_paused;   /* it is paused for another attempt: no other may pause for it */
	uint64_t attempt; /* rises with each attempt */
	uint64_t birth;   /* rises with each transaction: the lower, the older */
	uint64_t bit;     /* the segment's bit in stm_object.readers */
	struct write *writes;
	struct read *reads;
	uint64_t origin;         /* for stmlog: where the attempt began or, if it is inevitable, became so */
	struct stmlog_loss loss; /* ABORTED: the loss that its thread will report */
};

struct world {
	pthread_mutex_t lock;
	bool is_locked;         /* a thread holds the lock: checked where it is required */
	pthread_cond_t changed; /* an attempt has ended or was aborted, or a segment is free */
	struct stm_setup setup;
	struct segment *inevitable;
	uint64_t births;
	unsigned waiting;
	struct segment segments[STM_SEGMENTS_MAX];
};

extern struct world world;

static inline void world_lock(void)
{
	pthread_mutex_lock(&world.lock);
	world.is_locked = true;
}

/* Requires the lock. */
static inline void world_unlock(void)
{
	assert(world.is_locked);
	world.is_locked = false;
	pthread_mutex_unlock(&world.lock);
}

/* Requires the lock. */
static inline void world_wait(void)
{
	assert(world.is_locked);
	world.waiting++;
	world.is_locked = false;
	pthread_cond_wait(&world.changed, &world.lock);
	world.is_locked = true;
	world.waiting--;
}

/* Requires the lock. */
static inline void world_has_changed(void)
{
	assert(world.is_locked);
	pthread_cond_broadcast(&world.changed);
}

/* ---- attempts: their beginning, commit and abort (attempt.c), and conflicts of two of them (contention.c) ---- */

/* How an attempt was left by longjmp(): what becomes of the transaction. */
enum ending { NOT_YET, TRY_AGAIN, GIVE_UP };

struct stm_thread {
	struct profile profile;
	struct segment *segment; /* NULL: not in a transaction */
	jmp_buf start;           /* where attempts begin */
	enum ending ending;      /* how the last attempt was left */
};

/* attempt_begin_first(): waits for a free segment, and begins the transaction's first attempt. attempt_begin_again():
 * begins the next one, after an attempt that was left with TRY_AGAIN. Both take the lock. */
void attempt_begin_first(struct stm_thread *thread);
void attempt_begin_again(struct stm_thread *thread);

/* The attempt has succeeded, and its writes are in their objects. Requires the lock, and releases it. */
void attempt_commit(struct stm_thread *thread);

/* Undoes the attempt, wakes waiting threads, and jumps to `start`. The loss was reported before. Requires the lock, and
 * releases it. */
_Noreturn void attempt_leave(struct stm_thread *thread, enum ending ending);

/* If another transaction has aborted the attempt, reports that and leaves. Requires the lock. */
void attempt_check(struct stm_thread *thread);

/* The program has asked for the end of the attempt. Reports that and leaves. Requires the lock. */
_Noreturn void attempt_abort_asked(struct stm_thread *thread, const char *why, enum ending ending);

/* What the thread's attempt does now, and what the other one has done before. */
enum conflict_kind { WRITTEN_BY_BOTH, WRITTEN_AND_READ, READ_AND_WRITTEN, BOTH_INEVITABLE };

/* A conflict of the thread's attempt with another one. */
struct conflict {
	struct segment *other;
	enum conflict_kind kind;
	struct stm_object *object;   /* NULL: over becoming inevitable */
	uint64_t own_origin;         /* of this attempt's write, if that was earlier; 0: it is now */
	uint64_t other_origin;       /* of what the other one has done */
	enum stmlog_overlap overlap; /* whether both have accessed the same word of the object */
};

/* If it returns, the other attempt may be out of the way: the caller has to check again. Otherwise the thread's attempt
 * aborts, and this does not return. Requires the lock. */
void contention_resolve(struct stm_thread *thread, const struct conflict *conflict);

#endif
