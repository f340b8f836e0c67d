/* SPDX-License-Identifier: MIT
 * Changes an account in rare cases, and reads it. */
#include "account.h"

#include "clock.h"
#include "locks.h"

/* The words that readers copy besides `word` itself are contiguous, from `ns` up to sampled.running_ns. */
enum { WORDS = (offsetof(struct account, sampled.running_ns) - offsetof(struct account, ns)) / sizeof(AO_t) };

static volatile AO_t *words_of(const struct account *account)
{
	return (volatile AO_t *)(uintptr_t)((const char *)account + offsetof(struct account, ns));
}

uint64_t account_at_last_change_ns(const struct account *account, uint64_t now_ns)
{
	/* Divides a signed number, because the clock may have gone back. */
	return now_ns - (uint64_t)((int64_t)account_shifted_ns(account, now_ns) / (INT64_C(1) << ACCOUNT_STATE_BITS));
}

void account_init(struct account *account, uint64_t now_ns)
{
	account_set(account, 0, BUSY_STATE);
	for (size_t i = 0; i < WORDS; i++)
		AO_store_release(&words_of(account)[i], 0);
	account->sampled.extra_weight = 0;
	AO_store_release(&account->attached_at_ns, now_ns);
	AO_store(&account->reader, 0);
	account_set(account, now_ns, OUTSIDE_STATE);
}

void account_init_idle(struct account *account, uint64_t now_ns)
{
	account_init(account, now_ns);
	AO_store(&account->held, AO_load(&account->word));
	account_set(account, now_ns, IDLE_STATE);
}

void account_restart(struct account *account, uint64_t now_ns)
{
	enum account_slot state = account_state(account);
	AO_t reader = AO_load(&account->reader);
	uint32_t extra_weight = account->sampled.extra_weight;
	account_init(account, now_ns);
	AO_store(&account->reader, reader);
	account->sampled.extra_weight = extra_weight;
	account_set(account, now_ns, state);
}

uint64_t account_move_begin(struct account *account, uint64_t now_ns)
{
	uint64_t began_ns = account_at_last_change_ns(account, now_ns), ahead_ns = began_ns - now_ns;
	uint64_t outside_ns = AO_load(&account->ns[OUTSIDE_STATE]);
	bool has_just_begun = account_state(account) == ATTEMPT_STATE && AO_load(&account->ns[ATTEMPT_STATE]) == 0;
	if (!has_just_begun || ahead_ns > outside_ns)
		return began_ns;
	account_set(account, 0, BUSY_STATE);
	AO_store_release(&account->ns[OUTSIDE_STATE], outside_ns - ahead_ns);
	account_set(account, now_ns, ATTEMPT_STATE);
	return now_ns;
}

void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state)
{
	now_ns = account_end_ns(account, now_ns);
	uint64_t elapsed_ns = account_elapsed_ns(account, now_ns);
	account->resume_state = account_state(account);
	account_set(account, 0, BUSY_STATE);
	account_add(&account->ns[account->resume_state == ATTEMPT_STATE ? ATTEMPT_STATE : OUTSIDE_STATE], elapsed_ns);
	account_set(account, now_ns, state);
}

uint64_t account_resume(struct account *account, uint64_t now_ns)
{
	now_ns = account_no_earlier(account, now_ns);
	enum account_slot state = account_state(account);
	uint64_t elapsed_ns = account_elapsed_ns(account, now_ns);
	account_set(account, 0, BUSY_STATE);
	account_book(account, state, elapsed_ns);
	account_add(&account->count[state], 1);
	account_set(account, now_ns, account->resume_state);
	return elapsed_ns;
}

void account_abandon(struct account *account, uint64_t now_ns, enum account_slot next)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t abandoned_ns = AO_load(&account->ns[ATTEMPT_STATE]) + account_elapsed_ns(account, now_ns);
	account_set(account, 0, BUSY_STATE);
	AO_store_release(&account->ns[ATTEMPT_STATE], 0);
	account_add(&account->ns[OTHER_STATE], abandoned_ns);
	account_add(&account->count[OTHER_STATE], 1);
	account_set(account, now_ns, next);
}

uint64_t account_move_time(struct account *account, uint64_t now_ns, enum account_slot state, uint64_t ns)
{
	uint64_t since_ns = account_since_ns(account);
	uint64_t elapsed_ns = account_elapsed_ns(account, account_no_earlier(account, now_ns));
	enum account_slot under_way = account_state(account);
	if (ns > elapsed_ns)
		ns = elapsed_ns;
	account_set(account, 0, BUSY_STATE);
	account_book(account, state, ns);
	account_add(&account->count[state], 1);
	account_add(&account->shared, 1);
	account_set(account, since_ns + ns, under_way);
	return ns;
}

/* The added time began with the clock reading that ended the attempt. So it needs one reading more, not two. */
void account_look_back(struct account *account, uint64_t now_ns)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t elapsed_ns = account_elapsed_ns(account, now_ns);
	enum account_slot state = account_state(account);
	account_set(account, 0, BUSY_STATE);
	/* Not account_book(): unmeasured transactions have no such time, so it has no surplus. */
	account_add(&account->ns[OTHER_STATE], elapsed_ns);
	account_add(&account->count[OTHER_STATE], 1);
	account_add(&account->shared, 1);
	account_set(account, now_ns, state);
}

