/* SPDX-License-Identifier: MIT
 * Puts losses into the timeline. A conflict is an event of its own, before the event that it leads to. */
#include "loss.h"

#include "clock.h"

static struct stmlog_event event_of(
	const struct stmlog_loss *loss, enum stmlog_event_kind kind, unsigned detail, uint64_t at_ns)
{
	return (struct stmlog_event){
		.time_ns = at_ns,
		.argument = loss->object,
		.other = loss->remote_thread,
		.kind = (uint8_t)kind,
		.reason = (uint8_t)loss->cause.reason,
		.contention = (uint8_t)loss->cause.contention,
		.detail = (uint8_t)detail,
	};
}

static void put_loss(struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_event_kind kind,
	unsigned detail, uint64_t at_ns)
{
	struct stmlog_event event = event_of(loss, kind, detail, at_ns);
	timeline_put(thread, &event, loss->local, loss->cause.detail);
}

/* The contention has the time of the event that it leads to: a hook reads the clock once for both. */
static void put_contention(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_event_kind leads_to, uint64_t at_ns)
{
	if (loss->cause.contention != STMLOG_NONE)
		put_loss(thread, loss, STMLOG_EVENT_CONTENTION, leads_to, at_ns);
}

void loss_event_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns)
{
	if (loss->cause.reason == STMLOG_SELF_ABORT)
		put_contention(thread, loss, STMLOG_EVENT_ABORT, at_ns);
	put_loss(thread, loss, STMLOG_EVENT_ABORT, loss->grade, at_ns);
}

void loss_event_abort_other(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	uint64_t now_ns = account_no_earlier(&thread->account, clock_now_ns());
	put_contention(thread, loss, STMLOG_EVENT_ABORT_OTHER, now_ns);
	put_loss(thread, loss, STMLOG_EVENT_ABORT_OTHER, 0, now_ns);
}

void loss_event_inevitable(struct stmlog_thread *thread)
{
	uint64_t now_ns = account_no_earlier(&thread->account, clock_now_ns());
	timeline_put_bare(thread, STMLOG_EVENT_INEVITABLE, now_ns, tb_current(thread->stack));
}

enum stmlog_wait_for loss_event_wait_for(const struct stmlog_cause *cause)
{
	bool is_segment = cause->reason == STMLOG_WAIT && cause->contention == STMLOG_NONE;
	return is_segment ? STMLOG_WAIT_FOR_SEGMENT : STMLOG_WAIT_FOR_OTHER;
}

void loss_event_wait_begin(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_wait_for target, uint64_t at_ns)
{
	if (target == STMLOG_WAIT_FOR_OTHER)
		put_contention(thread, loss, STMLOG_EVENT_WAIT_BEGIN, at_ns);
	put_loss(thread, loss, STMLOG_EVENT_WAIT_BEGIN, target, at_ns);
}

void loss_event_wait_end(struct stmlog_thread *thread, uint64_t at_ns)
{
	timeline_put_bare(thread, STMLOG_EVENT_WAIT_END, at_ns, TB_UNKNOWN);
}
