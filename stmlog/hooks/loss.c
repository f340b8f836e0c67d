/* SPDX-License-Identifier: MIT
 * Losses go to the account, the ledger, the paths and, while one runs, the timeline. */
#include "loss.h"

#include "clock.h"
#include "loss_events.h"

/* A wait before the first attempt counts to the transaction before. */
static struct weight weight_of(struct stmlog_thread *thread, const struct measured_loss *measured)
{
	return weigh(&thread->running, thread->transaction, thread->account.extra_weight, &measured->loss->cause,
		measured->lost_ns);
}

/* Sets the members that say whose loss it is, and adds it to the losses of its site. Requires lost_ns. */
static void attribute(struct stmlog_thread *thread, struct measured_loss *measured)
{
	measured->thread = stmlog_thread_id(thread);
	measured->site = thread->site;
	measured->descheduled_ns = thread->descheduled_ns;
	thread->descheduled_ns = 0;
	measured->weight = weight_of(thread, measured);
	if (thread->distribution != NULL)
		tries_add_loss(thread->distribution, measured->site, tries_lost_by(measured->loss->cause.reason),
			thread->account.extra_weight, measured->lost_ns);
}

static inline void add_path(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum path_kind kind, uint64_t ns)
{
	if (STMLOG_UNLIKELY(thread->paths != NULL))
		paths_add(thread->paths, loss->local, kind, ns, thread->account.extra_weight);
}

/* OTHER_STATE is no pause and no wait, and in no path. */
static void add_path_of(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum account_slot state, uint64_t ns)
{
	if (state != OTHER_STATE)
		add_path(thread, loss, state == PAUSED_STATE ? PATH_PAUSED : PATH_WAITING, ns);
}

void loss_abort(struct stmlog_thread *thread, struct measured_loss *measured)
{
	/* The account changes while the owner is inside the ledger: a reader sees an abort in both or in neither. */
	struct stmlog_timelog *detour = ledger_enter_loss(&thread->ledger);
	enum account_slot slot = ABORTED_SLOT + measured->loss->cause.contention;
	if (measured->at_ns == 0)
		measured->at_ns = thread->failed_ns != 0 ? thread->failed_ns : clock_now_ns();
	measured->lost_ns = account_settle(&thread->account, measured->at_ns, slot, ABORTED_STATE);
	thread->tries_ns += measured->lost_ns;
	attribute(thread, measured);
	add_path(thread, measured->loss, PATH_ABORTED, measured->lost_ns);
	ledger_put(&thread->ledger, detour, measured);
	if (timeline_is_on())
		loss_event_abort(thread, measured->loss, account_since_ns(&thread->account));
	/* Late, so that the time of recording the loss does not count to the next attempt. */
	if (thread->failed_ns != 0)
		account_look_back(&thread->account, clock_now_ns());
	thread->failed_ns = 0;
	ledger_leave(&thread->ledger);
	attempts_abort(&thread->attempts);
	if (STMLOG_UNLIKELY(inbox_has_mail(&thread->inbox)))
		inbox_clear(&thread->inbox);
}

void loss_interrupt(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct tb_copy *remote_copy,
	enum account_slot state)
{
	thread->interruption = *loss;
	thread->interruption_remote = remote_copy;
	tb_ref(loss->local);
	tb_ref(loss->remote);
	account_interrupt(&thread->account, clock_now_ns(), state);
	if (timeline_is_on())
		loss_event_wait_begin(thread, loss,
			state == OTHER_STATE ? STMLOG_WAIT_FOR_SYNCHRONISATION : loss_event_wait_for(&loss->cause),
			account_since_ns(&thread->account));
}

void loss_resume(struct stmlog_thread *thread, bool makes_entry)
{
	struct stmlog_loss *loss = &thread->interruption;
	enum account_slot state = account_state(&thread->account);
	struct stmlog_timelog *detour = ledger_enter_loss(&thread->ledger);
	uint64_t now_ns = clock_now_ns();
	struct measured_loss measured = {
		.loss = loss,
		.remote_copy = thread->interruption_remote,
		.lost_ns = account_resume(&thread->account, now_ns),
		.at_ns = now_ns,
	};
	if (makes_entry) {
		attribute(thread, &measured);
		ledger_put(&thread->ledger, detour, &measured);
	}
	add_path_of(thread, loss, state, measured.lost_ns);
	ledger_leave(&thread->ledger);
	if (timeline_is_on())
		loss_event_wait_end(thread, account_since_ns(&thread->account));
	tb_unref(thread->stack, loss->local);
	tb_unref(thread->stack, loss->remote);
}

void loss_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns, enum account_slot state,
	bool makes_entry)
{
	struct stmlog_timelog *detour = ledger_enter_loss(&thread->ledger);
	uint64_t now_ns = clock_now_ns(), began_ns = account_since_ns(&thread->account);
	struct measured_loss measured = {
		.loss = loss,
		.lost_ns = account_take_out(&thread->account, now_ns, state, ns),
		.at_ns = now_ns,
	};
	if (makes_entry) {
		attribute(thread, &measured);
		ledger_put(&thread->ledger, detour, &measured);
	}
	add_path_of(thread, loss, state, measured.lost_ns);
	ledger_leave(&thread->ledger);
	if (timeline_is_on()) {
		loss_event_wait_begin(thread, loss, loss_event_wait_for(&loss->cause), began_ns);
		loss_event_wait_end(thread, began_ns + measured.lost_ns);
	}
}
