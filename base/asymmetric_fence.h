/* SPDX-License-Identifier: MIT
 *
 * A full barrier between two threads, of which the *light* side runs all the time and the *heavy* side rarely:
 *
 *     light side             heavy side
 *       store a                store b
 *       fence_light()          fence_heavy()
 *       load b                 load a
 *
 * At least one of the two loads gives the other side's store, as with a full barrier on both sides.
 *
 * Why. fence_light() only keeps the compiler from moving accesses across it. fence_heavy() makes the kernel execute a
 * full barrier on each processor that runs a thread of the process (membarrier(2)); a thread that does not run has
 * executed a full barrier when it was switched out. For each thread this barrier lies somewhere in its program order.
 * If it comes after the light side's store of a, the store is visible before the heavy side's load of a. Otherwise it
 * comes before the store, and so before the load of b, which then gives b: the heavy side stored it before.
 *
 * Where the kernel has no such call, or a filter refuses it, both sides execute a full barrier. This is decided once,
 * before any thread is on the light side; until then, too, both sides are full.
 */
#ifndef BASE_ASYMMETRIC_FENCE_H
#define BASE_ASYMMETRIC_FENCE_H

#include <stdbool.h>

#include <atomic_ops.h>

/* Whether both sides execute a full barrier. Read by fence_light(), set by fence_choose() and by tests. */
extern bool fence_is_symmetric;

/* Finds out whether the kernel has the barrier, and decides for the whole process. The first call decides, and comes
 * before any thread is on the light side; later calls do nothing. Keeps errno. */
void fence_choose(void);

static inline void fence_light(void)
{
	if (__builtin_expect(fence_is_symmetric, 0))
		AO_nop_full();
	else
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Takes some microseconds. Returns false if the kernel refuses the barrier now, though fence_choose() found it (a
 * filter of system calls was installed since): then nothing is known of the order of the light side's accesses.
 * Async-signal-safe; keeps errno. */
bool fence_heavy(void);

/* Whether a fence_heavy() has returned false. Each later one returns false, too. */
bool fence_is_refused(void);

#endif
