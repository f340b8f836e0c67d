/* SPDX-License-Identifier: MIT
 * What each execution of a fuzz target is allowed, and the count of all executions. */
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H

/* Begins and ends an execution. One that took more than a second of the processor ends the process as a crash does, so
 * that the fuzzer keeps its input. Time of the processor, not the wall's: the machine may be busy with other work.
 * Memory is limited by an option of the fuzzer. */
void fuzz_begin(void);
void fuzz_end(void);

#endif
