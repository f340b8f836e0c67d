/* SPDX-License-Identifier: MIT
 *
 * How much memory the process may still take before the kernel kills it: the limit of its control group, or of the
 * group around that whose limit is lowest. Both versions of control groups, where they are mounted as usual.
 *
 * Used by the watcher alone, which is killed together with the program.
 */
#ifndef STMLOG_MEMORY_LEFT_H
#define STMLOG_MEMORY_LEFT_H

#include <stdbool.h>

/* Finds the group of the calling process, and opens its files. `list`: usually "/proc/self/cgroup"; `mount`: usually
 * "/sys/fs/cgroup". Without a limit nothing is open afterwards. Keeps errno. */
void memory_left_open(const char *list, const char *mount);

/* Whether there is a limit that can be read. */
bool memory_left_is_known(void);

/* Whether at most half as much is left as when this last returned true; the first time, half of the limit. So the
 * answer is true the more often, the nearer the end is, but only a few times in all. Keeps errno. */
bool memory_left_has_halved(void);

/* Closes the files. */
void memory_left_close(void);

#endif
