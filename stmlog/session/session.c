/* SPDX-License-Identifier: MIT
 * Sets and reads facts and settings of the session, and copies words. life.c opens and closes it. */
#include "session.h"

#include <string.h>

#include "check.h"
#include "misuse.h"
#include "runtimes.h"

struct session session;
volatile AO_t session_is_open_word, session_is_filtered;
clock_function *session_clock;

/* Threads that are inside session_enter(). Not in struct session, either. */
static volatile AO_t readers;

/* A reader counts itself and then looks whether the session is open; session_shut() closes it and then looks for
 * readers, both with a full barrier in between. So at least one of the two sees the other. */
bool session_enter(void)
{
	AO_fetch_and_add_full(&readers, 1);
	if (session_is_open())
		return true;
	session_leave();
	return false;
}

void session_leave(void)
{
	REQUIRES(AO_load(&readers) != 0);
	AO_fetch_and_add_full(&readers, (AO_t)-1);
}

bool session_shut(void)
{
	AO_store(&session_is_open_word, 0);
	AO_nop_full();
	return AO_load_acquire(&readers) == 0;
}

void session_fork_child(void)
{
	AO_store(&readers, 0);
	runtimes_fork_child();
}

void session_before_report(void)
{
	runtimes_part_unloaded();
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const struct stmlog_setup *setup = runtimes_enter(i);
		if (setup != NULL && setup->before_report != NULL)
			setup->before_report(setup->before_report_arg);
		runtimes_leave(i);
	}
}

size_t session_find_open(struct stmlog_open_transaction *open, size_t max)
{
	size_t len = 0;
	for (size_t i = 0; i < STMLOG_RUNTIMES; i++) {
		const struct stmlog_setup *setup = runtimes_enter(i);
		if (setup != NULL && setup->find_open != NULL)
			len += setup->find_open(open + len, max - len, setup->find_open_arg);
		runtimes_leave(i);
	}
	return len;
}

const char *stmlog_option(const char *key)
{
	return options_get(&session.options, key);
}

void stmlog_set_clock(uint64_t (*now_ns)(void))
{
	if (session_is_open())
		misuse_count("stmlog_set_clock after stmlog_open");
	else
		session_clock = now_ns;
}

void stmlog_set_sampling(uint32_t every)
{
	AO_store(&session.sample_every, every);
	if (every > 1)
		session_samples();
}

/* ---- words ---- */

/* Longer words are cut: a report has no room for them. */
#define WORD_MAX 1024

struct interned words_interned;

void words_intern_on(const char *word)
{
	char cut[WORD_MAX];
	size_t len = strnlen(word, sizeof cut - 1);
	memcpy(cut, word, len);
	cut[len] = '\0';
	interned_add(&words_interned, word, cut, len + 1);
}

const char *words_copy(const char *word)
{
	words_intern(word);
	return words_text(word);
}

void words_forget(void)
{
	interned_clear(&words_interned);
}

/* ---- facts ---- */

/* Claims a free fact for the key. Returns whether the fact now belongs to the key, or did before. */
static bool claim(struct fact *fact, const char *key)
{
	AO_t found = AO_load_acquire(&fact->key);
	if (found == 0 && AO_compare_and_swap_full(&fact->key, 0, (AO_t)key))
		return true;
	found = AO_load_acquire(&fact->key);
	return strcmp((const char *)found, key) == 0;
}

/* Returns the key's fact, which is new if the key has none yet. NULL: all facts belong to other keys. */
static struct fact *fact_of(const char *key)
{
	for (size_t i = 0; i < STMLOG_FACTS; i++)
		if (claim(&session.facts[i], key))
			return &session.facts[i];
	return NULL;
}

void stmlog_set_fact(const char *key, uint64_t value)
{
	struct fact *fact = fact_of(words_copy(key));
	if (fact != NULL)
		AO_store_release(&fact->value, value);
	else
		misuse_count("stmlog_set_fact with more than STMLOG_FACTS keys");
}

void stmlog_set_word(const char *key, const char *word)
{
	struct fact *fact = word != NULL ? fact_of(words_copy(key)) : NULL;
	if (fact != NULL)
		AO_store_release(&fact->word, (AO_t)words_copy(word));
	else
		misuse_count("stmlog_set_word without a word, or with more than STMLOG_FACTS keys");
}
