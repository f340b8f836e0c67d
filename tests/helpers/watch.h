/* SPDX-License-Identifier: MIT
 * Counts system calls, allocations and locks between two moments of a process. x86-64 and Linux only. */
#ifndef WATCH_H
#define WATCH_H

/* From here on each system call of every thread goes through a filter (seccomp). So no thread may begin or end behind
 * it. */
void watch_begin(void);

/* Gives the processor to another thread; not counted. */
void watch_yield(void);

/* Prints a line for each number that is not 0: "syscall NUMBER COUNT", "allocation COUNT", "lock COUNT",
 * "getrusage COUNT", "cpu-clock COUNT" (readings of the thread's processor time). Then a last line, "watched". Ends the
 * process with status 0; with 77, if there is no filter, or if clock_gettime() is a system call here: then it says so.
 */
__attribute__((noreturn)) void watch_end(void);

#endif
