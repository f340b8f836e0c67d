/* SPDX-License-Identifier: MIT
 * Finds the transactions, pauses and waits that are under way: first by the runtimes' callbacks, for transactions that
 * no hook has reported; then by the threads' accounts. An account is read while its thread goes on. It counts only if
 * its word is the same before and after the other members are read: then these belong to the state in the word. */
#include "sections.h"

#include <stmlog/format.h>

#include "clock.h"
#include "registry.h"
#include "session.h"

_Static_assert(sizeof(struct stmlog_open_record) == 32, "the format's records have no hidden padding");

/* Shorter ones are left out: each snapshot would find some. */
#define MIN_NS 1000000
enum { UNDER_WAY_MAX = 64 };

/* At most one for a thread. */
struct under_way {
	struct stmlog_open_transaction all[UNDER_WAY_MAX];
	size_t len;
	uint64_t now_ns;
};

/* ---- finding ---- */

/* Returns false if a thread in this state is in no transaction. */
static bool kind_of(enum account_slot state, enum stmlog_open_kind *kind)
{
	switch (state) {
	case ATTEMPT_STATE:
		*kind = STMLOG_OPEN_TRANSACTION;
		return true;
	case PAUSED_STATE:
		*kind = STMLOG_OPEN_PAUSE;
		return true;
	case WAITING_INEVITABLE_STATE:
	case WAITING_NONE_STATE:
		*kind = STMLOG_OPEN_WAIT;
		return true;
	default:
		return false;
	}
}

static struct tb_site loaded(const struct tb_site *site)
{
	return tb_site_make(STMLOG_LOAD_RELAXED(&site->code), STMLOG_LOAD_RELAXED(&site->position));
}

/* Returns false if nothing is under way on the thread, or not for MIN_NS, or if that has just changed. */
static bool read_account(struct stmlog_open_transaction *open, const struct stmlog_thread *thread, uint64_t now_ns)
{
	const struct account *account = &thread->account;
	AO_t word = AO_load_acquire(&account->word); /* partner: account_set() */
	enum account_slot state = (enum account_slot)(word & ACCOUNT_STATE_MASK);
	*open = (struct stmlog_open_transaction){.thread = (uint32_t)AO_load(&thread->id)};
	if (!kind_of(state, &open->kind))
		return false;
	open->since_ns = account_since_ns(account);
	if (open->since_ns + MIN_NS > now_ns)
		return false;
	open->site = loaded(&thread->site);
	if (state != ATTEMPT_STATE) {
		open->other_thread = (uint32_t)AO_load(&thread->in_the_way.thread);
		open->grade = (enum stmlog_grade)AO_load(&thread->in_the_way.grade);
		open->other_site = loaded(&thread->in_the_way.site);
	}
	AO_nop_read();
	return AO_load(&account->word) == word;
}

/* Returns the runtimes' transaction of the thread. NULL: no runtime has reported one. */
static struct stmlog_open_transaction *reported_by(struct under_way *found, uint32_t thread)
{
	for (size_t i = 0; i < found->len; i++)
		if (found->all[i].thread == thread)
			return &found->all[i];
	return NULL;
}

/* Adds the transaction of an account. If a runtime has reported a transaction of the same thread, that is kept, because
 * it may name the other side, but with the account's time of begin if that is earlier. */
static void add_of_account(struct under_way *found, const struct stmlog_open_transaction *open)
{
	struct stmlog_open_transaction *reported = reported_by(found, open->thread);
	if (reported == NULL && found->len < UNDER_WAY_MAX)
		found->all[found->len++] = *open;
	else if (reported != NULL && reported->kind == STMLOG_OPEN_TRANSACTION && open->since_ns < reported->since_ns)
		reported->since_ns = open->since_ns;
}

static void under_way_find(struct under_way *found)
{
	found->len = session_find_open(found->all, UNDER_WAY_MAX);
	registry_lock();
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next) {
		struct stmlog_open_transaction open;
		if (read_account(&open, thread, found->now_ns))
			add_of_account(found, &open);
	}
	registry_unlock();
}

/* ---- writing ---- */

static uint32_t site_of(struct intern *intern, struct tb_site site)
{
	return site.position != 0 ? intern_site(intern, site) : STMLOG_NO_SITE;
}

static void under_way_append(
	const struct stmlog_open_transaction *open, uint64_t now_ns, struct intern *intern, struct buffer *records)
{
	struct stmlog_open_record record = {
		.thread = open->thread,
		.kind = open->kind,
		.site = site_of(intern, open->site),
		.other_thread = open->other_thread,
		.other_site = site_of(intern, open->other_site),
		.grade = open->other_thread != 0 ? open->grade : STMLOG_GRADE_UNKNOWN,
		.open_ns = now_ns > open->since_ns ? now_ns - open->since_ns : 0,
	};
	buffer_append(records, &record, sizeof record);
}

static struct stmlog_open_transaction remove_longest(struct under_way *found)
{
	size_t longest = 0;
	for (size_t i = 1; i < found->len; i++)
		if (found->all[i].since_ns < found->all[longest].since_ns)
			longest = i;
	struct stmlog_open_transaction open = found->all[longest];
	found->all[longest] = found->all[--found->len];
	return open;
}

void under_way_record(struct intern *intern, struct buffer *records)
{
	struct under_way found = {.now_ns = clock_now_ns()};
	under_way_find(&found);
	while (found.len > 0) {
		struct stmlog_open_transaction open = remove_longest(&found);
		under_way_append(&open, found.now_ns, intern, records);
	}
}
