/* SPDX-License-Identifier: MIT
 * Runtimes tell of the transactions that they have not reported by hooks. Of the others the accounts of the threads
 * tell: an account's word is the same before and after the other members are read, so these belong to its state. */
#include "under_way.h"

#include <stmlog/format.h>

#include "clock.h"
#include "registry.h"
#include "session.h"

_Static_assert(sizeof(struct stmlog_open_record) == 32, "the format's records have no hidden padding");

#define LEAST_NS 1000000
enum { MOST = 64 };

struct under_way {
	struct stmlog_open_transaction all[MOST];
	size_t len;
	uint64_t now_ns;
};

/* ---- finding ---- */

/* False: there is none. */
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

/* Returns false if nothing is under way, or not for long. */
static bool look_at(struct stmlog_open_transaction *open, const struct stmlog_thread *thread, uint64_t now_ns)
{
	const struct account *account = &thread->account;
	AO_t word = AO_load_acquire(&account->word); /* partner: account_set() */
	enum account_slot state = (enum account_slot)(word & ACCOUNT_STATE_MASK);
	*open = (struct stmlog_open_transaction){.thread = (uint32_t)AO_load(&thread->id)};
	if (!kind_of(state, &open->kind))
		return false;
	open->since_ns = account_since_ns(account);
	if (open->since_ns + LEAST_NS > now_ns)
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

/* What a runtime has told of the thread; NULL: nothing. */
static struct stmlog_open_transaction *told_of(struct under_way *is, uint32_t thread)
{
	for (size_t i = 0; i < is->len; i++)
		if (is->all[i].thread == thread)
			return &is->all[i];
	return NULL;
}

/* A runtime may know the other side better, and the account since when. */
static void take(struct under_way *is, const struct stmlog_open_transaction *open)
{
	struct stmlog_open_transaction *told = told_of(is, open->thread);
	if (told == NULL && is->len < MOST)
		is->all[is->len++] = *open;
	else if (told != NULL && open->since_ns < told->since_ns)
		told->since_ns = open->since_ns;
}

static void find(struct under_way *is)
{
	is->len = session_find_open(is->all, MOST);
	registry_lock();
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next) {
		struct stmlog_open_transaction open;
		if (look_at(&open, thread, is->now_ns))
			take(is, &open);
	}
	registry_unlock();
}

/* ---- writing ---- */

static uint32_t site_of(struct intern *intern, struct tb_site site)
{
	return site.position != 0 ? intern_site(intern, site) : STMLOG_NO_SITE;
}

static void add(const struct under_way *is, const struct stmlog_open_transaction *open, struct intern *intern,
	struct buffer *records)
{
	struct stmlog_open_record record = {
		.thread = open->thread,
		.kind = open->kind,
		.site = site_of(intern, open->site),
		.other_thread = open->other_thread,
		.other_site = site_of(intern, open->other_site),
		.grade = open->other_thread != 0 ? open->grade : STMLOG_GRADE_UNKNOWN,
		.open_ns = is->now_ns > open->since_ns ? is->now_ns - open->since_ns : 0,
	};
	buffer_append(records, &record, sizeof record);
}

/* Each takes the longest of those that are left, since there are few. */
void under_way_record(struct intern *intern, struct buffer *records)
{
	struct under_way is = {.now_ns = clock_now_ns()};
	find(&is);
	while (is.len > 0) {
		size_t longest = 0;
		for (size_t i = 1; i < is.len; i++)
			if (is.all[i].since_ns < is.all[longest].since_ns)
				longest = i;
		add(&is, &is.all[longest], intern, records);
		is.all[longest] = is.all[--is.len];
	}
}
