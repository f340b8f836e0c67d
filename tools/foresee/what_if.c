/* SPDX-License-Identifier: MIT
 * Changed streams. Records are dropped in place; data that move get addresses in a part of the address space that no
 * program has: the replay maps all addresses anew. */
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { WORD = 8, LINE = 64, STRIPE = 32, APART_BYTES = 128 };

/* Of the highest byte: data moved apart; above it, data of one thread. */
#define MOVED (UINT64_C(1) << 56)
#define OWN_SHIFT 57

/* Data of the next thread lie so much further in their part: libitm's lock of an address depends on its lower bits. */
#define OWN_DISTANCE (UINT64_C(4099) * 128)

/* Where the n-th thread has its own data, from 1. */
static uint64_t own(uint64_t address, size_t thread)
{
	return address + ((uint64_t)thread << OWN_SHIFT) + thread * OWN_DISTANCE;
}

static bool is_read(uint16_t kind)
{
	return kind >= STMLOG_ACCESS_READ && kind <= STMLOG_ACCESS_READ_FOR_WRITE;
}

static bool is_write(uint16_t kind)
{
	return stream_is_access(kind) && (!is_read(kind) || kind == STMLOG_ACCESS_READ_FOR_WRITE);
}

static bool is_site(const struct what_if *change, uint64_t address)
{
	for (size_t i = 0; i < change->site_count; i++)
		if (change->sites[i] == address)
			return true;
	return false;
}

void what_if_add_site(struct what_if *change, uint64_t site)
{
	if (!is_site(change, site) && change->site_count < WHAT_IF_SITES)
		change->sites[change->site_count++] = site;
}

bool what_if_has_sites(const struct streams *streams, const struct what_if *change)
{
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++) {
			const struct stmlog_access_record *record = &streams->at[i].at[k];
			if (record->kind == STMLOG_ACCESS_BEGIN && is_site(change, record->address))
				return true;
		}
	return false;
}

/* ---- dropping records ---- */

/* One transaction: `at` is its BEGIN. A record that is to be dropped gets the kind THREAD. */
typedef void drop_from(const struct what_if *change, struct stmlog_access_record *at, size_t len);

/* The program's own time before a dropped record goes to the next one, unless the change has set it to 0. */
static void compact(struct stream *stream)
{
	size_t kept = 0;
	float time_ns = 0;
	for (size_t i = 0; i < stream->len; i++) {
		time_ns += stream->at[i].gap_ns;
		if (stream->at[i].kind == STMLOG_ACCESS_THREAD)
			continue;
		stream->at[kept] = stream->at[i];
		stream->at[kept++].gap_ns = time_ns;
		time_ns = 0;
	}
	stream->len = kept;
}

static void for_each_transaction(struct streams *streams, const struct what_if *change, drop_from *drop)
{
	for (size_t i = 0; i < streams->len; i++) {
		struct stream *stream = &streams->at[i];
		for (size_t at = 0, len; at < stream->len; at += len) {
			len = stream_transaction_len(stream, at);
			drop(change, &stream->at[at], len);
		}
		compact(stream);
	}
}

