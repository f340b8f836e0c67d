/* SPDX-License-Identifier: MIT
 *
 * Hardware transactions (Intel RTM), of which libitm tells nobody. Its begin tries them twice in assembly before it
 * falls back to running alone; what becomes of a try is known to that assembly only. So where libitm may use them, a
 * begin of ours (hardware_begin.S) takes the place of that assembly, does what it did, and tells of each try.
 *
 * The order of one transaction, and what is called where:
 *
 *   try                     in hardware: nothing is called, nothing of libitm's is written
 *     fails                 itm_hardware_aborted(): counted; of a measured one, the stamp is kept
 *     libitm is asked, and waits for the serial lock: GTM_begin_transaction()
 *       try again           itm_hardware_tries_again()
 *       run alone           itm_hardware_runs_alone(): the ring is published as the serial lock's holder
 *   commit                  what was kept is told to the library (hardware_tell.c)
 *
 * Told after commit, and not when it happens: whoever is slow then, or holds the serial lock for longer, makes others
 * abort, two to four times as many (measured). What is kept is rolled back by no abort, since an abort comes back to
 * where the try began, and that lies behind the keeping of those before.
 */
#ifndef ITM_HARDWARE_H
#define ITM_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "cause.h"

struct itm_thread;

/* Of libitm's serial lock, the first two words. */
struct itm_serial_lock {
	volatile unsigned writers;  /* not 0: somebody holds the lock alone, or is about to */
	volatile unsigned fastpath; /* not 0: transactions are tried in hardware */
};

/* What libitm's begin refers to. */
struct itm_hardware_code {
	const struct itm_serial_lock *lock;
	const void *software_begin; /* GTM_begin_transaction() */
};

/* ---- hardware_code.c ---- */

/* Length of the longest begin that is known, in bytes: so many are looked at. */
#define ITM_HARDWARE_CODE_MOST 164

/* Reads from the instructions of a begin what they refer to. False where any of them is another than expected: then
 * what begin does is not known, and it must be left alone. Requires ITM_HARDWARE_CODE_MOST bytes at `begin`. */
bool itm_hardware_code_read(const uint8_t *begin, struct itm_hardware_code *code);

/* What our begin goes by; `lock` is NULL where libitm's own is in its place. Constant once the agent is ready. */
extern struct itm_hardware_code itm_hardware;

static inline bool itm_hardware_is_watched(void)
{
	return itm_hardware.lock != NULL;
}

/* ---- hardware_install.c ---- */

/* Puts hardware_begin.S before libitm, if that may use hardware transactions and its begin is one that is known. */
void itm_hardware_install(enum itm_method method);

/* ---- hardware.c ---- */

/* Says what has become of all tries of the process. */
void itm_hardware_set_facts(void);

/* Called by hardware_begin.S. `status` is what the processor left in eax. */
void itm_hardware_aborted(uint32_t status);
void itm_hardware_tries_again(void);
void itm_hardware_runs_alone(bool has_tried);

/* The calling thread's outermost transaction has committed in hardware. */
void itm_hardware_count_commit(struct itm_thread *self);

/* The calling thread's transaction is about to give back the serial lock. */
void itm_hardware_lets_go(struct itm_thread *self);

/* In a forked child. */
void itm_hardware_after_fork(void);

/* ---- hardware_tell.c ---- */

/* Tries of one transaction that failed; more than libitm has ever made. Those beyond are counted and not timed. */
#define ITM_HARDWARE_KEPT 4

/* One that failed, as it is kept until the transaction has committed. Stamps are itm_hardware_now()'s. */
struct itm_hardware_try {
	uint64_t failed, resumed;
	uint32_t status;
	bool was_held;         /* the serial lock, when it failed */
	uint32_t holder;       /* by that thread; 0: nobody, or not known */
	uintptr_t holder_site; /* where that one's transaction began */
};

/* The transaction under way, if it is measured. */
struct itm_hardware_tries {
	uint32_t len;
	uint32_t dropped;
	struct itm_hardware_try at[ITM_HARDWARE_KEPT];
};

/* Ticks of the processor's, or nanoseconds where those have no steady rate. */
uint64_t itm_hardware_now(void);

/* The transaction has committed, just now: tells of its failed tries, and then of the commit. */
void itm_hardware_tell(struct itm_thread *self);

#endif
