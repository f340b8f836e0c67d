/* SPDX-License-Identifier: MIT
 * Reads and adds the figures of threads. */
#include "figures.h"

#include <string.h>

#include "saturate.h"

bool figures_read(struct thread_figures *figures, const struct stmlog_thread *thread)
{
	*figures = (struct thread_figures){
		.id = stmlog_thread_id(thread),
		.system_id = thread->system_id,
		.name = thread->name,
		.is_spare = thread->is_spare,
		.attached_at_ns = AO_load(&thread->account.attached_at_ns),
		.tracebacks_unavailable = AO_load(&thread->tracebacks_unavailable),
		.calls_lost = AO_load(&thread->calls_lost),
	};
	memcpy(figures->runtime, thread->runtime, sizeof figures->runtime);
	return figures_read_account(figures, &thread->account);
}

bool figures_read_account(struct thread_figures *figures, const struct account *account)
{
	return account_read(account, &figures->account, &figures->spread);
}

/* An account consists of 64-bit counters, each of which is added up. */
_Static_assert(sizeof(struct stmlog_account) % sizeof(uint64_t) == 0, "struct stmlog_account is made of uint64_t");

void figures_add(struct thread_figures *sum, const struct thread_figures *more)
{
	enum { FIELDS = sizeof(struct stmlog_account) / sizeof(uint64_t) };
	uint64_t total[FIELDS], addend[FIELDS];
	memcpy(total, &sum->account, sizeof total);
	memcpy(addend, &more->account, sizeof addend);
	for (size_t i = 0; i < FIELDS; i++)
		total[i] = saturated_sum(total[i], addend[i]);
	memcpy(&sum->account, total, sizeof total);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		sum->spread.variance_ns2[row] += more->spread.variance_ns2[row];
		sum->spread.doubt_ns[row] = saturated_sum(sum->spread.doubt_ns[row], more->spread.doubt_ns[row]);
	}
	sum->spread.timed += more->spread.timed;
	sum->spread.timed_commits += more->spread.timed_commits;
	sum->spread.uncounted += more->spread.uncounted;
	sum->tracebacks_unavailable += more->tracebacks_unavailable;
	sum->calls_lost += more->calls_lost;
}
