/* SPDX-License-Identifier: MIT
 *
 * How much memory the process may still take before the kernel kills it: the limit of its control group, or of the
 * group around that whose limit is lowest. Both versions of control groups, where they are mounted as usual.
 *
 * Used by the watcher alone.
 */
#ifndef STMLOG_MEMORY_LEFT_H
#define STMLOG_MEMORY_LEFT_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the group of the calling process, and opens its files. `list`: usually "/proc/self/cgroup"; `mount`: usually
 * "/sys/fs/cgroup". Without a limit nothing is open afterwards. Keeps errno. */
void memory_left_open(const char *list, const char *mount);

/* Whether there is a limit that can be read. */
bool memory_left_is_known(void);

/* How many bytes are left; 0 where it is not known. Keeps errno. */
uint64_t memory_left_bytes(void);

/* Whether an eighth of the limit or less is left; or so little that it is used up in 16 times as long as it is since
 * the last call, if the use grows as it has since then. Keeps errno. */
bool memory_left_is_short(void);

/* Closes the files. */
void memory_left_close(void);

#endif
