/* SPDX-License-Identifier: MIT
 * Parses the options in place, and warns of bad ones; copies words; sets and reads facts and settings of the session.
 * life.c opens and closes it. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "mem.h"
#include "misuse.h"
#include "out.h"
#include "runtimes.h"

/* ---- options ---- */

/* Ends one key or value at the first unescaped character of `ends`, and resolves its backslashes in place. Sets *found
 * to that character, NUL at the end of the text. Returns the rest of the text. */
static char *option_cut(char *from, const char *ends, char *found)
{
	char *to = from;
	while (*from != '\0' && strchr(ends, *from) == NULL) {
		if (*from == '\\' && from[1] != '\0')
			from++;
		*to++ = *from++;
	}
	*found = *from;
	if (*from != '\0')
		from++;
	*to = '\0';
	return from;
}

/* Returns an upper bound of the number of options in the text: each but the last ends with a colon. */
static size_t count_max(const char *text)
{
	size_t count = 1;
	for (; *text != '\0'; text++)
		count += *text == ':';
	return count;
}

static bool begins_option(const char *text)
{
	size_t key_len = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	return key_len > 0 && text[key_len] == '=';
}

/* The first comma, semicolon or blank behind which another option seems to begin, as in "top=1,out=a"; NULL: none. */
static const char *find_wrong_separator(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (strchr(",; ", *text) != NULL && begins_option(text + 1))
			return text;
	}
	return NULL;
}

static void warn_wrong_separator(const char *text)
{
	const char *wrong = find_wrong_separator(text);
	if (wrong != NULL)
		standard_error_tell("STMLOG_OPTIONS: \"", wrong, "\" is part of the value before it; ",
			"put a colon between two options", NULL);
}

void options_parse(struct options *options, const char *value)
{
	*options = (struct options){.len = 0};
	if (value == NULL)
		return;
	warn_wrong_separator(value);
	size_t max = count_max(value), len = strlen(value);
	options->size = max * sizeof *options->option + len + 1;
	options->option = mem_alloc(options->size);
	if (options->option == NULL) {
		options->is_ignored = true;
		return;
	}
	char *at = (char *)&options->option[max], found;
	memcpy(at, value, len);
	while (*at != '\0') {
		struct option option = {.key = at, .value = ""};
		at = option_cut(at, "=:", &found);
		if (found == '=') {
			option.value = at;
			at = option_cut(at, ":", &found);
		}
		if (option.key[0] != '\0')
			options->option[options->len++] = option;
	}
}

void options_forget(struct options *options)
{
	mem_free(options->option, options->size);
	*options = (struct options){.len = 0};
}

const char *options_get(struct options *options, const char *key)
{
	const char *value = NULL;
	for (size_t i = 0; i < options->len; i++) {
		if (strcmp(options->option[i].key, key) == 0) {
			options->option[i].is_asked = true;
			value = options->option[i].value;
		}
	}
	return value;
}

uint32_t options_sample(struct options *options)
{
	enum { MAX = 4096 };
	const char *sample = options_get(options, "sample");
	unsigned long number = sample != NULL ? strtoul(sample, NULL, 10) : 0;
	if (sample == NULL && options_get(options, "timeline") != NULL)
		return 1;
	return (uint32_t)(number < MAX ? number : MAX);
}

void options_warn_value(const char *key, const char *value, const char *expected)
{
	standard_error_tell("STMLOG_OPTIONS: ", key, "=", value, " is not ", expected, "; using the default", NULL);
}

static void warn_number(const char *key, const char *value, uint64_t low, uint64_t high)
{
	char min[DECIMAL_SIZE], max[DECIMAL_SIZE];
	standard_error_tell("STMLOG_OPTIONS: ", key, "=", value, " is not a number from ", decimal_text(min, low),
		" to ", decimal_text(max, high), "; using the default", NULL);
}

uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise)
{
	const char *value = options_get(options, key);
	if (value == NULL)
		return otherwise;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < low || number > high) {
		warn_number(key, value, low, high);
		return otherwise;
	}
	return number;
}

void options_warn_unknown(struct options *options)
{
	if (options->is_ignored)
		standard_error_tell("no memory for STMLOG_OPTIONS; all of it is ignored", NULL);
	options->is_ignored = false;
	for (size_t i = 0; i < options->len; i++) {
		if (!options->option[i].is_asked)
			standard_error_tell("STMLOG_OPTIONS: unknown key ", options->option[i].key, "; ignored", NULL);
		options->option[i].is_asked = true;
	}
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

/* ---- the session ---- */

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