uint64_t account_deschedule(struct account *account, uint64_t now_ns, uint64_t ns, uint64_t doubt_ns)
{
	uint64_t since_ns = account_since_ns(account);
	uint64_t elapsed_ns = account_elapsed_ns(account, account_no_earlier(account, now_ns));
	enum account_slot state = account_state(account);
	if (ns > elapsed_ns)
		ns = elapsed_ns;
	account_set(account, 0, BUSY_STATE);
	account_add(&account->ns[DESCHEDULED_SLOT], ns);
	account_add(&account->count[DESCHEDULED_SLOT], 1);
	account_add(&account->descheduled_doubt_ns, doubt_ns < ns ? doubt_ns : ns);
	account_set(account, since_ns + ns, state);
	return ns;
}

/* ---- blocked transactions: the word does not change, so a reader may see some of these counts without the others ----
 */

void account_add_futile_wake(struct account *account)
{
	account_add(&account->blocked_in_vain, 1);
}

void account_add_unattached(struct account *account, uint64_t ns, bool is_futile)
{
	account_add_saturated(&account->unattached_ns, ns);
	account_add(&account->unattached, 1);
	account_add(&account->unattached_in_vain, is_futile);
}

/* ---- idle lanes ---- */

void account_release(struct account *account, uint64_t now_ns)
{
	AO_t word = AO_load(&account->word);
	now_ns = account_no_earlier(account, now_ns);
	account_set(account, 0, BUSY_STATE);
	AO_store_release(&account->held, word);
	account_add(&account->count[IDLE_STATE], 1);
	account_set(account, now_ns, IDLE_STATE);
}

void account_claim(struct account *account, uint64_t now_ns)
{
	AO_t held = AO_load(&account->held);
	uint64_t idle_ns = account_elapsed_ns(account, account_no_earlier(account, now_ns));
	account_set(account, 0, BUSY_STATE);
	account_add(&account->idle_ns, idle_ns);
	account_add(&account->count[IDLE_STATE], 1);
	AO_store_release(&account->word, held + (idle_ns << ACCOUNT_STATE_BITS));
}

/* ---- transactions that were not measured ---- */

void account_add_timed(struct account *account, const struct stmlog_timed_transaction *timed)
{
	AO_t word = AO_load(&account->word);
	account_set(account, 0, BUSY_STATE);
	sampled_add_timed(&account->sampled, timed);
	AO_store_release(&account->word, word);
}

void account_end_window(struct account *account)
{
	AO_t word = AO_load(&account->word);
	account_set(account, 0, BUSY_STATE);
	sampled_end_window(&account->sampled);
	AO_store_release(&account->word, word);
}

bool account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts)
{
	return sampled_add_unmeasured(&account->sampled, commits, aborts);
}

void account_read_unmeasured_by(struct account *account, stmlog_unmeasured_reader *read, void *arg)
{
	AO_store(&account->reader_arg, (AO_t)arg);
	AO_store_release(&account->reader, (AO_t)read); /* partner: add_unmeasured() */
}

/* ---- reading ---- */

/* A write takes some ten nanoseconds or, if the owner is preempted, a time slice. So many tries take far longer. */
#define MAX_TRIES 100000000

/* Acquire; partner: account_set() and account_add(). Words that are read afterwards are at least as new. */
static uint64_t get(const volatile AO_t *field)
{
	return AO_load_acquire(field);
}

/* Tries once to copy the account. Returns false if the owner wrote meanwhile. */
static bool try_copy(const struct account *account, struct account *copy)
{
	copy->word = get(&account->word);
	if (account_state(copy) == BUSY_STATE)
		return false;
	for (size_t i = 0; i < WORDS; i++)
		words_of(copy)[i] = get(&words_of(account)[i]);
	return get(&account->word) == copy->word;
}

uint64_t account_events(const struct account *account)
{
	uint64_t attempts = AO_load(&account->count[COMMITTED_SLOT]), interruptions = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		attempts += AO_load(&account->count[ABORTED_SLOT + c]);
	for (enum account_slot state = PAUSED_STATE; state <= BLOCKED_STATE; state++)
		interruptions += AO_load(&account->count[state]);
	uint64_t under_way = account_state(account) == ATTEMPT_STATE;
	return 2 * (attempts + interruptions) + AO_load(&account->count[DESCHEDULED_SLOT]) +
	       AO_load(&account->count[IDLE_STATE]) + under_way - AO_load(&account->shared);
}

