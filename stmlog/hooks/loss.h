/* SPDX-License-Identifier: MIT
 *
 * The common part of all hooks that report a loss: read the clock, move the account, record the loss.
 */
#ifndef STMLOG_LOSS_H
#define STMLOG_LOSS_H

#include "thread.h"

#include "timeline.h"

/* The other transaction of a loss, as far as the library has found it itself. All zero: not found. */
struct lost_to {
	const struct tb_copy *traceback; /* of an origin; instead of the loss's remote, if not NULL */
	struct culprit culprit;
};

/* Copies member by member. The caller has just stored them so, and a load that is wider than the store of its bytes
 * would wait until the store is in the cache. */
static inline void loss_copy(struct stmlog_loss *to, const struct stmlog_loss *from)
{
#define COPY(member)                                                                          \
	do {                                                                                  \
		__typeof__(to->member) value = from->member;                                  \
		__asm__("" : "+r"(value)); /* so that the compiler does not join the loads */ \
		to->member = value;                                                           \
	} while (0)
	COPY(size);
	COPY(cause.reason);
	COPY(cause.contention);
	COPY(cause.detail);
	COPY(own);
	COPY(other);
	COPY(object);
	COPY(other_object);
	COPY(grade);
	COPY(overlap);
	COPY(at_ns);
	COPY(local);
	COPY(remote);
	COPY(remote_thread);
	COPY(green);
	COPY(remote_green);
#undef COPY
}

_Static_assert(offsetof(struct stmlog_loss, remote_green) + sizeof(uint16_t) == sizeof(struct stmlog_loss),
	"loss_copy() has all members, the last one too");

/* Ends the attempt under way, which failed at `at_ns`; 0: it failed when the runtime called stmlog_failed() or, if it
 * has not, now. `to` may be NULL. Requires that an attempt is under way. */
void loss_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct lost_to *to, uint64_t at_ns);

/* Begins a pause or wait. `remote_copy`, of an origin, replaces loss->remote, if not NULL. Requires that the thread is
 * in no pause or wait. */
void loss_interrupt(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct tb_copy *remote_copy,
	enum account_slot state);

/* Ends the pause or wait. Only if `makes_entry`, the loss goes to the timelogs. Requires loss_interrupt(). */
void loss_resume(struct stmlog_thread *thread, bool makes_entry);

/* Records a pause or wait of `ns` that has just ended. `to` may be NULL. Only if `makes_entry`, the loss goes to the
 * timelogs. */
void loss_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct lost_to *to, uint64_t ns,
	enum account_slot state, bool makes_entry);

/* ---- loss_events.c: losses as events of a timeline. Called by the thread's own hooks, while timeline_is_on() ---- */

/* The attempt under way has aborted. If it found the conflict itself, a contention event comes first. */
void loss_event_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns);

/* The runtime makes the other transaction of the conflict abort. Reads the clock. */
void loss_event_abort_other(struct stmlog_thread *thread, const struct stmlog_loss *loss);

/* The attempt under way has become inevitable. Reads the clock. */
void loss_event_inevitable(struct stmlog_thread *thread);

void loss_event_wait_begin(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_wait_for target, uint64_t at_ns);
void loss_event_wait_end(struct stmlog_thread *thread, uint64_t at_ns);

/* Returns what a wait with this cause waits for. */
enum stmlog_wait_for loss_event_wait_for(const struct stmlog_cause *cause);

#endif
