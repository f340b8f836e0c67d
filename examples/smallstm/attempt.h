/* SPDX-License-Identifier: MIT
 * An attempt of a transaction: its beginning, its commit and its abort, with the hooks for those; and what happens when
 * two attempts conflict (contention.c). */
#ifndef SMALLSTM_ATTEMPT_H
#define SMALLSTM_ATTEMPT_H

#include <setjmp.h>

#include "world.h"

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

/* Gives the transaction up, and returns. For the profiler the attempt stays open. Takes the lock. */
void attempt_abandon(struct stm_thread *thread);

/* The thread's attempt conflicts with the attempt in the segment `other`, over `object` (NULL: over becoming
 * inevitable). `overlap`: whether both have accessed the same word of it. If it returns, the other attempt may be out
 * of the way: the caller has to check again. Otherwise the thread's attempt aborts, and this does not return. Requires
 * the lock. */
void contention_resolve(struct stm_thread *thread, struct segment *other, enum stmlog_conflict conflict,
	struct stm_object *object, enum stmlog_overlap overlap);

#endif
