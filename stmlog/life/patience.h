/* SPDX-License-Identifier: MIT
 * How long to wait for the watcher, which may be waiting for the caller: as long as it works, and two seconds more. */
#ifndef STMLOG_PATIENCE_H
#define STMLOG_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { PATIENCE_MS = 2000 };

struct patience {
	bool has_clock;
	clockid_t clock;   /* of the processor's time that the other process uses */
	uint64_t used_ns;  /* when it was last looked at */
	unsigned stood_ms; /* for so long it has used none */
};

/* For a wait for a process of one thread. */
struct patience patience_with(pid_t process);

/* To be called after each piece of waiting. Returns whether the caller should wait no longer. Async-signal-safe. */
bool patience_is_over(struct patience *patience, unsigned waited_ms);

#endif
