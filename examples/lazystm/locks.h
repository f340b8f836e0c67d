/* SPDX-License-Identifier: MIT
 *
 * The global clock, and the versioned locks. A lock is one word:
 *
 *   even   free: the version of its words, the time of the clock when they were written last
 *   odd    held by a commit: twice the origin of its write, plus 1 (hooks.h); 1 if that is not known
 *
 * Invariants: the clock is even, and no version is later than the clock;
 *             while a lock is free, its words are as the transaction of its version has written them.
 *
 * Reading a word takes two looks at its lock. The holder takes the lock, stores the words, and releases the lock with a
 * new version. A reader loads the lock, the word and the lock again. If the word has come from a holder's store, the
 * second look finds the lock held, or with the holder's version: the reader's load of the word acquires what the
 * holder's store releases. So two equal looks at a free lock have the word of that version between them.
 */
#ifndef LAZYSTM_LOCKS_H
#define LAZYSTM_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "objects.h"

#define LOCKS ((size_t)1 << 16)

struct lock {
	volatile AO_t word;
};

extern struct lock locks[LOCKS];

/* Alone in its cache line, because each commit that has written changes it. */
struct lock_clock {
	volatile AO_t now;
} __attribute__((aligned(64)));
extern struct lock_clock lock_clock;

/* Neighbouring words have neighbouring locks. Words LOCKS apart share one. */
static inline struct lock *lock_of(const uintptr_t *word)
{
	return &locks[(uintptr_t)word / sizeof *word % LOCKS];
}

static inline size_t lock_number(const struct lock *lock)
{
	return (size_t)(lock - locks);
}

static inline bool lock_is_held(AO_t look)
{
	return look & 1;
}

/* Acquire; partner: lock_release(), so that the words of that version are visible. */
static inline AO_t lock_look(const struct lock *lock)
{
	return AO_load_acquire(&lock->word);
}

/* Takes the lock if it is as it was at `look`, which found it free. Acquire; partner: lock_release(). */
static inline bool lock_take(struct lock *lock, AO_t look, AO_t held)
{
	return AO_compare_and_swap_acquire(&lock->word, look, held) != 0;
}

/* Release: the words are stored before. Partner: lock_look(). */
static inline void lock_release(struct lock *lock, AO_t version)
{
	AO_store_release(&lock->word, version);
}

/* Acquire; partner: the barrier of lock_clock_advance(): whoever begins at this time sees the locks taken, or released,
 * of each commit that has advanced the clock up to it. */
static inline AO_t lock_clock_now(void)
{
	return AO_load_acquire(&lock_clock.now);
}

/* The new time. Full barrier: the locks are taken before; the words that were read are checked after, and then comes
 * the look for threads that wait (waiting.h). So of two commits of which each has read a word that the other one
 * writes, at least one finds that out. */
AO_t lock_clock_advance(void);

/* ---- the program's words ---- */

struct stm_object {
	struct object listed;
	uintptr_t word[];
};

/* Acquire and release; each is the other's partner. */
static inline uintptr_t word_load(const uintptr_t *word)
{
	return AO_load_acquire((const volatile AO_t *)word);
}

static inline void word_store(uintptr_t *word, uintptr_t value)
{
	AO_store_release((volatile AO_t *)word, value);
}

#endif
