/* SPDX-License-Identifier: MIT
 *
 * An account: where the time of one thread went. The owner, that thread, is in one state
 * at a time. When it leaves a state, it adds the time of the state to a slot. Any
 * thread may read.
 *
 * One word has the state under way and the time when it began, without the clock's upper
 * four bits: CLOCK_REALTIME has more than 60. So the time since is right whatever the
 * clock shows, unless a state lasts for 18 years. (Times of events: unless a thread stays
 * attached for 36.)
 * Invariants, whenever the state is not BUSY:
 *   begin of the state - attached_at_ns - idle_ns == sum of ns[], where an idle account's state is that of `held`;
 *   ns[ATTEMPT_STATE] is the time of the running attempt before its last interruption,
 *   and 0 outside of attempts; ns[ABORTED_STATE] is 0, because that time belongs to
 *   OUTSIDE_STATE.
 * Where not all transactions are measured, `sampled` has sums besides (sampled.h), and account_estimate.h makes
 * estimates of both.
 *
 * Reading: the owner stores BUSY into the word, then the other fields with release order,
 * then the new word. A reader loads the fields with acquire order between two loads of
 * the word, which must be equal and not BUSY. Otherwise it tries again; the owner never
 * waits. The owner needs no read-modify-write instructions, because it alone writes.
 * Two changes within one nanosecond may leave the same word twice. Then a reader may see
 * counts of different moments. But times still add up, because no time has passed.
 */
#ifndef STMLOG_ACCOUNT_H
#define STMLOG_ACCOUNT_H

#include <atomic_ops.h>

#include <stmlog/format.h>
#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "account_estimate.h"
#include "check.h"
#include "sampled.h"

#define ACCOUNT_STATE_BITS 4 /* at the bottom of the word; the lower 60 bits of the time are above */
#define ACCOUNT_STATE_MASK ((UINT64_C(1) << ACCOUNT_STATE_BITS) - 1)

struct account {
	volatile AO_t word;
	volatile AO_t ns[ACCOUNT_SLOTS];
	volatile AO_t count[ACCOUNT_SLOTS];
	volatile AO_t attached_at_ns;
	volatile AO_t idle_ns; /* time in IDLE_STATE since then, without an idle time under way */
	volatile AO_t held;    /* `word` of the state that goes on when an idle lane is claimed */
	volatile AO_t shared;  /* clock readings that were saved: one reading ended a state and began the next */
	volatile AO_t descheduled_doubt_ns;
	volatile AO_t blocked_in_vain; /* of count[BLOCKED_STATE]: times that ended with a futile wake */
	/* Of transactions without a thread: not a part of ns[]. */
	volatile AO_t unattached_ns, unattached, unattached_in_vain;
	struct sampled sampled;
	enum account_slot resume_state; /* used by the owner only: the state after a pause or wait */
	/* stmlog_unmeasured_reader *, and its argument, which is stored before it; 0: none. The owner stores them, any
	 * thread calls the reader. */
	volatile AO_t reader;
	volatile AO_t reader_arg;
};

/* Makes an empty account in OUTSIDE_STATE, without a weight, and without a reader of unmeasured transactions. */
void account_init(struct account *account, uint64_t now_ns);

/* The same in IDLE_STATE. The account is in OUTSIDE_STATE when it is claimed. */
void account_init_idle(struct account *account, uint64_t now_ns);

/* Empties the account and keeps its state, its weight and its reader, for a forked child. */
void account_restart(struct account *account, uint64_t now_ns);

/* ---- owner ---- */

/* The owner's load needs no order. It is no AO_load(): gcc would keep the pointer that AO_load() gets in a register
 * from the beginning to the end of a hook, and the hook would save one register more. */
static inline AO_t account_word(const struct account *account)
{
	return account->word;
}

static inline enum account_slot account_state(const struct account *account)
{
	return (enum account_slot)(account_word(account) & ACCOUNT_STATE_MASK);
}

static inline bool account_is_idle(const struct account *account)
{
	return account_state(account) == IDLE_STATE;
}

/* Whether the state is a pause, a wait or the runtime's own work: then the thread's record holds tracebacks of it. It
 * holds no tracebacks of a blocked transaction. */
static inline bool account_is_interruption(enum account_slot state)
{
	return state >= PAUSED_STATE && state <= OTHER_STATE;
}

/* The time since the last change, shifted by ACCOUNT_STATE_BITS; as a signed number below 0 if the clock went back. */
static inline uint64_t account_shifted_ns(const struct account *account, uint64_t now_ns)
{
	return (now_ns << ACCOUNT_STATE_BITS) - (account_word(account) & ~ACCOUNT_STATE_MASK);
}

