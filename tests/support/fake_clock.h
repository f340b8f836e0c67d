/* SPDX-License-Identifier: MIT
 *
 * The clock of unit tests, shared by all threads of a test. It moves only as the test says. It knows how long the
 * threads were off the processor, and how often asleep.
 *
 * Unit tests are linked with fake_system_clock.c, by which clock_gettime() and getrusage() read it: no result depends
 * on how fast or how busy the machine is.
 */
#ifndef FAKE_CLOCK_H
#define FAKE_CLOCK_H

#include <stdint.h>

/* As for stmlog_set_clock(). */
uint64_t fake_clock_now_ns(void);

/* It is so late now. No thread has been off the processor, and readings take no time. */
void fake_clock_set(uint64_t now_ns);

/* Each reading takes so long from now on: the clock moves by it. */
void fake_clock_set_reading(uint64_t ns);

/* Time passes in which the threads are on the processor; are off it because others run; or are off it because they
 * sleep. */
void fake_clock_advance(uint64_t ns);
void fake_clock_advance_preempted(uint64_t ns);
void fake_clock_advance_asleep(uint64_t ns);

/* As the kernel does in a process that was just forked: its thread has never been on the processor. */
void fake_clock_forget_processor_time(void);

/* How long the threads were on the processor, and how often asleep. */
uint64_t fake_clock_processor_ns(void);
uint64_t fake_clock_sleeps(void);

/* How much less processor time getrusage() tells than the clock of processor time. */
extern uint64_t fake_clock_lag_ns;

#endif
