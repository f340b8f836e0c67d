/* SPDX-License-Identifier: MIT
 *
 * How long threads were off the processor in transactions, pauses and waits. Each hook that ends a state of the account
 * looks whether the thread was interrupted (interruption.h), which costs a load and a branch. Only then the library
 * asks the kernel for the thread's time on the processor, which takes system calls, as the interruption has. Time off
 * the processor since the reading before lies in the state that ends now, because the states before ended without an
 * interruption, or with a reading. It moves to the row `descheduled`.
 *
 * In an attempt all of it moves. A pause or wait may sleep by itself until what it waits for has happened: that is no
 * time off the processor, but the wait. So if the thread has gone to sleep there, nothing moves.
 *
 * The kernel does not count the time of interrupts as the thread's, either. That of other states shall not count, so
 * the reading that is compared is not old: one is made when a transaction starts long after the last one.
 *
 * A lane is looked at from claim to release, while one OS thread has it.
 */
#ifndef STMLOG_OFF_PROCESSOR_H
#define STMLOG_OFF_PROCESSOR_H

#include "clock.h"
#include "thread.h"

/* Hooks of the handle look from now on if threads have a word for it; or do not look any more. */
void off_processor_watch(struct stmlog_thread *thread);
void off_processor_ignore(struct stmlog_thread *thread);

/* A thread or lane attaches. Hooks look, unless the clock is one of stmlog_set_clock(), which cannot be compared with
 * the kernel's. */
void off_processor_begin(struct stmlog_thread *thread);

/* The calling thread detaches: it leaves its word as it was before. */
void off_processor_end(void);

/* The calling thread was forked: its time on the processor began anew. */
void off_processor_forget(void);

/* Whether the library looks, and sees all transactions. */
bool off_processor_is_known(void);

/* Moves the time off the processor from the state that ends now. `waited_ns` of it may be a wait in which the thread
 * has slept. Returns the time of the clock. Requires: between thread_enter() and thread_leave(). */
uint64_t off_processor_look(struct stmlog_thread *thread, uint64_t waited_ns);

/* Reads the clock as a state ends that has contained a wait of `waited_ns`, which is reported now. */
static inline uint64_t off_processor_waited_ns(struct stmlog_thread *thread, uint64_t waited_ns)
{
	uint64_t now_ns = clock_now_ns();
	if (STMLOG_UNLIKELY(interruption_is_noticed(thread->notice_place)))
		now_ns = off_processor_look(thread, waited_ns);
	return now_ns;
}

/* Reads the clock as a state ends. */
static inline uint64_t off_processor_end_ns(struct stmlog_thread *thread)
{
	return off_processor_waited_ns(thread, 0);
}

/* A transaction starts, or a lane is claimed, at `now_ns`, a reading of the clock. Returns the same time, or that of a
 * newer reading. */
static inline uint64_t off_processor_start_ns(struct stmlog_thread *thread, uint64_t now_ns)
{
	if (STMLOG_UNLIKELY(interruption_is_noticed(thread->notice_place) || now_ns > thread->look_at_ns))
		now_ns = off_processor_look(thread, 0);
	return now_ns;
}

#endif
