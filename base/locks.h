/* SPDX-License-Identifier: MIT
 * Locks of the library in somebody else's process, where a signal handler may end the process in the middle of a
 * function of the library, and where any thread may fork. And a barrier between two threads that one of them executes
 * all the time.
 */
#ifndef STMLOG_LOCKS_H
#define STMLOG_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

/* ---- mutexes ----
 *
 * They are counted for each thread. A signal handler that ends the process makes outputs, for which it needs locks; if
 * it has interrupted a thread that holds one of them, it would wait for ever. So each thread knows whether it holds
 * any.
 *
 * Nearly all holders keep a lock for less than a microsecond. So a thread that finds it locked polls it for about as
 * long before it sleeps: where threads begin and end all the time, sleepers would wake each other in a row. An adaptive
 * mutex of glibc's polls, too, but reads the time stamp counter, which a thread may have forbidden itself (PR_SET_TSC).
 */

void locks_lock(pthread_mutex_t *lock);
void locks_unlock(pthread_mutex_t *lock);

/* From now on the calling thread waits for a lock only as long as `is_alone` returns false: once it returns true, the
 * threads that hold locks do not exist any more. NULL: it waits without a limit. */
void locks_wait_until(bool (*is_alone)(void));

/* Whether the function that the calling thread has set by locks_wait_until() returns true: then data that other threads
 * were changing stay half changed. False if it has set none. */
bool locks_are_abandoned(void);

/* Whether the calling thread holds a lock, is about to take it, or has just released it. Async-signal-safe. */
bool locks_are_held_here(void);

/* ---- data under a lock, in forked children ----
 *
 * The library holds no lock while the process forks, because the program's fork handlers may run transactions, or wait
 * for threads that do. So a child may have a lock that another thread had locked, and data that this thread had changed
 * in part. It begins them anew, without reading more than what is right at any moment. For it sees each other thread
 * stopped between two instructions.
 *
 * The child does so in a fork handler, or before, in a handler of the program's: whoever uses a part looks first. Linux
 * clears the words of the parts at a fork (MADV_WIPEONFORK); before 4.14 the handler does.
 */

enum fork_part { FORKS_FRAMES, FORKS_REGISTRY, FORKS_LABELS, FORKS_PARTS };

/* 0: not watched yet, or in a child that has not begun the part anew. A page of their own. */
extern volatile AO_t forks_words[4096 / sizeof(AO_t)] __attribute__((visibility("hidden")));

/* From now on children call the function to begin the part anew. The same one at each call. Keeps errno. */
void forks_watch(enum fork_part part, void (*begin_anew)(void));

/* For forks_look() only. Keeps errno. */
void forks_begin_anew(enum fork_part part);

/* Called before a part is used, without its lock. */
static inline void forks_look(enum fork_part part)
{
	if (STMLOG_UNLIKELY(AO_load(&forks_words[part]) == 0))
		forks_begin_anew(part);
}

/* ---- a barrier that is cheap on one side ----
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
 * before any thread is on the light side; until then, too, both sides are full. */

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
