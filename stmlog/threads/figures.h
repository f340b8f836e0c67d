/* SPDX-License-Identifier: MIT
 * A thread's figures: read from a thread, and added up. */
#ifndef STMLOG_FIGURES_H
#define STMLOG_FIGURES_H

#include "thread.h"

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

/* Reads a thread's account. Returns false when it cannot (account_read()). */
bool figures_read(struct thread_figures *figures, const struct stmlog_thread *thread);

/* Adds up accounts; id, name and flags stay. */
void figures_add(struct thread_figures *sum, const struct thread_figures *more);

/* Sums over the contentions. */
uint64_t figures_aborted_ns(const struct stmlog_account *account);
uint64_t figures_aborts(const struct stmlog_account *account);

/* attached_ns minus all it is made of; not 0 means a defect of ours. */
int64_t figures_residual_ns(const struct stmlog_account *account);

#endif
