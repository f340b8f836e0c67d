/* SPDX-License-Identifier: MIT
 * The figures of a thread: its account, and how much could not be recorded. */
#ifndef STMLOG_FIGURES_H
#define STMLOG_FIGURES_H

#include "thread.h"

/* The figures of one thread in reports and files. */
struct thread_figures {
	uint32_t id; /* 0: a sum over several threads */
	bool has_ended;
	bool is_spare;
	uint32_t system_id; /* of the OS thread; 0: not known, or none */
	struct thread_name name;
	char runtime[THREAD_RUNTIME];
	uint64_t attached_at_ns;
	uint64_t tracebacks_unavailable;
	uint64_t calls_lost;
	uint64_t origins, origins_timed,
		origins_timed_ns; /* how many were made; of them timed, and what these have taken */
	struct stmlog_account account;
	struct account_spread spread;
};

/* Reads the figures of a thread. Returns false if its account could not be read (account_read()). */
bool figures_read(struct thread_figures *figures, const struct stmlog_thread *thread);

/* The same for a thread that has ended. It uses little of the caller's stack: a page of it more would be a page fault
 * of each thread. Requires that the record is busy; no other thread may read the account meanwhile. It is of no use
 * after this. */
void figures_read_last(struct thread_figures *figures, struct stmlog_thread *thread);

/* Replaces the account by one that is read from `account`, which has the thread's figures at an earlier time. */
bool figures_read_account(struct thread_figures *figures, const struct account *account);

/* Adds account and counts of `more`. The other members of `sum` do not change. */
void figures_add(struct thread_figures *sum, const struct thread_figures *more);

#endif