static bool covers(const struct stmlog_access_record *record, uint64_t word)
{
	uint64_t from = word & ~(uint64_t)(WORD - 1);
	return word != 0 && record->address < from + WORD && record->address + record->size > from;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* The words that the transaction writes, sorted; owned. */
static uint64_t *written_by(const struct stmlog_access_record *at, size_t len, size_t *count)
{
	uint64_t *words = memory_zeroed(len, sizeof *words);
	*count = 0;
	for (size_t i = 0; i < len; i++)
		if (is_write(at[i].kind))
			words[(*count)++] = at[i].address / WORD;
	qsort(words, *count, sizeof *words, compare_numbers);
	return words;
}

static bool is_one_of(const uint64_t *words, size_t count, uint64_t word)
{
	return count > 0 && bsearch(&word, words, count, sizeof word, compare_numbers) != NULL;
}

/* The first and the last time stay: they are before all accesses and behind them. */
static void drop_reads(const struct what_if *change, struct stmlog_access_record *at, size_t len)
{
	if (!is_site(change, at[0].address))
		return;
	size_t count;
	uint64_t *written = written_by(at, len, &count);
	for (size_t i = 1; i < len; i++) {
		if (!is_read(at[i].kind) || is_one_of(written, count, at[i].address / WORD))
			continue;
		at[i].kind = STMLOG_ACCESS_THREAD;
		at[i].gap_ns = i > 1 ? 0 : at[i].gap_ns;
	}
	free(written);
}

/* libitm's properties of a transaction that is irrevocable from the start. */
enum { RUNS_INSTRUMENTED = 1, GOES_IRREVOCABLE = 64 };

/* What the transaction does when it is irrevocable it does outside: here before it, which is the same in a stream. */
static void drop_alone(const struct what_if *change, struct stmlog_access_record *at, size_t len)
{
	bool is_alone = (at[0].size & GOES_IRREVOCABLE) != 0;
	float outside_ns = 0;
	if (!is_site(change, at[0].address))
		return;
	for (size_t i = 1; i < len; i++) {
		if (is_alone) {
			outside_ns += at[i].gap_ns;
			at[i].gap_ns = 0;
		}
		if (at[i].kind != STMLOG_ACCESS_ALONE)
			continue;
		at[i].kind = STMLOG_ACCESS_THREAD;
		is_alone = true;
	}
	at[0].size = (uint16_t)((at[0].size & ~GOES_IRREVOCABLE) | RUNS_INSTRUMENTED);
	at[0].gap_ns += outside_ns;
}

/* The time between the first write and the end goes outside. */
static void compute_before(const struct what_if *change, struct stmlog_access_record *at, size_t len)
{
	bool has_written = false;
	if (!is_site(change, at[0].address))
		return;
	for (size_t i = 1; i < len; i++) {
		if (has_written) {
			at[0].gap_ns += at[i].gap_ns;
			at[i].gap_ns = 0;
		}
		has_written |= is_write(at[i].kind);
	}
}

/* The time of the transaction stays, outside. */
static void drop_cancelled(const struct what_if *change, struct stmlog_access_record *at, size_t len)
{
	if (at[len - 1].kind != STMLOG_ACCESS_CANCEL || !is_site(change, at[0].address))
		return;
	for (size_t i = 0; i < len; i++)
		at[i].kind = STMLOG_ACCESS_THREAD;
}

void what_if_add_sites_of_words(const struct streams *streams, struct what_if *change)
{
	for (size_t i = 0; i < streams->len; i++) {
		uint64_t site = 0;
		for (size_t k = 0; k < streams->at[i].len; k++) {
			const struct stmlog_access_record *record = &streams->at[i].at[k];
			if (record->kind == STMLOG_ACCESS_BEGIN)
				site = record->address;
			bool is_meant = stream_is_access(record->kind) &&
					(covers(record, change->words[0]) || covers(record, change->words[1]));
			if (is_meant)
				what_if_add_site(change, site);
		}
	}
}

/* ---- moving data ---- */

/* Which threads access a word, and which write it: a bit for each. */
struct word {
	uint64_t number; /* address / WORD */
	uint32_t threads, writers;
};

struct words {
	struct word *at;
	size_t len, cap;
};

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* Of a long access only the words in its first and its last line: the lines between are its own. */
static void note_words(struct words *words, const struct stmlog_access_record *record, size_t thread)
{
	uint32_t bit = UINT32_C(1) << (thread % 32);
	uint64_t first = record->address / WORD;
	uint64_t last = (record->address + (record->size > 0 ? record->size - 1u : 0)) / WORD;
	for (uint64_t number = first; number <= last; number++) {
		if (number - first >= LINE / WORD && last - number > LINE / WORD)
			number = last - LINE / WORD;
		words->at = memory_grown(words->at, words->len, &words->cap, sizeof *words->at);
		words->at[words->len++] = (struct word){number, bit, is_write(record->kind) ? bit : 0};
	}
}

/* Sorted, each once. */
static struct words words_of(const struct streams *streams)
{
	struct words words = {.len = 0};
	for (size_t i = 0; i < streams->len; i++) {
		size_t thread = streams_threads(streams, i + 1);
		for (size_t k = 0; k < streams->at[i].len; k++)
			if (stream_is_access(streams->at[i].at[k].kind))
				note_words(&words, &streams->at[i].at[k], thread);
	}
	if (words.len > 0)
		qsort(words.at, words.len, sizeof *words.at, compare_words);
	size_t kept = 0;
	for (size_t i = 0; i < words.len; i++) {
		if (kept > 0 && words.at[kept - 1].number == words.at[i].number) {
			words.at[kept - 1].threads |= words.at[i].threads;
			words.at[kept - 1].writers |= words.at[i].writers;
		} else {
			words.at[kept++] = words.at[i];
		}
	}
	words.len = kept;
	return words;
}

static const struct word *find_word(const struct words *words, uint64_t address)
{
	const struct word key = {.number = address / WORD};
	return words->len > 0 ? bsearch(&key, words->at, words->len, sizeof *words->at, compare_words) : NULL;
}

/* Whether the line of this word has another one of other threads, and some thread writes one of the two. */
static bool shares_line(const struct words *words, const struct word *word)
{
	uint64_t from = word->number / (LINE / WORD) * (LINE / WORD);
	for (uint64_t number = from; number < from + LINE / WORD; number++) {
		const struct word *other = find_word(words, number * WORD);
		if (other != NULL && other->threads != word->threads && (other->writers | word->writers) != 0 &&
			(other->threads | word->threads) != (other->threads & word->threads))
			return true;
	}
	return false;
}

/* The first word of its line that belongs to the same threads. */
static uint64_t first_alike(const struct words *words, const struct word *word)
{
	uint64_t number = word->number / (LINE / WORD) * (LINE / WORD);
	for (; number < word->number; number++) {
		const struct word *other = find_word(words, number * WORD);
		if (other != NULL && other->threads == word->threads)
			break;
	}
	return number;
}

/* One place for each line and each set of threads: what belongs to the same threads stays together. */
static uint64_t place_for(const struct words *words, const struct word *word)
{
	return MOVED + first_alike(words, word) * APART_BYTES + word->number * WORD % LINE;
}

/* The new address of an access of at most a line. The words of a named pair go to places of their own in any case. */
static uint64_t address_apart(const struct what_if *change, const struct words *words, uint64_t address)
{
	const struct word *word = find_word(words, address);
	for (size_t i = 0; i < WHAT_IF_WORDS; i++)
		if (change->words[i] != 0 && change->words[i] / WORD == address / WORD)
			return MOVED + ((UINT64_C(1) << 40) + i) * APART_BYTES + address % WORD;
	return word != NULL && shares_line(words, word) ? place_for(words, word) + address % WORD : address;
}

static void move_apart(struct streams *streams, const struct what_if *change)
{
	struct words words = words_of(streams);
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++) {
			struct stmlog_access_record *record = &streams->at[i].at[k];
			/* A longer access has no room in a place of its own, and stays where it is. */
			if (stream_is_access(record->kind) && record->size <= LINE)
				record->address = address_apart(change, &words, record->address);
		}
	free(words.at);
}

