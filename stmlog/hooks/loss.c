/* SPDX-License-Identifier: MIT
 * Books losses in the account, the ledger, the paths and, while a timeline runs, the timeline. */
#include "loss.h"

#include "check.h"
#include "labels.h"
#include "off_processor.h"
#include "runtime_sums.h"
#include "usdt.h"

/* Returns for how many other losses a loss stands. */
static inline uint32_t extra_of(const struct stmlog_thread *thread)
{
	return thread->account.sampled.extra_weight + (uint32_t)thread->so_far.extra_losses;
}

/* Returns the loss with the data of the thread's record: its thread and site, its weight (`extra`), and its time off
 * the processor. Adds it to the losses of its site. A wait before the first attempt counts to the transaction
 * before. */
static inline struct measured_loss measure(struct stmlog_thread *thread, const struct stmlog_loss *loss,
	const struct lost_to *to, uint32_t extra, uint64_t lost_ns, uint64_t at_ns)
{
	struct measured_loss measured = {
		.loss = loss,
		.remote_copy = to != NULL ? to->traceback : NULL,
		.culprit = to != NULL ? to->culprit : (struct culprit){NULL, 0},
		.weight = weigh(&thread->running, thread->transaction, extra, &loss->cause, lost_ns),
		.lost_ns = lost_ns,
		.descheduled_ns = thread->so_far.descheduled_ns,
		.site = thread->site,
		.at_ns = at_ns,
		.thread = (uint32_t)AO_load(&thread->id),
	};
	thread->so_far.descheduled_ns = 0;
	enum tries_lost_row row = tries_lost_by(loss->cause.reason);
	tries_add_loss(
		&thread->distribution, thread->site, row, extra - (uint32_t)thread->so_far.extra_losses, lost_ns);
	if (STMLOG_UNLIKELY(thread->so_far.extra_losses != 0))
		tries_add_like(&thread->distribution, thread->site, row, thread->so_far.extra_losses, lost_ns);
	if (STMLOG_UNLIKELY(loss->green != 0 || loss->remote_green != 0))
		green_add(loss, lost_ns, extra);
	if (STMLOG_UNLIKELY(labels_are_there()))
		labels_add(loss, lost_ns, extra);
	return measured;
}

/* Out of line, so that in record() the loss need not be in memory. */
__attribute__((noinline)) static void record_slow(struct stmlog_thread *thread, struct detour *detour,
	const struct stmlog_loss *loss, const struct lost_to *to, uint64_t lost_ns, uint64_t at_ns)
{
	struct measured_loss measured = measure(thread, loss, to, extra_of(thread), lost_ns, at_ns);
	ledger_put(&thread->ledger, detour, &measured);
}

/* Most losses have no weight and the key of the loss before. */
static inline void record(struct stmlog_thread *thread, struct detour *detour, const struct stmlog_loss *loss,
	const struct lost_to *to, uint64_t lost_ns, uint64_t at_ns)
{
	const struct tb_copy *copy = to != NULL ? to->traceback : NULL;
	struct pending_item *item = ledger_again(&thread->ledger, detour, loss, copy);
	if (STMLOG_UNLIKELY(item == NULL || extra_of(thread) != 0)) {
		record_slow(thread, detour, loss, to, lost_ns, at_ns);
		return;
	}
	const struct measured_loss measured = measure(thread, loss, to, 0, lost_ns, at_ns);
	pending_add_to(item, &measured);
}

static inline void add_path(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum path_kind kind, uint64_t ns)
{
	if (STMLOG_UNLIKELY(thread->paths != NULL))
		paths_add(thread->paths, loss->local, kind, ns, thread->account.sampled.extra_weight);
}

/* Adds a pause or wait that is over to its path. Time in OTHER_STATE is neither, and is in no path. */
__attribute__((always_inline)) static inline void add_path_of(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum account_slot state, uint64_t ns)
{
	if (state == OTHER_STATE)
		return;
	USDT_LOSS(pause, thread, loss, ns);
	add_path(thread, loss, state == PAUSED_STATE ? PATH_PAUSED : PATH_WAITING, ns);
}

/* Returns when the attempt failed: the time that the runtime passes, or the time of stmlog_failed(), or now. */
static inline uint64_t failed_at_ns(struct stmlog_thread *thread, uint64_t at_ns)
{
	if (at_ns != 0)
		return account_no_earlier(&thread->account, at_ns);
	return STMLOG_UNLIKELY(thread->so_far.failed_ns != 0) ? thread->so_far.failed_ns : off_processor_end_ns(thread);
}

