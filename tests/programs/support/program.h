/* SPDX-License-Identifier: MIT
 *
 * What the TM test programs have in common. Each takes the number of threads as
 * its argument, checks itself, prints "ok CHECKSUM" and exits with 0, or prints
 * "wrong CHECKSUM" and exits with 1. The checksum depends on the number of threads
 * only, never on how they interleave. None knows of a profiler.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* argv[1], 1 to 64; 2 when there is none. Exits with 2 on anything else. */
unsigned program_threads(int argc, char **argv);

/* argv[at] as a number from 1 on; `otherwise` when there is none. Exits with 2 on anything else. */
unsigned program_number(int argc, char **argv, int at, unsigned otherwise);

/* What MEETINGS in the environment says, for meeting_join(): a test that needs conflicts asks for them. 0 if nothing.
 */
unsigned program_meetings(void);

/* Runs body(0) ... body(threads - 1), each in a thread of its own, all started
 * together, and joins them. */
void program_run(unsigned threads, void (*body)(unsigned number));

/* Takes some time, a few microseconds for 1000; for use within transactions, which it does not touch. */
#ifdef __cplusplus
void program_work(unsigned amount);
#else
__attribute__((transaction_pure)) void program_work(unsigned amount);
#endif

/* Prints the result line; returns the exit status. */
int program_result(bool is_right, uint64_t checksum);

#ifdef __cplusplus
}
#endif

#endif