/* libitm's lock of a stripe, under ml_wt. */
enum { LOCKS = 1 << 16 };
static uint32_t lock_of(uint64_t address)
{
	return (uint32_t)(address / STRIPE) * UINT32_C(81007) >> 16;
}

/* Each lock keeps the stripe that comes first; others that hash to it get the next lock that no stripe has. */
static uint64_t without_alias(uint64_t *owners, uint64_t address)
{
	uint64_t stripe = address / STRIPE, *owner = &owners[lock_of(address)];
	if (*owner == 0 || *owner == stripe) {
		*owner = stripe;
		return address;
	}
	for (uint64_t place = MOVED + stripe * APART_BYTES, tries = 0; tries < LOCKS; tries++, place += STRIPE) {
		uint64_t *free_one = &owners[lock_of(place)];
		if (*free_one != 0 && *free_one != (stripe | MOVED))
			continue;
		*free_one = stripe | MOVED;
		return place + address % STRIPE;
	}
	return address;
}

static void move_aliases(struct streams *streams)
{
	uint64_t *owners = memory_zeroed(LOCKS, sizeof *owners);
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++) {
			struct stmlog_access_record *record = &streams->at[i].at[k];
			if (stream_is_access(record->kind))
				record->address = without_alias(owners, record->address);
		}
	free(owners);
}

static void make_words_own(struct streams *streams, const struct what_if *change)
{
	for (size_t i = 0; i < streams->len; i++) {
		size_t thread = streams_threads(streams, i + 1);
		for (size_t k = 0; k < streams->at[i].len; k++) {
			struct stmlog_access_record *record = &streams->at[i].at[k];
			if (stream_is_access(record->kind) &&
				(covers(record, change->words[0]) || covers(record, change->words[1])))
				record->address = own(record->address, thread);
		}
	}
}

static void make_own(struct streams *streams, const struct what_if *change)
{
	for (size_t i = 0; i < streams->len; i++) {
		size_t thread = streams_threads(streams, i + 1);
		bool is_meant = false;
		for (size_t k = 0; k < streams->at[i].len; k++) {
			struct stmlog_access_record *record = &streams->at[i].at[k];
			if (record->kind == STMLOG_ACCESS_BEGIN)
				is_meant = change->change == WHAT_IF_ALL_OWN || is_site(change, record->address);
			if (is_meant && stream_is_access(record->kind))
				record->address = own(record->address, thread);
		}
	}
}

struct streams what_if(const struct streams *streams, const struct what_if *change)
{
	struct streams changed = streams_copy(streams);
	switch (change->change) {
	case WHAT_IF_OWN_WORDS:
		make_words_own(&changed, change);
		break;
	case WHAT_IF_APART:
		move_apart(&changed, change);
		break;
	case WHAT_IF_NO_ALIAS:
		move_aliases(&changed);
		break;
	case WHAT_IF_READS_NOTHING:
		for_each_transaction(&changed, change, drop_reads);
		break;
	case WHAT_IF_OUTSIDE:
		for_each_transaction(&changed, change, drop_alone);
		break;
	case WHAT_IF_COMPUTED_BEFORE:
		for_each_transaction(&changed, change, compute_before);
		break;
	case WHAT_IF_NO_CANCEL:
		for_each_transaction(&changed, change, drop_cancelled);
		break;
	case WHAT_IF_OWN_DATA:
	case WHAT_IF_ALL_OWN:
		make_own(&changed, change);
		break;
	}
	return changed;
}
