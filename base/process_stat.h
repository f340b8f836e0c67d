/* SPDX-License-Identifier: MIT
 *
 * Reads /proc/PID/stat. All functions are async-signal-safe.
 */
#ifndef BASE_PROCESS_STAT_H
#define BASE_PROCESS_STAT_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