void loss_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct lost_to *to, uint64_t at_ns)
{
	REQUIRES(account_state(&thread->account) == ATTEMPT_STATE);
	/* The account changes while the owner is inside the ledger: a reader sees an abort in both or in neither. */
	struct detour *detour = ledger_enter_loss(&thread->ledger, &thread->account);
	at_ns = failed_at_ns(thread, at_ns);
	uint64_t lost_ns =
		account_settle(&thread->account, at_ns, ABORTED_SLOT + loss->cause.contention, ABORTED_STATE);
	thread_change_so_far(thread)->tries_ns += lost_ns;
	USDT_LOSS(abort, thread, loss, lost_ns);
	record(thread, detour, loss, to, lost_ns, at_ns);
	add_path(thread, loss, PATH_ABORTED, lost_ns);
	if (timeline_is_on())
		loss_event_abort(thread, loss, account_since_ns(&thread->account));
	/* Late, so that the time of recording the loss does not count to the next attempt. */
	if (STMLOG_UNLIKELY(thread->so_far.failed_ns != 0))
		account_look_back(&thread->account, off_processor_end_ns(thread));
	thread->so_far.failed_ns = 0;
	ledger_leave(&thread->ledger);
	attempts_abort(&thread->attempts);
}

/* Returns the innermost site of the other transaction; position 0: not known. */
static struct tb_site other_site(const struct stmlog_loss *loss, const struct tb_copy *copy)
{
	if (copy != NULL)
		return copy->len > 0 ? copy->sites[0] : tb_site_make(0, 0);
	return tb_is_frame(loss->remote) ? tb_frame_site(loss->remote) : tb_site_make(0, 0);
}

static void show_in_the_way(struct in_the_way *shown, const struct stmlog_loss *loss, const struct tb_copy *copy)
{
	struct tb_site site = other_site(loss, copy);
	AO_store(&shown->thread, loss->remote_thread);
	AO_store(&shown->grade, loss->grade);
	STMLOG_STORE_RELAXED(&shown->site.code, site.code);
	STMLOG_STORE_RELAXED(&shown->site.position, site.position);
}

void loss_interrupt(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct tb_copy *remote_copy,
	enum account_slot state)
{
	REQUIRES(!account_is_interruption(account_state(&thread->account)));
	loss_copy(&thread->interruption, loss);
	thread->interruption_remote = remote_copy;
	tb_ref(loss->local);
	tb_ref(loss->remote);
	show_in_the_way(&thread->in_the_way, loss, remote_copy);
	account_interrupt(&thread->account, off_processor_end_ns(thread), state);
	thread->descheduled_before_ns = thread->so_far.descheduled_ns;
	thread->so_far.descheduled_ns = 0;
	if (timeline_is_on())
		loss_event_wait_begin(thread, loss,
			state == OTHER_STATE ? STMLOG_WAIT_FOR_SYNCHRONISATION : loss_event_wait_for(&loss->cause),
			account_since_ns(&thread->account));
}

void loss_resume(struct stmlog_thread *thread, bool makes_entry)
{
	struct stmlog_loss *loss = &thread->interruption;
	enum account_slot state = account_state(&thread->account);
	REQUIRES(account_is_interruption(state));
	struct detour *detour = ledger_enter_loss(&thread->ledger, &thread->account);
	uint64_t now_ns = off_processor_end_ns(thread), lost_ns = account_resume(&thread->account, now_ns);
	const struct lost_to to = {.traceback = thread->interruption_remote};
	if (makes_entry)
		record_slow(thread, detour, loss, &to, lost_ns, now_ns);
	if (state == OTHER_STATE)
		own_work_add(loss->cause.detail, lost_ns);
	thread_change_so_far(thread)->descheduled_ns += thread->descheduled_before_ns;
	add_path_of(thread, loss, state, lost_ns);
	ledger_leave(&thread->ledger);
	if (timeline_is_on())
		loss_event_wait_end(thread, account_since_ns(&thread->account));
	tb_unref(thread->stack, loss->local);
	tb_unref(thread->stack, loss->remote);
}

/* Returns when a wait of `ns` that is reported now was over, as far as the runtime tells. */
static inline uint64_t waited_until_ns(struct stmlog_thread *thread, uint64_t at_ns, uint64_t ns)
{
	uint64_t over_ns = at_ns != 0 ? account_no_earlier(&thread->account, at_ns) : clock_now_ns();
	return off_processor_newest_ns(thread, over_ns, ns);
}

void loss_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct lost_to *to, uint64_t ns,
	enum account_slot state, bool makes_entry)
{
	struct detour *detour = ledger_enter_loss(&thread->ledger, &thread->account);
	uint64_t over_ns = waited_until_ns(thread, loss->at_ns, ns), began_ns = account_since_ns(&thread->account);
	uint64_t lost_ns = account_move_time(&thread->account, over_ns, state, ns);
	if (makes_entry)
		record_slow(thread, detour, loss, to, lost_ns, over_ns);
	add_path_of(thread, loss, state, lost_ns);
	ledger_leave(&thread->ledger);
	if (timeline_is_on()) {
		loss_event_wait_begin(thread, loss, loss_event_wait_for(&loss->cause), began_ns);
		loss_event_wait_end(thread, began_ns + lost_ns);
	}
}
