/* SPDX-License-Identifier: MIT
 *
 * A companion: a process that shares the memory of this one, at the same addresses, and nothing else. Descriptors,
 * signals, limits and rights are its own from its beginning. The kernel keeps the memory when this process dies, as
 * long as the companion is there. Where a checker looks on (checker.h) there can be none.
 */
#ifndef BASE_COMPANION_H
#define BASE_COMPANION_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include <atomic_ops.h>

struct companion {
	pid_t pid; /* of its process */
	pid_t host;
	void (*run)(void);
	char *stack; /* owned */

	/* A thread that has ended, and is not joined: the companion has its thread-local memory. */
	pthread_t lender;
	volatile AO_t lender_tid;
	volatile AO_t has_lent;      /* the kernel's thread is gone, too */
	volatile int *thread_number; /* where the C library keeps it for the lender; NULL: not found */
};

/* Starts the process, which calls `run` with all signals blocked, and ends when that returns; 64 KB of stack. The
 * program gets no signal at its end, and its wait() does not find it. Returns false if there can be none. */
bool companion_start(struct companion *companion, void (*run)(void));

/* Whether the caller is the companion. */
bool companion_is_here(const struct companion *companion);

/* Whether the companion has ended, killed by somebody perhaps. One system call. */
bool companion_has_ended(const struct companion *companion);

/* Waits for its end. */
void companion_wait(const struct companion *companion);

/* Frees its memory. Requires that it has ended, or was not made. */
void companion_fini(struct companion *companion);

#endif
