/* SPDX-License-Identifier: MIT
 *
 * Where the time of one thread went. The owner moves from state to state and
 * books the time of each when it leaves it; any thread may read.
 *
 * One word says where the owner is: when the state under way began, and which one
 * it is. Invariants, whenever the state is not BUSY:
 *   begin of the state - attached_at_ns == sum of ns[];
 *   ns[ATTEMPT_STATE] is what the running attempt had before its last interruption,
 *   and 0 outside of attempts; ns[ABORTED_STATE] is 0, for that time is outside's;
 *   surplus_ns[] is what transactions of others' have cost by the weights of those measured here: 0 for
 *   outside and open time, and everywhere while extra_weight is 0.
 *
 * Reading: the owner makes the word BUSY, stores with release order, and then stores
 * the new word; a reader loads with acquire order between two loads of one word that
 * is not BUSY. The owner never waits; a reader tries again. Stores are never
 * read-modify-write instructions: only the owner writes. Two changes within one
 * nanosecond could leave the same word twice; the reader then may see counts of
 * different moments, but never time that does not add up, since none has passed.
 */
#ifndef STMLOG_ACCOUNT_H
#define STMLOG_ACCOUNT_H

#include <atomic_ops.h>

#include <stmlog/stmlog.h>

/* The first ones are states; the last ones are only booked to. */
enum account_slot {
	OUTSIDE_STATE,
	ABORTED_STATE, /* outside, directly after an abort: a retry may follow */
	ATTEMPT_STATE,
	PAUSED_STATE,
	WAITING_INEVITABLE_STATE,
	WAITING_NONE_STATE,
	OTHER_STATE,
	BUSY_STATE,
	COMMITTED_SLOT,
	ABORTED_SLOT, /* and the further contentions after it */
	ACCOUNT_SLOTS = ABORTED_SLOT + STMLOG_CONTENTIONS
};

#define ACCOUNT_STATE_BITS 3 /* at the bottom of the word; the time is above: good for 73 years */

struct account {
	volatile AO_t word;
	volatile AO_t ns[ACCOUNT_SLOTS];
	volatile AO_t surplus_ns[ACCOUNT_SLOTS];
	volatile AO_t count[ACCOUNT_SLOTS];
	volatile AO_t attached_at_ns;
	volatile AO_t shared; /* clock readings that end one event and begin the next */
	volatile AO_t unmeasured_commits;
	volatile AO_t unmeasured_aborts;
	enum account_slot resume_state; /* owner's own: what a pause or wait goes back to */
	uint32_t extra_weight;          /* owner's own: for how many others each transaction stands */
};

void account_init(struct account *account, uint64_t now_ns);

/* Opens it again in the state it is in, with nothing booked: what a forked child begins with. */
void account_restart(struct account *account, uint64_t now_ns);

/* ---- owner ---- */

static inline enum account_slot account_state(const struct account *account)
{
	return (enum account_slot)(AO_load(&account->word) & ((1u << ACCOUNT_STATE_BITS) - 1));
}

static inline uint64_t account_since_ns(const struct account *account)
{
	return AO_load(&account->word) >> ACCOUNT_STATE_BITS;
}

/* Release: what was booked before is visible with it. Partner: the acquiring loads of account_read(). */
static inline void account_set(struct account *account, uint64_t since_ns, enum account_slot state)
{
	AO_store_release(&account->word, since_ns << ACCOUNT_STATE_BITS | state);
}

static inline void account_add(volatile AO_t *field, AO_t more)
{
	AO_store_release(field, AO_load(field) + more);
}

/* Time that is not outside or open. */
static inline void account_book(struct account *account, enum account_slot slot, uint64_t ns)
{
	account_add(&account->ns[slot], ns);
	if (STMLOG_UNLIKELY(account->extra_weight != 0))
		account_add(&account->surplus_ns[slot], ns * account->extra_weight);
}

static inline bool account_is_outside(const struct account *account)
{
	return account_state(account) <= ABORTED_STATE;
}

/* A clock that went back stands still instead. */
static inline uint64_t account_no_earlier(const struct account *account, uint64_t now_ns)
{
	uint64_t since_ns = account_since_ns(account);
	return STMLOG_LIKELY(now_ns >= since_ns) ? now_ns : since_ns;
}

/* From outside into an attempt. */
static inline void account_start(struct account *account, uint64_t now_ns)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t outside_ns = now_ns - account_since_ns(account);
	account_set(account, 0, BUSY_STATE);
	account_add(&account->ns[OUTSIDE_STATE], outside_ns);
	account_set(account, now_ns, ATTEMPT_STATE);
}

/* The same, at the time of the abort before. */
static inline void account_retry(struct account *account)
{
	account_add(&account->shared, 1);
	account_set(account, account_since_ns(account), ATTEMPT_STATE);
}

/* What the attempt under way has taken, without its pauses and waits. */
static inline uint64_t account_attempt_ns(const struct account *account, uint64_t now_ns)
{
	return account_no_earlier(account, now_ns) - account_since_ns(account) + AO_load(&account->ns[ATTEMPT_STATE]);
}

/* From an attempt to `next` (outside, or aborted): its time goes to `slot`. Returns it. */
static inline uint64_t account_settle(
	struct account *account, uint64_t now_ns, enum account_slot slot, enum account_slot next)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t attempt_ns = account_attempt_ns(account, now_ns);
	account_set(account, 0, BUSY_STATE);
	if (STMLOG_UNLIKELY(AO_load(&account->ns[ATTEMPT_STATE]) != 0))
		AO_store_release(&account->ns[ATTEMPT_STATE], 0);
	account_book(account, slot, attempt_ns);
	account_add(&account->count[slot], 1);
	account_set(account, now_ns, next);
	return attempt_ns;
}

/* Interrupts the current state by a pause or wait, and ends it again: counts it and returns its time. */
void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state);
uint64_t account_resume(struct account *account, uint64_t now_ns);

/* Of the attempt's time since the last change, `ns` were a pause or wait; no more than has passed. Counts it
 * and returns its time. The attempt's own state begins later by as much, so that no reading is needed twice. */
uint64_t account_take_out(struct account *account, uint64_t now_ns, enum account_slot state, uint64_t ns);

/* The time since the abort was the runtime's own. */
void account_look_back(struct account *account, uint64_t now_ns);

void account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts);

/* ---- any thread ---- */

/* The state under way is counted up to now; the figures belong to one instant. Returns false when the
 * owner was writing at every try: it stopped in the middle, since the caller is a signal handler on its
 * back. */
bool account_read(const struct account *account, struct stmlog_account *figures);

#endif