/* The same in nanoseconds. Requires that the clock did not go back (account_no_earlier()). */
static inline uint64_t account_elapsed_ns(const struct account *account, uint64_t now_ns)
{
	REQUIRES((int64_t)account_shifted_ns(account, now_ns) >= 0);
	return account_shifted_ns(account, now_ns) >> ACCOUNT_STATE_BITS;
}

/* The time of the last change, with the upper bits that it has had since the thread attached. */
static inline uint64_t account_since_ns(const struct account *account)
{
	uint64_t attached_ns = AO_load(&account->attached_at_ns);
	return attached_ns + ((AO_load(&account->word) - (attached_ns << ACCOUNT_STATE_BITS)) >> ACCOUNT_STATE_BITS);
}

/* Release: all stores before are visible with it. Partner: the acquiring loads of account_read(). */
static inline void account_set(struct account *account, uint64_t since_ns, enum account_slot state)
{
	AO_store_release(&account->word, since_ns << ACCOUNT_STATE_BITS | state);
}

/* Adds time to a slot, and its surplus. Not for OUTSIDE_STATE and ATTEMPT_STATE, which have no surplus. */
static inline void account_book(struct account *account, enum account_slot slot, uint64_t ns)
{
	account_add(&account->ns[slot], ns);
	if (STMLOG_UNLIKELY(account->sampled.extra_weight != 0))
		sampled_weigh(&account->sampled, slot, ns);
}

static inline bool account_is_outside(const struct account *account)
{
	return account_state(account) <= ABORTED_STATE;
}

/* Returns the time of the last change. Called if a clock reading is earlier than that. Out of line, so that the usual
 * path has a branch, which is predicted, and no conditional move, which waits for the reading. */
__attribute__((cold)) uint64_t account_at_last_change_ns(const struct account *account, uint64_t now_ns);

/* Returns `now_ns` or, if the clock went back, the time of the last change. */
static inline uint64_t account_no_earlier(const struct account *account, uint64_t now_ns)
{
	if (STMLOG_UNLIKELY((int64_t)account_shifted_ns(account, now_ns) < 0))
		now_ns = account_at_last_change_ns(account, now_ns);
	return now_ns;
}

/* Returns the time of the last change, which is later than `now_ns`, a reading of the clock. But if the last change was
 * the beginning of an attempt, at a time in the future (stmlog_start_at()), moves the beginning to `now_ns`, subtracts
 * the time that has not passed from OUTSIDE_STATE, and returns `now_ns`. */
__attribute__((cold)) uint64_t account_move_begin(struct account *account, uint64_t now_ns);

/* As account_no_earlier(), for an attempt that ends or is interrupted at `now_ns`, a reading of the clock. */
static inline uint64_t account_end_ns(struct account *account, uint64_t now_ns)
{
	if (STMLOG_UNLIKELY((int64_t)account_shifted_ns(account, now_ns) < 0))
		now_ns = account_move_begin(account, now_ns);
	return now_ns;
}

/* account_no_earlier() or, if an attempt ends, account_end_ns(), and account_elapsed_ns() by one look at the word; the
 * time goes to *now_ns. */
static inline uint64_t account_elapsed_until(struct account *account, uint64_t *now_ns, bool ends_attempt)
{
	uint64_t shifted_ns = account_shifted_ns(account, *now_ns);
	if (STMLOG_UNLIKELY((int64_t)shifted_ns < 0)) {
		*now_ns = ends_attempt ? account_move_begin(account, *now_ns)
				       : account_at_last_change_ns(account, *now_ns);
		shifted_ns = 0;
	}
	return shifted_ns >> ACCOUNT_STATE_BITS;
}

/* From OUTSIDE_STATE or ABORTED_STATE into an attempt. */
static inline void account_start(struct account *account, uint64_t now_ns)
{
	uint64_t outside_ns = account_elapsed_until(account, &now_ns, false);
	account_set(account, 0, BUSY_STATE);
	account_add(&account->ns[OUTSIDE_STATE], outside_ns);
	if (STMLOG_UNLIKELY(account->sampled.extra_weight != 0) && account->sampled.has_windows == 0)
		sampled_begin(&account->sampled);
	account_set(account, now_ns, ATTEMPT_STATE);
}

/* From ABORTED_STATE into the next attempt, which begins at the time of the last change: the abort, or the end of a
 * pause or wait behind it. */
static inline void account_retry(struct account *account)
{
	account_add(&account->shared, 1);
	AO_store_release(&account->word, (account_word(account) & ~ACCOUNT_STATE_MASK) | ATTEMPT_STATE);
}

