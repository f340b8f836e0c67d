/* SPDX-License-Identifier: MIT
 *
 * Common functions of the TM test programs. Each program takes the number of threads as its argument, checks itself,
 * prints "ok CHECKSUM" and exits with 0, or prints "wrong CHECKSUM" and exits with 1. The checksum depends on the
 * number of threads only, and not on how they interleave. None of the programs knows of a profiler.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* argv[1], from 1 to 64; without an argument 2. Any other argument exits with status 2. */
unsigned program_threads(int argc, char **argv);

/* argv[at] as a number, at least 1; without that argument `otherwise`. Any other argument exits with status 2. */
unsigned program_number(int argc, char **argv, int at, unsigned otherwise);

/* Of a program of rows/: whether argv[1] is "with", and not "without". Anything else exits with status 2. */
bool program_has_fault(int argc, char **argv);

/* The number in the environment's MEETINGS, for meeting_join(), by which a test asks for conflicts; 0 without it. */
unsigned program_meetings(void);

/* Runs body(0) ... body(threads - 1), each in a thread of its own, all started
 * together, and joins them. */
void program_run(unsigned threads, void (*body)(unsigned number));

/* Takes some time, a few microseconds for 1000. May be called within transactions: it accesses no memory. */
__attribute__((transaction_pure)) void program_work(unsigned amount);

/* Prints the result line; returns the exit status. */
int program_result(bool is_right, uint64_t checksum);

#ifdef __cplusplus
}
#endif

#endif
