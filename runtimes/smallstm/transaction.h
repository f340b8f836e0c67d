/* SPDX-License-Identifier: MIT
 * A thread, and the transaction that it runs. */
#ifndef SMALLSTM_TRANSACTION_H
#define SMALLSTM_TRANSACTION_H

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

/* With the lock held: takes back what the attempt has done, tells those who wait, unlocks, and leaves to `start`.
 * The loss has been reported. */
_Noreturn void transaction_leave(struct stm_thread *thread, enum ending ending);

/* With the lock held: leaves if somebody has made the attempt abort. */
void transaction_check(struct stm_thread *thread);

#endif
