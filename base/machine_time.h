/* SPDX-License-Identifier: MIT
 * Tells how the processors of the machine spend their time. */
#ifndef MACHINE_TIME_H
#define MACHINE_TIME_H

#include <stdint.h>
#include <sys/types.h>

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
