/* SPDX-License-Identifier: MIT
 * An attempt of a transaction: its beginning, its commit and its abort, with the hooks for those. */
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
	struct tb_mark mark;     /* the shadow stack when the transaction began */
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

#endif
