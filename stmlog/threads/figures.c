/* SPDX-License-Identifier: MIT
 * Reads and adds the figures of threads. */
#include "figures.h"

#include <string.h>

#include "check.h"
#include "saturate.h"

static void read_all_but_account(struct thread_figures *figures, const struct stmlog_thread *thread)
{
	memset(figures, 0, sizeof *figures);
	figures->id = stmlog_thread_id(thread);
	figures->system_id = thread->system_id;
	figures->name = thread->name;
	figures->is_spare = thread->is_spare;
	figures->attached_at_ns = AO_load(&thread->account.attached_at_ns);
	figures->tracebacks_unavailable = AO_load(&thread->tracebacks_unavailable);
	figures->calls_lost = AO_load(&thread->calls_lost);
	figures->origins = AO_load(&thread->origins_made);
	figures->origins_timed = AO_load(&thread->origins_timed);
	figures->origins_timed_ns = AO_load(&thread->origins_timed_ns);
	memcpy(figures->runtime, thread->runtime, sizeof figures->runtime);
}

bool figures_read(struct thread_figures *figures, const struct stmlog_thread *thread)
{
	read_all_but_account(figures, thread);
	return figures_read_account(figures, &thread->account);
}

void figures_read_last(struct thread_figures *figures, struct stmlog_thread *thread)
{
	REQUIRES(thread->is_busy);
	read_all_but_account(figures, thread);
	figures->has_ended = true;
	account_read_last(&thread->account, &figures->account, &figures->spread);
}

bool figures_read_account(struct thread_figures *figures, const struct account *account)
{
	return account_read(account, &figures->account, &figures->spread);
}

/* An account consists of 64-bit counters, each of which is added up. */
_Static_assert(sizeof(struct stmlog_account) % sizeof(uint64_t) == 0, "struct stmlog_account is made of uint64_t");

void figures_add(struct thread_figures *sum, const struct thread_figures *more)
{
	uint64_t total, addend;
	for (size_t at = 0; at < sizeof sum->account; at += sizeof total) {
		memcpy(&total, (char *)&sum->account + at, sizeof total);
		memcpy(&addend, (const char *)&more->account + at, sizeof addend);
		total = saturated_sum(total, addend);
		memcpy((char *)&sum->account + at, &total, sizeof total);
	}
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		sum->spread.variance_ns2[row] += more->spread.variance_ns2[row];
		sum->spread.doubt_ns[row] = saturated_sum(sum->spread.doubt_ns[row], more->spread.doubt_ns[row]);
	}
	sum->spread.timed += more->spread.timed;
	sum->spread.timed_commits += more->spread.timed_commits;
	sum->spread.windows += more->spread.windows;
	sum->spread.uncounted += more->spread.uncounted;
	sum->tracebacks_unavailable += more->tracebacks_unavailable;
	sum->calls_lost += more->calls_lost;
	sum->origins += more->origins;
	sum->origins_timed += more->origins_timed;
	sum->origins_timed_ns += more->origins_timed_ns;
}