/* The time of the attempt under way, without its pauses and waits, which ends at *now_ns: a reading of the clock; or a
 * time that the runtime has given, after account_no_earlier(). An earlier time is put right. */
static inline uint64_t account_attempt_ns(struct account *account, uint64_t *now_ns)
{
	return account_elapsed_until(account, now_ns, true) + AO_load(&account->ns[ATTEMPT_STATE]);
}

/* From an attempt to the state `next`. Adds the attempt's time to `slot`. Both times are those of account_attempt_ns().
 */
static inline void account_settle_by(
	struct account *account, uint64_t now_ns, uint64_t attempt_ns, enum account_slot slot, enum account_slot next)
{
	account_set(account, 0, BUSY_STATE);
	if (STMLOG_UNLIKELY(AO_load(&account->ns[ATTEMPT_STATE]) != 0))
		AO_store_release(&account->ns[ATTEMPT_STATE], 0);
	account_book(account, slot, attempt_ns);
	account_add(&account->count[slot], 1);
	account_set(account, now_ns, next);
}

/* The same at `now_ns`, as for account_attempt_ns(). Returns the attempt's time. */
static inline uint64_t account_settle(
	struct account *account, uint64_t now_ns, enum account_slot slot, enum account_slot next)
{
	uint64_t attempt_ns = account_attempt_ns(account, &now_ns);
	account_settle_by(account, now_ns, attempt_ns, slot, next);
	return attempt_ns;
}

/* From the present state to a pause or wait. */
void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state);

/* From a pause or wait back to the state before. Counts it, and returns its time. */
uint64_t account_resume(struct account *account, uint64_t now_ns);

/* From a pause or wait whose end is missing to the state `next`, OUTSIDE_STATE or ABORTED_STATE. Its time, and that of
 * the attempt that it interrupts, goes to OTHER_STATE, counted once and without surplus. */
void account_abandon(struct account *account, uint64_t now_ns, enum account_slot next);

/* Moves the time of a pause or wait that is over from the state under way to `state`: `ns`, but not more than the time
 * since the last change. Counts the pause or wait, and returns its time. The state under way then begins later by that
 * time. */
uint64_t account_move_time(struct account *account, uint64_t now_ns, enum account_slot state, uint64_t ns);

/* Adds the time since the last change to OTHER_STATE: in this time the runtime has reported an abort or commit. */
void account_look_back(struct account *account, uint64_t now_ns);

/* Moves the time off the processor from the present state to DESCHEDULED_SLOT: `ns`, but not more than the time since
 * the last change. Counts it, and returns its time. The state then begins later by that time. */
uint64_t account_deschedule(struct account *account, uint64_t now_ns, uint64_t ns, uint64_t doubt_ns);

/* From any other state to IDLE_STATE, and back: the former state goes on, as if no time had passed. */
void account_release(struct account *account, uint64_t now_ns);
void account_claim(struct account *account, uint64_t now_ns);

/* A window with a weight has ended (sampled.h). */
void account_end_window(struct account *account);

/* Adds a transaction that was only timed. */
void account_add_timed(struct account *account, const struct stmlog_timed_transaction *timed);

/* Counts the wake that ended the last time in BLOCKED_STATE as futile: the transaction blocks again before it commits.
 */
void account_add_futile_wake(struct account *account);

/* Adds the time for which a transaction without a thread was blocked. */
void account_add_unattached(struct account *account, uint64_t ns, bool is_futile);

/* Adds counts of transactions that were not measured. Returns false if one of them is at its highest value now. */
bool account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts);

/* From now on account_read() adds the counts that `read` returns; NULL: none. */
void account_read_unmeasured_by(struct account *account, stmlog_unmeasured_reader *read, void *arg);

/* Returns the sums of the attempts that have ended. */
struct stmlog_attempts account_measured(const struct account *account);

/* Returns the number of clock readings. Each start, commit and abort reads the clock once, each pause and wait twice,
 * each time off the processor, claim and release once. A state that begins with the reading that ended another one,
 * such as a retry, needs one less (`shared`). Of a copy, too. */
uint64_t account_events(const struct account *account);

/* ---- any thread ---- */

/* Reads the figures of one instant, and makes estimates of them. The state under way counts up to now. Returns false
 * when the owner was writing at every try: the caller is a signal handler that has interrupted the owner's write. */
bool account_read(const struct account *account, struct stmlog_account *figures, struct account_spread *spread);

/* The same for an account whose owner has ended, perhaps while it wrote. Changes the account, which is of no use until
 * account_init(), instead of a copy: an ending thread would touch one page more of its stack for that. No
 * other thread may read the account meanwhile. */
void account_read_last(struct account *account, struct stmlog_account *figures, struct account_spread *spread);

#endif
