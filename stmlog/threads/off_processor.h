/* SPDX-License-Identifier: MIT
 *
 * Measures how long threads were off the processor in transactions, pauses and waits. Each hook that ends a state of
 * the account checks whether the thread was interrupted (interruption.h), which costs a load and a branch. Only if it
 * was, the library makes a reading: it asks the kernel for the thread's time on the processor, by system calls, which
 * cost about as much as the interruption. The time off the processor since the last reading belongs to the state that
 * ends now, because the states before ended without an interruption, or with a reading. This time moves to the row
 * `descheduled`.
 *
 * In an attempt all of this time moves. A pause or wait may sleep in the kernel until it is woken: this time belongs to
 * the wait. So if the thread has slept in a pause or wait, nothing moves.
 *
 * The kernel does not count the time of interrupts as time on the processor, either. Interrupts in earlier states must
 * not count, so the last reading must not be old: a new one is made when a transaction starts long after it.
 *
 * The time of a lane is measured from claim to release, while one OS thread has it.
 *
 * A runtime may ask for the time off the processor where nothing is measured (stmlog_off_processor_ns()). It shares the
 * thread's last reading: so no time is found twice.
 */
#ifndef STMLOG_OFF_PROCESSOR_H
#define STMLOG_OFF_PROCESSOR_H

#include "clock.h"
#include "thread.h"

/* Makes hooks of the handle check for interruptions, if threads have a word for that (interruption.h); or stop
 * checking. */
void off_processor_watch(struct stmlog_thread *thread);
void off_processor_ignore(struct stmlog_thread *thread);

/* Called when a thread or lane attaches. Its hooks check for interruptions, unless the clock was set by
 * stmlog_set_clock() and cannot be compared with the kernel's. */
void off_processor_begin(struct stmlog_thread *thread);

/* Called when the calling thread detaches. Resets its word (interruption_unwatch()). */
void off_processor_end(void);

/* Called when the calling thread was forked: its time on the processor began anew, so its last reading is forgotten. */
void off_processor_forget(void);

/* Whether the library has measured the time off the processor of all measured transactions. */
bool off_processor_is_known(void);

/* Makes a reading, and moves the time off the processor from the state that ends now. `waited_ns` of it may be a wait
 * in which the thread has slept. Returns the time of the clock. Requires: between thread_enter() and thread_leave(). */
uint64_t off_processor_look(struct stmlog_thread *thread, uint64_t waited_ns);

/* Called when a state ends at `now_ns`, a reading of the clock, that has contained a wait of `waited_ns`, which is
 * reported now. Returns the same time, or that of a newer reading. */
static inline uint64_t off_processor_newest_ns(struct stmlog_thread *thread, uint64_t now_ns, uint64_t waited_ns)
{
	if (STMLOG_UNLIKELY(interruption_is_noticed(thread->notice_place)))
		now_ns = off_processor_look(thread, waited_ns);
	return now_ns;
}

/* Reads the clock as a state ends. */
static inline uint64_t off_processor_end_ns(struct stmlog_thread *thread)
{
	return off_processor_newest_ns(thread, clock_now_ns(), 0);
}

/* Called when a transaction starts or a lane is claimed at `now_ns`, a reading of the clock. Returns the same time, or
 * that of a newer reading. */
static inline uint64_t off_processor_start_ns(struct stmlog_thread *thread, uint64_t now_ns)
{
	if (STMLOG_UNLIKELY(interruption_is_noticed(thread->notice_place) || now_ns > thread->look_at_ns))
		now_ns = off_processor_look(thread, 0);
	return now_ns;
}

#endif
