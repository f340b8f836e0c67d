/* SPDX-License-Identifier: MIT
 * Booking time, so that none is lost and none is counted twice. */
#include "account.h"

#include "clock.h"

/* Partner: account_read(), which sees seq odd or changed whenever it sees half of what comes between. */
static void begin_write(struct account *account)
{
	AO_store(&account->seq, AO_load(&account->seq) + 1);
}

static void end_write(struct account *account)
{
	AO_store_release(&account->seq, AO_load(&account->seq) + 1);
}

/* Release: no store of this writing passes before the odd seq (partner: the acquiring loads of account_read()). */
static void put(volatile AO_t *field, AO_t value)
{
	AO_store_release(field, value);
}

static void add(volatile AO_t *field, AO_t more)
{
	put(field, AO_load(field) + more);
}

/* Books the time since the last reading to the current state. A clock that went back stands still instead. */
static uint64_t book(struct account *account, uint64_t now_ns)
{
	uint64_t since_ns = AO_load(&account->since_ns);
	if (STMLOG_UNLIKELY(now_ns < since_ns))
		now_ns = since_ns;
	add(&account->ns[AO_load(&account->state)], now_ns - since_ns);
	put(&account->since_ns, now_ns);
	add(&account->events, 1);
	return now_ns - since_ns;
}

void account_open(struct account *account, uint64_t now_ns)
{
	begin_write(account);
	put(&account->state, OUTSIDE_STATE);
	put(&account->since_ns, now_ns);
	put(&account->attached_at_ns, now_ns);
	put(&account->events, 0);
	for (unsigned i = 0; i < ACCOUNT_SLOTS; i++) {
		put(&account->ns[i], 0);
		put(&account->count[i], 0);
	}
	put(&account->unmeasured_commits, 0);
	put(&account->unmeasured_aborts, 0);
	end_write(account);
}

void account_move(struct account *account, uint64_t now_ns, enum account_slot next)
{
	begin_write(account);
	book(account, now_ns);
	put(&account->state, next);
	end_write(account);
}

void account_retry(struct account *account)
{
	begin_write(account);
	put(&account->state, ATTEMPT_STATE);
	end_write(account);
}

uint64_t account_settle(struct account *account, uint64_t now_ns, enum account_slot slot)
{
	begin_write(account);
	book(account, now_ns);
	uint64_t attempt_ns = AO_load(&account->ns[ATTEMPT_STATE]);
	put(&account->ns[ATTEMPT_STATE], 0);
	add(&account->ns[slot], attempt_ns);
	add(&account->count[slot], 1);
	put(&account->state, OUTSIDE_STATE);
	end_write(account);
	return attempt_ns;
}

void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state)
{
	account->resume_state = AO_load(&account->state);
	account_move(account, now_ns, state);
}

uint64_t account_resume(struct account *account, uint64_t now_ns)
{
	begin_write(account);
	uint64_t interrupted_ns = book(account, now_ns);
	add(&account->count[AO_load(&account->state)], 1);
	put(&account->state, account->resume_state);
	end_write(account);
	return interrupted_ns;
}

void account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts)
{
	begin_write(account);
	add(&account->unmeasured_commits, commits);
	add(&account->unmeasured_aborts, aborts);
	end_write(account);
}

/* A write takes some ten nanoseconds, and one that is preempted a time slice at most: this is far beyond both. */
#define MOST_TRIES 100000000

/* Acquire: partner of put(); what is read after it is at least as new. */
static uint64_t get(const volatile AO_t *field)
{
	return AO_load_acquire(field);
}

/* One try; returns false when the owner wrote meanwhile. */
static bool try_copy(const struct account *account, struct account *copy)
{
	AO_t seq = get(&account->seq);
	copy->state = get(&account->state);
	copy->since_ns = get(&account->since_ns);
	copy->attached_at_ns = get(&account->attached_at_ns);
	copy->events = get(&account->events);
	for (unsigned i = 0; i < ACCOUNT_SLOTS; i++) {
		copy->ns[i] = get(&account->ns[i]);
		copy->count[i] = get(&account->count[i]);
	}
	copy->unmeasured_commits = get(&account->unmeasured_commits);
	copy->unmeasured_aborts = get(&account->unmeasured_aborts);
	return seq % 2 == 0 && AO_load(&account->seq) == seq;
}

static void fill(const struct account *copy, uint64_t now_ns, struct stmlog_account *figures)
{
	uint64_t running_ns = now_ns > copy->since_ns ? now_ns - copy->since_ns : 0;
	bool is_outside = copy->state == OUTSIDE_STATE;
	*figures = (struct stmlog_account){
		.attached_ns = copy->since_ns - copy->attached_at_ns + running_ns,
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
		.events = copy->events,
		.unmeasured_commits = copy->unmeasured_commits,
		.unmeasured_aborts = copy->unmeasured_aborts,
	};
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		figures->aborted_ns[c] = copy->ns[ABORTED_SLOT + c];
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