static void fill(const struct account *copy, uint64_t now_ns, struct stmlog_account *figures)
{
	uint64_t since_ns = account_at_last_change_ns(copy, now_ns);
	uint64_t running_ns = (int64_t)(now_ns - since_ns) > 0 ? now_ns - since_ns : 0; /* the clock may wrap */
	bool is_outside = account_is_outside(copy);
	*figures = (struct stmlog_account){
		.attached_ns = since_ns - copy->attached_at_ns - copy->idle_ns + running_ns,
		.outside_ns = copy->ns[OUTSIDE_STATE] + (is_outside ? running_ns : 0),
		.open_ns = copy->ns[ATTEMPT_STATE] + (is_outside ? 0 : running_ns),
		.committed_ns = copy->ns[COMMITTED_SLOT],
		.paused_ns = copy->ns[PAUSED_STATE],
		.waiting_inevitable_ns = copy->ns[WAITING_INEVITABLE_STATE],
		.waiting_none_ns = copy->ns[WAITING_NONE_STATE],
		.other_ns = copy->ns[OTHER_STATE],
		.blocked_ns = copy->ns[BLOCKED_STATE],
		.descheduled_ns = copy->ns[DESCHEDULED_SLOT],
		.commits = copy->count[COMMITTED_SLOT],
		.pauses = copy->count[PAUSED_STATE],
		.waits_inevitable = copy->count[WAITING_INEVITABLE_STATE],
		.waits_none = copy->count[WAITING_NONE_STATE],
		.others = copy->count[OTHER_STATE],
		.blocked = copy->count[BLOCKED_STATE],
		.blocked_in_vain = copy->blocked_in_vain,
		.descheduled = copy->count[DESCHEDULED_SLOT],
		.events = account_events(copy),
		.unmeasured_commits = copy->sampled.unmeasured_commits,
		.unmeasured_aborts = copy->sampled.unmeasured_aborts,
		.blocked_unattached_ns = copy->unattached_ns,
		.blocked_unattached = copy->unattached,
		.blocked_unattached_in_vain = copy->unattached_in_vain,
	};
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		figures->aborted_ns[c] = copy->ns[ABORTED_SLOT + c];
		figures->aborts[c] = copy->count[ABORTED_SLOT + c];
	}
}

/* Returns the time up to which the copy's state lasts: now. For an idle lane, sets the state that the lane held, and
 * returns the time of its release. */
static uint64_t now_of(struct account *copy)
{
	if (account_state(copy) != IDLE_STATE)
		return clock_now_ns();
	uint64_t released_ns = account_since_ns(copy);
	copy->word = copy->held;
	return released_ns;
}

/* Adds the counts that the account's reader of unmeasured transactions returns. Returns whether these are all. */
static bool add_unmeasured(const struct account *account, struct account *copy)
{
	struct stmlog_unmeasured_counts counts = {.commits = 0};
	stmlog_unmeasured_reader *read = (stmlog_unmeasured_reader *)AO_load_acquire(&account->reader);
	bool is_whole = read == NULL || read((void *)AO_load(&account->reader_arg), &counts);
	account_add_unmeasured(copy, counts.commits, counts.aborts);
	AO_store(&copy->sampled.unmeasured_aborted_ns, counts.aborted_ns);
	return is_whole;
}

/* Copies the account of an owner that was killed while it wrote. The sums are copied as they are, and the thread counts
 * as outside from the end of the time that they add up to. */
static void copy_abandoned(const struct account *account, struct account *copy)
{
	uint64_t booked_ns = get(&account->idle_ns);
	for (size_t i = 0; i < WORDS; i++)
		words_of(copy)[i] = get(&words_of(account)[i]);
	for (size_t slot = 0; slot < ACCOUNT_SLOTS; slot++)
		booked_ns += copy->ns[slot];
	account_set(copy, copy->attached_at_ns + booked_ns, OUTSIDE_STATE);
}

/* Returns false if the owner was writing at every try. */
static bool copy_whole(const struct account *account, struct account *copy)
{
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		if (try_copy(account, copy))
			return true;
		if (locks_are_abandoned()) {
			copy_abandoned(account, copy);
			return true;
		}
	}
	return false;
}

/* `counts_of`: the account that `copy` was copied from. */
static void read_copy(const struct account *counts_of, struct account *copy, struct stmlog_account *figures,
	struct account_spread *spread)
{
	bool is_whole = add_unmeasured(counts_of, copy);
	fill(copy, now_of(copy), figures);
	estimate_rows(figures, &copy->sampled, copy->descheduled_doubt_ns, spread);
	spread->uncounted = !is_whole;
}

bool account_read(const struct account *account, struct stmlog_account *figures, struct account_spread *spread)
{
	struct account copy;
	if (!copy_whole(account, &copy)) {
		*figures = (struct stmlog_account){0};
		*spread = (struct account_spread){.timed = 0};
		return false;
	}
	read_copy(account, &copy, figures, spread);
	return true;
}

struct stmlog_attempts account_measured(const struct account *account)
{
	struct stmlog_attempts measured = {get(&account->count[COMMITTED_SLOT]), 0, get(&account->ns[COMMITTED_SLOT])};
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		measured.aborts += get(&account->count[ABORTED_SLOT + c]);
		measured.time_ns += get(&account->ns[ABORTED_SLOT + c]);
	}
	return measured;
}

void account_read_last(struct account *account, struct stmlog_account *figures, struct account_spread *spread)
{
	if (account_state(account) == BUSY_STATE)
		copy_abandoned(account, account);
	read_copy(account, account, figures, spread);
}
