/* SPDX-License-Identifier: MIT
 * Limits the time to wait for the watcher, which may be waiting for the caller: as long as the watcher uses processor
 * time, and two seconds more. */
#ifndef STMLOG_PATIENCE_H
#define STMLOG_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { PATIENCE_MS = 2000 };

struct patience {
	bool has_clock;
	clockid_t clock;   /* the other process's processor time */
	uint64_t used_ns;  /* the processor time when it was last read */
	unsigned stood_ms; /* for how long the process has used no processor time */
};

/* Begins a wait for a process of one thread. */
struct patience patience_with(pid_t process);

/* Called after each part of the wait, which took `waited_ms`. Returns whether the caller should give up.
 * Async-signal-safe. */
bool patience_is_over(struct patience *patience, unsigned waited_ms);

#endif
