/* SPDX-License-Identifier: MIT
 * The hooks for runtimes that measure a part of their transactions: weights, and transactions that were not measured,
 * or only timed. */
#include "clock.h"
#include "loss.h"
#include "misuse.h"
#include "off_processor.h"
#include "probe.h"
#include "session.h"
#include "waits.h"

/* Begins a transaction number of its own if the weight changes: otherwise a wait before the next transaction would
 * count to the last transaction, which had another weight. */
static void set_weight(struct stmlog_thread *thread, uint32_t weight)
{
	if (thread->account.sampled.extra_weight != weight - 1) {
		thread->transaction++;
		sampled_begin(&thread->account.sampled);
	}
	thread->account.sampled.extra_weight = weight - 1;
	if (weight > 1)
		session_samples();
}

/* ---- transactions that the library chooses ---- */

/* How many aborts so many unmeasured transactions had, by those for which the measured ones stand. */
static uint64_t estimate_aborts(const struct sampled *sampled, uint64_t commits)
{
	double others = account_double(&sampled->timed.all.weight) - (double)AO_load(&sampled->weighted_commits);
	double aborts = (double)AO_load(&sampled->surplus_aborts);
	return others > 0 ? saturated_whole(aborts * (double)commits / others) : 0;
}

/* Those that have begun while the window was closed. The library is told no more of them than how many attempts have
 * failed, if the runtime counts these. */
static bool count_passed(void *arg, struct stmlog_unmeasured_counts *counts)
{
	const struct stmlog_thread *thread = arg;
	const struct window *window = &thread->window;
	uint64_t left = STMLOG_LOAD_RELAXED(&thread->left), drawn = AO_load(&window->drawn);
	counts->commits = AO_load(&window->passed);
	if (STMLOG_LOAD_RELAXED(&thread->measured) == NULL && drawn > left)
		counts->commits += drawn - left;
	uint64_t aborts = STMLOG_LOAD_RELAXED(&thread->aborts);
	if (aborts != 0)
		AO_store(&session.counts_aborts, 1);
	counts->aborts = aborts != 0 ? aborts : estimate_aborts(&thread->account.sampled, counts->commits);
	return true;
}

static struct window_work work_of(const struct stmlog_thread *thread)
{
	return (struct window_work){
		.events = account_events(&thread->account),
		.origins = AO_load(&thread->origins_made),
		.origins_timed = AO_load(&thread->origins_timed),
		.origins_ns = AO_load(&thread->origins_timed_ns),
	};
}

static void look_at_window(struct stmlog_thread *thread)
{
	struct window *window = &thread->window;
	const struct window before = *window;
	const struct window_work work = work_of(thread);
	bool is_open = window_look(window, clock_now_ns(), &work, session.sample);
	bool is_another = before.weight == 0 || before.began_ns != window->began_ns;
	if (before.weight == 0) {
		account_read_unmeasured_by(&thread->account, count_passed, thread);
		sampled_begin_windows(&thread->account.sampled);
	}
	if (before.is_open && before.weight > 1 && (is_another || !is_open))
		account_end_window(&thread->account);
	if (is_open && is_another)
		set_weight(thread, window->weight);
	if (window->weight > 1 && thread->account.sampled.within_ns == 0) {
		thread->account.sampled.within_ns = (uint32_t)probe_within_ns();
		AO_store(&session.has_windows, 1);
	}
	STMLOG_STORE_RELAXED(&thread->measured, is_open ? thread : NULL);
	STMLOG_STORE_RELAXED(&thread->left, (uint32_t)AO_load(&window->drawn) - 1);
}

struct stmlog_thread *stmlog_sampled_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return NULL;
	if (account_is_outside(&thread->account))
		look_at_window(thread);
	else
		thread_misuse(thread, "stmlog_sampled within a transaction, pause or wait");
	thread_leave(thread);
	return thread->measured;
}

/* ---- transactions that the runtime chooses ---- */

/* Records the wait as a transaction of its own. The next measured transaction sets its own weight again, and forgets
 * the losses. */
static void waited_unmeasured(struct stmlog_thread *thread, const struct stmlog_loss *loss, struct tb_site site,
	uint32_t weight, uint64_t ns, uint64_t descheduled_ns)
{
	session_samples();
	set_weight(thread, weight);
	thread_forget_losses(thread);
	thread->transaction++;
	STMLOG_STORE_RELAXED(&thread->site.code, site.code);
	STMLOG_STORE_RELAXED(&thread->site.position, site.position);
	thread_change_so_far(thread)->descheduled_ns = descheduled_ns;
	wait_is_over(thread, loss, ns, wait_state(loss));
}

void stmlog_waited_unmeasured_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, struct tb_site site,
	uint32_t weight, uint64_t ns, uint64_t descheduled_ns)
{
	if (!thread_enter(thread))
		return;
	if (account_is_outside(&thread->account) && weight != 0 && wait_makes_entry(wait_state(loss)))
		waited_unmeasured(thread, loss, site, weight, ns, descheduled_ns);
	else
		thread_misuse(thread, "stmlog_waited_unmeasured within a transaction, with weight 0, or with a cause "
				      "that makes no entry");
	thread_leave(thread);
}

void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts)
{
	if (!thread_enter(thread))
		return;
	if (!account_add_unmeasured(&thread->account, commits, aborts))
		misuse_count("stmlog_unmeasured with more transactions than can be counted");
	session_has_more();
	thread_leave(thread);
}

void stmlog_set_weight_on(struct stmlog_thread *thread, uint32_t weight)
{
	if (!thread_enter(thread))
		return;
	if (account_is_outside(&thread->account) && weight != 0)
		set_weight(thread, weight);
	else
		thread_misuse(thread, "stmlog_set_weight within a transaction, pause or wait, or to 0");
	thread_leave(thread);
}

void stmlog_set_loss_weight_on(struct stmlog_thread *thread, uint32_t weight)
{
	if (!thread_enter(thread))
		return;
	if (weight != 0)
		thread_change_so_far(thread)->extra_losses = weight - 1;
	else
		misuse_count("stmlog_set_loss_weight to 0");
	thread_leave(thread);
}

/* False for NaN. The squares of larger weights would be too large for the account. */
static bool is_weight(double weight)
{
	return weight >= 1 && weight <= UINT32_MAX;
}

static void add_timed(struct stmlog_thread *thread, const struct stmlog_timed_transaction *timed)
{
	session_samples();
	account_add_timed(&thread->account, timed);
	tries_add_timed(&thread->distribution, timed);
}

void stmlog_timed_on(struct stmlog_thread *thread, const struct stmlog_timed_transaction *timed)
{
	if (!thread_enter(thread))
		return;
	if (account_is_outside(&thread->account) && is_weight(timed->weight))
		add_timed(thread, timed);
	else
		thread_misuse(thread, "stmlog_timed within a transaction, pause or wait, or with a weight that is not "
				      "from 1 to UINT32_MAX");
	thread_leave(thread);
}

void stmlog_descheduled_on(struct stmlog_thread *thread, uint64_t ns, uint64_t doubt_ns)
{
	if (!thread_enter(thread))
		return;
	off_processor_ignore(thread);
	if (account_is_idle(&thread->account))
		thread_misuse(thread, "stmlog_descheduled");
	else
		thread_change_so_far(thread)->descheduled_ns +=
			account_deschedule(&thread->account, clock_now_ns(), ns, doubt_ns);
	thread_leave(thread);
}
