/* SPDX-License-Identifier: MIT
 *
 * A stand-in for TinySTM that runs no transactions. A test tells it what happens; it calls the module's callbacks and
 * raises counters in the same order as TinySTM. The functions for tests are declared here, TinySTM's own in stm.h.
 */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stdbool.h>

#include <stm.h>

/* Reasons of aborts, by the counter that TinySTM raises. */
enum stand_in_reason {
	STAND_IN_EXPLICIT = 0,
	STAND_IN_RW_CONFLICT = 2,
	STAND_IN_WR_CONFLICT = 3,
	STAND_IN_WW_CONFLICT = 4,
	STAND_IN_VAL_READ = 5,
	STAND_IN_VAL_WRITE = 6,
	STAND_IN_VALIDATE = 7,
	STAND_IN_IRREVOCABLE = 9,
	STAND_IN_KILLED = 10,
	STAND_IN_SIGNAL = 11,
	STAND_IN_EXTEND_WS = 12
};

/* How TinySTM was built; a test may change it at its beginning. */
struct stand_in_build {
	bool counts_aborts;     /* TM_STATISTICS2 */
	const char *contention; /* "SUICIDE", "MODULAR" ... */
	int module_slots;
	int specific_slots;
};
extern struct stand_in_build stand_in_build;

/* Modules that are registered. */
int stand_in_modules(void);

/* The calling thread's descriptor; NULL: it has none. A descriptor outlives its thread, as with TinySTM's epochs. */
struct stm_tx *stand_in_self(void);

/* The calling thread begins a transaction, or one within it. */
void stand_in_start(void);

/* The transaction's write set has room for `size` words, `len` of which are used. */
void stand_in_set_writes(unsigned size, unsigned len);

/* An access fails and the attempt is rolled back; the next attempt begins, or none does. */
void stand_in_abort(enum stand_in_reason reason);
void stand_in_give_up(enum stand_in_reason reason);

/* The commit of the transaction begun last fails, or succeeds. */
void stand_in_fail_commit(enum stand_in_reason reason);
void stand_in_commit(void);

/* ---- with tracking of conflicts; in a program that uses neither function, TinySTM has none ---- */

int stm_set_conflict_cb(void (*on_conflict)(struct stm_tx *me, struct stm_tx *other));

/* The calling thread's transaction conflicts with `other`. */
void stand_in_conflict(struct stm_tx *other);

#endif
