/* SPDX-License-Identifier: MIT
 * The rare changes of an account, and reading it. */
#include "account.h"

#include "clock.h"

void account_init(struct account *account, uint64_t now_ns)
{
	account_set(account, 0, BUSY_STATE);
	for (unsigned i = 0; i < ACCOUNT_SLOTS; i++) {
		AO_store_release(&account->ns[i], 0);
		AO_store_release(&account->surplus_ns[i], 0);
		AO_store_release(&account->count[i], 0);
	}
	AO_store_release(&account->attached_at_ns, now_ns);
	AO_store_release(&account->shared, 0);
	AO_store_release(&account->unmeasured_commits, 0);
	AO_store_release(&account->unmeasured_aborts, 0);
	account_set(account, now_ns, OUTSIDE_STATE);
}

void account_restart(struct account *account, uint64_t now_ns)
{
	enum account_slot state = account_state(account);
	account_init(account, now_ns);
	account_set(account, now_ns, state);
}

void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t elapsed_ns = now_ns - account_since_ns(account);
	account->resume_state = account_state(account) == ATTEMPT_STATE ? ATTEMPT_STATE : OUTSIDE_STATE;
	account_set(account, 0, BUSY_STATE);
	account_add(&account->ns[account->resume_state], elapsed_ns);
	account_set(account, now_ns, state);
}

uint64_t account_resume(struct account *account, uint64_t now_ns)
{
	now_ns = account_no_earlier(account, now_ns);
	enum account_slot state = account_state(account);
	uint64_t elapsed_ns = now_ns - account_since_ns(account);
	account_set(account, 0, BUSY_STATE);
	account_book(account, state, elapsed_ns);
	account_add(&account->count[state], 1);
	account_set(account, now_ns, account->resume_state);
	return elapsed_ns;
}

uint64_t account_take_out(struct account *account, uint64_t now_ns, enum account_slot state, uint64_t ns)
{
	uint64_t since_ns = account_since_ns(account);
	uint64_t elapsed_ns = account_no_earlier(account, now_ns) - since_ns;
	if (ns > elapsed_ns)
		ns = elapsed_ns;
	account_set(account, 0, BUSY_STATE);
	account_book(account, state, ns);
	account_add(&account->count[state], 1);
	account_add(&account->shared, 1);
	account_set(account, since_ns + ns, ATTEMPT_STATE);
	return ns;
}

/* It began with the clock reading that ended the attempt, so that it costs one reading, not two. */
void account_look_back(struct account *account, uint64_t now_ns)
{
	now_ns = account_no_earlier(account, now_ns);
	uint64_t elapsed_ns = now_ns - account_since_ns(account);
	enum account_slot state = account_state(account);
	account_set(account, 0, BUSY_STATE);
	account_add(
		&account->ns[OTHER_STATE], elapsed_ns); /* without surplus: unmeasured transactions have none of it */
	account_add(&account->count[OTHER_STATE], 1);
	account_add(&account->shared, 1);
	account_set(account, now_ns, state);
}

/* The word does not change, so a reader may see one of the two counts without the other. */
void account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts)
{
	account_add(&account->unmeasured_commits, commits);
	account_add(&account->unmeasured_aborts, aborts);
}

/* ---- reading ---- */

/* A write takes some ten nanoseconds; if the owner is preempted, a time slice. So many tries take far longer. */
#define MOST_TRIES 100000000

/* Acquire: partner of account_set() and account_add(); what is read after it is at least as new. */
static uint64_t get(const volatile AO_t *field)
{
	return AO_load_acquire(field);
}

/* One try. Returns false when the owner wrote meanwhile. */
static bool try_copy(const struct account *account, struct account *copy)
{
	copy->word = get(&account->word);
	if (account_state(copy) == BUSY_STATE)
		return false;
	for (unsigned i = 0; i < ACCOUNT_SLOTS; i++) {
		copy->ns[i] = get(&account->ns[i]);
		copy->surplus_ns[i] = get(&account->surplus_ns[i]);
		copy->count[i] = get(&account->count[i]);
	}
	copy->attached_at_ns = get(&account->attached_at_ns);
	copy->shared = get(&account->shared);
	copy->unmeasured_commits = get(&account->unmeasured_commits);
	copy->unmeasured_aborts = get(&account->unmeasured_aborts);
	return get(&account->word) == copy->word;
}

/* The number of clock readings. Each start, commit and abort reads the clock once, each pause and wait twice. A state
 * that begins with the reading that ended another one, such as a retry, needs one less (`shared`). */
static uint64_t count_events(const struct account *copy)
{
	uint64_t attempts = copy->count[COMMITTED_SLOT], interruptions = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		attempts += copy->count[ABORTED_SLOT + c];
	for (enum account_slot state = PAUSED_STATE; state <= OTHER_STATE; state++)
		interruptions += copy->count[state];
	uint64_t under_way = account_state(copy) == ATTEMPT_STATE;
	return 2 * (attempts + interruptions) + under_way - copy->shared;
}

static uint64_t estimate(const struct account *copy, enum account_slot slot)
{
	return copy->ns[slot] + copy->surplus_ns[slot];
}

static void fill(const struct account *copy, uint64_t now_ns, struct stmlog_account *figures)
{
	uint64_t since_ns = account_since_ns(copy);
	uint64_t running_ns = now_ns > since_ns ? now_ns - since_ns : 0;
	bool is_outside = account_is_outside(copy);
	*figures = (struct stmlog_account){
		.attached_ns = since_ns - copy->attached_at_ns + running_ns,
		.outside_ns = copy->ns[OUTSIDE_STATE] + (is_outside ? running_ns : 0),
		.open_ns = copy->ns[ATTEMPT_STATE] + (is_outside ? 0 : running_ns),
		.committed_ns = copy->ns[COMMITTED_SLOT],
		.paused_ns = copy->ns[PAUSED_STATE],
		.waiting_inevitable_ns = copy->ns[WAITING_INEVITABLE_STATE],
		.waiting_none_ns = copy->ns[WAITING_NONE_STATE],
		.other_ns = copy->ns[OTHER_STATE],
		.commits = copy->count[COMMITTED_SLOT],
		.pauses = copy->count[PAUSED_STATE],
		.waits_inevitable = copy->count[WAITING_INEVITABLE_STATE],
		.waits_none = copy->count[WAITING_NONE_STATE],
		.others = copy->count[OTHER_STATE],
		.events = count_events(copy),
		.unmeasured_commits = copy->unmeasured_commits,
		.unmeasured_aborts = copy->unmeasured_aborts,
		.estimated_committed_ns = estimate(copy, COMMITTED_SLOT),
		.estimated_paused_ns = estimate(copy, PAUSED_STATE),
		.estimated_waiting_inevitable_ns = estimate(copy, WAITING_INEVITABLE_STATE),
		.estimated_waiting_none_ns = estimate(copy, WAITING_NONE_STATE),
		.estimated_other_ns = estimate(copy, OTHER_STATE),
	};
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		figures->aborted_ns[c] = copy->ns[ABORTED_SLOT + c];
		figures->estimated_aborted_ns[c] = estimate(copy, ABORTED_SLOT + c);
		figures->aborts[c] = copy->count[ABORTED_SLOT + c];
	}
}

bool account_read(const struct account *account, struct stmlog_account *figures)
{
	struct account copy;
	for (int tries = 0; tries < MOST_TRIES; tries++) {
		if (try_copy(account, &copy)) {
			fill(&copy, clock_now_ns(), figures);
			return true;
		}
	}
	return false;
}
