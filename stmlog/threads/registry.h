/* SPDX-License-Identifier: MIT
 *
 * All threads of the process: those that are attached, and the figures and losses of those that have ended.
 *
 * Invariant: each attached thread is in `attached`. Each record that is free for a later thread is in `pool`, with all
 * of its memory, or in `shrunk`, with the least. A record whose thread has ended is in none of these while the user
 * still has timelogs of it. The memory for any number of ended threads is
 * bounded: one timelog for all, accounts of their own for the first ENDED_MAX, and one account for all the others
 * together.
 *
 * The lock is taken at attach and detach and while a report is made; never by a recording hook.
 */
#ifndef STMLOG_REGISTRY_H
#define STMLOG_REGISTRY_H

#include "figures.h"

#define ENDED_MAX 1024

/* So many records of ended threads keep all of their memory for later threads: as many as threads of a large program
 * live at once. What one gives back costs the next thread system calls and page faults, which hold up the others. */
#define POOL_MAX 1024

struct registry {
	pthread_mutex_t lock;
	struct stmlog_thread *attached;
	struct stmlog_thread *pool;
	size_t pooled; /* records in `pool` */
	struct stmlog_thread *shrunk;
	struct stmlog_thread *made; /* all records, linked by `made` */
	uint32_t last_id;
	size_t capacity;        /* of each thread's timelog */
	struct tb_stack *stack; /* has the frames of `retired` */
	struct stmlog_timelog *retired;
	struct thread_figures *ended; /* ENDED_MAX, and room to read those of one more thread: its stack is not used */
	size_t ended_len;
	struct thread_figures remainder;
	uint64_t remainder_threads;
	uint64_t refused; /* attaches without memory, or after thread 2^32 - 1: these threads are not recorded */
};

extern struct registry registry;

/* Opens the registry, before any thread can attach. Returns 0 or -ENOMEM. `capacity`: of the timelog that each thread
 * gets. */
int registry_open(size_t capacity);

/* Whether no thread is attached. Requires the lock. */
bool registry_is_empty(void);

/* Frees all memory. Requires the lock, and registry_is_empty(). */
void registry_close(void);

void registry_lock(void);
void registry_unlock(void);

/* Whether any thread has the lock. For REQUIRES() only: the lock may have changed hands when this returns. */
bool registry_is_locked(void);

/* ---- attach and detach ----
 *
 * The kernel may take the processor from a thread that holds the lock; then all threads that begin or end wait. So each
 * takes the lock once, and makes its system calls before. */

/* The name of a thread, and its number in the system; or the name of a lane. And when it attaches. */
struct thread_identity {
	struct thread_name name;
	uint32_t system_id; /* 0: not known, or a lane */
	bool is_lane;
	uint64_t now_ns;
};

/* Returns the identity of the calling thread, or, if `lane` is not NULL, of a lane of this name. Reads the clock. */
struct thread_identity registry_identify(const char *lane);

/* Attaches a thread, or a lane, which is idle: gives it a number, and the record of an ended thread or a new one, with
 * empty figures. Without memory, or after thread number 2^32 - 1, returns NULL, and counts the thread as refused.
 * Requires the lock. */
struct stmlog_thread *registry_attach(const struct thread_identity *identity);

/* Whether the registry knows the thread: a forked child does not know those of its parent. Requires the lock. */
bool registry_has(const struct stmlog_thread *thread);

/* Ends the attempt under way, clears the cache of origins, releases the tracebacks of a pause or wait, empties the
 * shadow stack, and deactivates the timelogs. Requires that the record is busy, and that its thread calls this or has
 * ended. */
void registry_end(struct stmlog_thread *thread);

/* Keeps the thread's figures, under this name, and its losses; passes its record on to a later thread. Requires the
 * lock, registry_end(), and that the recorder has released its tracebacks. */
void registry_detach(struct stmlog_thread *thread, struct thread_name name);

/* Called when the user has created or destroyed a timelog of the thread. The record of a thread that has ended is
 * reused only when its last timelog is destroyed. Both functions take the lock. */
void registry_own_log(struct stmlog_thread *thread);
void registry_disown_log(struct stmlog_thread *thread);

/* Whether no thread, attached or ended, has recorded an event (`events` of struct stmlog_account), or counted a
 * transaction that was not measured. Takes the lock. */
bool registry_is_idle(void);

/* How many attaches were refused (registry.refused). Takes the lock. */
uint64_t registry_refused(void);

/* How many attempts of all threads, ended ones included, were not measured. Requires the lock. */
uint64_t registry_unmeasured(void);

/* For FORKS_REGISTRY (locks.h). Only `self` (may be NULL) is left, and its record is emptied. */
void registry_fork_child(struct stmlog_thread *self);

#endif
