/* SPDX-License-Identifier: MIT
 *
 * Tells whether the calling thread was interrupted, without a system call. The kernel keeps a word for each thread, by
 * which it restarts sequences of instructions (rseq(2); glibc registers it). If the thread is preempted, moves to
 * another processor or runs a signal handler, and the word names a sequence that the thread is not in, the kernel sets
 * the word to 0. The library names a sequence that is never run. So a word of 0 says that the thread was interrupted
 * since interruption_watch(), or that the thread has not called it yet.
 *
 * The word has the same offset from the thread pointer in all threads. So one variable of the process can have this
 * offset.
 */
#ifndef INTERRUPTION_H
#define INTERRUPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The thread pointer's own word, which is never 0. */
#define INTERRUPTION_NONE ((ptrdiff_t)0)

/* Returns the offset of the words from the thread pointer. INTERRUPTION_NONE: threads have none, or there is no memory
 * for the sequence. */
ptrdiff_t interruption_place(void);

/* The calling thread's word. Not for INTERRUPTION_NONE. */
volatile uint64_t *interruption_word(ptrdiff_t place);

/* Names the sequence: from now on the kernel clears the word if the thread is interrupted. A word that is not 0 is left
 * alone: it names our sequence, or that of another library, which ends soon and is named anew each time. */
void interruption_watch(volatile uint64_t *word);

/* Clears the word if it names our sequence. */
void interruption_unwatch(volatile uint64_t *word);

/* Whether the calling thread was interrupted since interruption_watch(), or has not called it. */
static inline bool interruption_is_noticed(ptrdiff_t place)
{
#if defined __x86_64__ && defined __LP64__
	bool is_zero;
	__asm__ volatile("cmpq $0, %%fs:(%1)" : "=@cce"(is_zero) : "r"(place));
	return is_zero;
#elif defined __aarch64__
	return *(volatile uint64_t *)((char *)__builtin_thread_pointer() + place) == 0;
#else
	(void)place;
	return false;
#endif
}

#endif
