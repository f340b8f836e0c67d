/* SPDX-License-Identifier: MIT
 *
 * Every thread of the process that was ever attached: the ones that are, and what
 * is left of those that have ended.
 *
 * Invariant: each attached thread is in `attached`; records ready for a later
 * thread are in `pool`; a record whose thread has ended, but not all of the
 * timelogs that the user made there, is in neither.
 * What 100,000 short threads leave behind is bounded: one timelog, and accounts of
 * their own for the first ENDED_MOST, one for all the others together.
 *
 * The lock is taken at attach and detach and while a report is made; never by a
 * recording hook.
 */
#ifndef STMLOG_REGISTRY_H
#define STMLOG_REGISTRY_H

#include "thread.h"

#define ENDED_MOST 1024

/* A thread's figures, as reports and files show them. */
struct thread_figures {
	uint32_t id; /* 0: a sum over several threads */
	bool has_ended;
	char name[THREAD_NAME];
	uint64_t attached_at_ns;
	uint64_t tracebacks_unavailable;
	uint64_t writes_unrecorded;
	struct stmlog_account account;
};

struct registry {
	pthread_mutex_t lock;
	struct stmlog_thread *attached;
	struct stmlog_thread *pool;
	struct stmlog_thread *made; /* all records that there are, whoever has them */
	uint32_t last_id;
	size_t capacity;        /* of each thread's timelog */
	struct tb_stack *stack; /* whose frames `retired` is made of */
	struct stmlog_timelog *retired;
	struct thread_figures *ended;
	size_t ended_len;
	struct thread_figures remainder;
	uint64_t remainder_threads;
	uint64_t refused; /* attaches that found no memory: what these threads did is not recorded */
};

extern struct registry registry;

/* 0 or -ENOMEM. `capacity`: of the timelog that each thread gets. */
int registry_open(size_t capacity);

/* Gives all memory back if no thread is attached any more, and says whether it did. */
bool registry_close(void);

void registry_lock(void);
void registry_unlock(void);

/* The calling thread's; NULL when there is no memory. */
struct stmlog_thread *registry_attach(void);
void registry_detach(struct stmlog_thread *thread);

/* A timelog of the user's came or went; the last one of a thread that has ended frees its record. */
void registry_own_log(struct stmlog_thread *thread);
void registry_disown_log(struct stmlog_thread *thread);

/* Whether no thread has anything to show: no event was recorded and no unmeasured transaction counted. */
bool registry_is_idle(void);

/* After fork, in the child: only `self` (may be NULL) exists, and nothing has happened yet. */
void registry_fork_child(struct stmlog_thread *self);

#endif
