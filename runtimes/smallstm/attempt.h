/* SPDX-License-Identifier: MIT
 * A thread, and the attempt that it makes: where attempts begin and end, and the hooks that go there. */
#ifndef SMALLSTM_ATTEMPT_H
#define SMALLSTM_ATTEMPT_H

#include <setjmp.h>

#include "world.h"

/* What becomes of the transaction when an attempt is left by longjmp. */
enum ending { NOT_YET, TRY_AGAIN, GIVE_UP };

struct stm_thread {
	struct profile profile;
	struct segment *segment; /* NULL: not in a transaction */
	jmp_buf start;           /* where attempts begin */
	enum ending ending;      /* how the last one was left */
	struct tb_mark mark;     /* and where the stack was then */
};

/* Without the lock: the first attempt of a transaction begins, once a segment is free for it; and the next one, after
 * an attempt that was left with TRY_AGAIN. */
void attempt_begin_first(struct stm_thread *thread);
void attempt_begin_again(struct stm_thread *thread);

/* With the lock held: the attempt has succeeded, and its writes are in their objects. Unlocks. */
void attempt_commit(struct stm_thread *thread);

/* With the lock held: takes back what the attempt has done, tells those who wait, unlocks, and leaves to `start`.
 * The loss has been reported. */
_Noreturn void attempt_leave(struct stm_thread *thread, enum ending ending);

/* With the lock held: leaves if somebody has made the attempt abort. */
void attempt_check(struct stm_thread *thread);

/* Without the lock: gives the transaction up, and returns. The profiler counts the attempt as open. */
void attempt_abandon(struct stm_thread *thread);

#endif
