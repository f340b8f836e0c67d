/* SPDX-License-Identifier: MIT
 * A companion: a process that shares the memory of this process, at the same addresses, and nothing else. It has its
 * own descriptors, signals, limits and rights from its beginning. If this process dies, the kernel keeps the memory as
 * long as the companion lives. Under a checker (check.h) no companion is made.
 */
#ifndef BASE_COMPANION_H
#define BASE_COMPANION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <atomic_ops.h>

struct companion {
	pid_t pid; /* the companion's process */
	pid_t host;
	void (*run)(void);
	char *memory; /* owned; the companion's stack, then the lender's with its thread-local memory */

	/* A thread that has ended, and is not joined: the companion uses its thread-local memory. */
	pthread_t lender;
	volatile AO_t lender_tid;
	volatile AO_t has_lent;      /* the kernel has no such thread any more */
	volatile int *thread_number; /* the lender's, where the C library keeps it; NULL: not found */
};

/* Starts the process, which calls `run` with all signals blocked, and ends when that returns. The program gets no
 * signal at its end, and its wait() does not find it. Returns false if no companion can be made. */
bool companion_start(struct companion *companion, void (*run)(void));

/* Whether the caller is the companion. */
bool companion_is_here(const struct companion *companion);

/* Whether the companion has ended, also if somebody has killed it. Makes one system call. */
bool companion_has_ended(const struct companion *companion);

/* Waits until the companion has ended. */
void companion_wait(const struct companion *companion);

/* Frees the companion's stack and thread. Requires that the companion has ended, or was not made. */
void companion_fini(struct companion *companion);

/* ---- idle time: limits how long to wait for a companion, which may be waiting for the caller ---- */

enum { IDLE_MAX_MS = 2000 };

struct idle_time {
	pid_t pid; /* 0: not known */
	bool has_clock;
	clockid_t clock;  /* the process's processor time */
	uint64_t used_ns; /* the processor time when it was last read */
	unsigned idle_ms; /* for how long the process has been idle */
};

/* Begins a wait for a process of one thread. */
struct idle_time idle_time_begin(pid_t process);

/* Called after each part of the wait, which took `waited_ms`. Returns whether the process has been idle for
 * IDLE_MAX_MS: then the caller should give up. A process is not idle while it works, waits for a processor, or waits
 * for a disk, which may take seconds. Async-signal-safe. */
bool idle_time_is_over(struct idle_time *idle, unsigned waited_ms);

/* ---- the host: the process that has started the companion, as the companion observes it ---- */

/* Remembers the host and its addresses. Called by the host, before it may call exec(). */
void host_note(pid_t pid);

/* Whether the process has ended. The caller of this and of the following functions is a child of the process. Makes one
 * system call; async-signal-safe. */
bool host_has_ended(void);

/* Whether the process has ended, or has left its memory by exec(). Makes some system calls. */
bool host_has_left(void);

/* Returns the signal that has ended the process; 0: none, or its parent has read its status already. */
int host_signal(void);

#endif
