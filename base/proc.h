/* SPDX-License-Identifier: MIT
 * Reads /proc/PID/stat, which tells the state of a process, and /proc/stat, which tells how the processors of the
 * machine have spent their time. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdint.h>
#include <sys/types.h>

/* ---- a process: all functions are async-signal-safe ---- */

/* Numbers of fields, see proc(5). */
enum { PROCESS_STATE = 3, PROCESS_PARENT, PROCESS_START_CODE = 26, PROCESS_START_STACK = 28, PROCESS_EXIT_CODE = 52 };

struct process_stat {
	char text[1024]; /* empty if the file could not be read */
};

struct process_stat process_stat_read(pid_t pid);

/* 'R', 'S', 'D', 'Z', see proc(5); 0: not known. */
char process_stat_state(const struct process_stat *stat);

/* 0: not known. */
uint64_t process_stat_number(const struct process_stat *stat, int field);

/* ---- how the processors of the machine spend their time ---- */

/* The time of all processors together since the machine was started (all_ns), how much of it they were idle, both in
 * units of some milliseconds; and the processor time of one process (own_ns). All are 0 if the kernel does not tell. */
struct machine_time {
	uint64_t all_ns, idle_ns, own_ns;
};

/* Reads /proc/stat. The thread must not be cancelled meanwhile. Keeps errno. */
struct machine_time machine_time_now(pid_t pid);

/* The differences from one reading to a later one. All are 0 if one of the readings is not known. */
struct machine_time machine_time_between(const struct machine_time *from, const struct machine_time *to);

/* The processor time of other processes between two readings; at least 0, although the units are coarse. */
uint64_t machine_time_of_others_ns(const struct machine_time *between);

#endif
