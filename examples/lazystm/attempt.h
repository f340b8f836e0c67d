/* SPDX-License-Identifier: MIT
 * An attempt of a transaction: its beginning, its commit, and how it is left before. */
#ifndef LAZYSTM_ATTEMPT_H
#define LAZYSTM_ATTEMPT_H

#include <setjmp.h>

#include "sets.h"

/* How an attempt was left by longjmp(): what becomes of the transaction. */
enum ending { NOT_YET, TRY_AGAIN, GIVE_UP };

struct stm_thread {
	AO_t snapshot; /* the time at which the attempt began */
	struct sets sets;
	struct profile profile;
	bool is_inside;  /* a transaction is under way */
	unsigned failed; /* attempts of the transaction that have aborted */
	enum ending ending;
	jmp_buf start; /* where attempts begin */
	void (*while_locked)(void *arg);
	void *while_locked_arg;
};

void attempt_begin_first(struct stm_thread *thread, stm_line here);

/* After an attempt that was left with TRY_AGAIN. */
void attempt_begin_again(struct stm_thread *thread);

/* Returns when the transaction has committed. Otherwise the attempt is left. */
void attempt_commit(struct stm_thread *thread);

/* Goes back to `start`, with nothing read or written. The abort was reported before. */
_Noreturn void attempt_leave(struct stm_thread *thread, enum ending ending);

#endif
