/* SPDX-License-Identifier: MIT
 * A recording in memory, record by record, for tests of what is found in it. Of libitm, exact, of four threads that
 * were attached for MADE_THREADS_NS together. */
#ifndef MADE_RECORDING_H
#define MADE_RECORDING_H

#include <string.h>

#include <stmlog/read.h>

#include "report.h"

enum { MADE_MAX = 256, MADE_WORDS = 2048, MADE_THREADS = 4, MADE_THREADS_NS = 200000000, MADE_STRIPE = 32 };

struct made {
	struct recording recording;
	char strings[16384];
	struct stmlog_site_record sites[MADE_MAX];
	uint32_t words[MADE_WORDS];
	size_t word_count;
	size_t traceback_at[MADE_MAX];
	struct stmlog_entry_record entries[MADE_MAX];
	struct stmlog_total_record totals[MADE_MAX];
	struct stmlog_thread_record threads[MADE_THREADS];
	bool has_own_account; /* the test has filled the threads' rows */
	struct stmlog_transaction_record transactions[MADE_MAX];
};

static inline void made_begin(struct made *made)
{
	memset(made, 0, sizeof *made);
	struct recording *recording = &made->recording;
	recording->info.sample_every = 1;
	recording->info.runs = 1;
	recording->info.commits_known = 1;
	recording->info.runtime = "libitm";
	recording->info.method = recording->info.clock = recording->info.version = recording->info.program = "";
	recording->info.wall_ns = MADE_THREADS_NS;
	recording->info.stripe_bytes = MADE_STRIPE;
	recording->info.hardware_commits = STMLOG_INFO_UNSAID;
	recording->strings = made->strings;
	recording->strings_len = 1;
	recording->sites = made->sites;
	recording->traceback_words = made->words;
	recording->traceback_at = made->traceback_at;
	recording->entries = made->entries;
	recording->totals = made->totals;
	recording->threads = made->threads;
	recording->transactions = made->transactions;
	recording->thread_count = MADE_THREADS;
	recording->deepest = SIZE_MAX;
	for (uint32_t i = 0; i < MADE_THREADS; i++)
		made->threads[i] = (struct stmlog_thread_record){
			.id = i + 1, .attached_ns = MADE_THREADS_NS / MADE_THREADS, .commits = 1000};
}

static inline uint32_t made_string(struct made *made, const char *text)
{
	size_t at = made->recording.strings_len;
	made->recording.strings_len += strlen(text) + 1;
	strcpy(made->strings + at, text);
	return (uint32_t)at;
}

static inline uint32_t made_site(struct made *made, const char *function, uint32_t line)
{
	uint32_t number = (uint32_t)made->recording.site_count++;
	made->sites[number] = (struct stmlog_site_record){.kind = STMLOG_SITE_PLACE,
		.module = STMLOG_NO_MODULE,
		.function = made_string(made, function),
		.file = made_string(made, "a.c"),
		.line = line};
	return number;
}

/* Of one site, or of two if `outer` is not STMLOG_NO_SITE. */
static inline uint32_t made_traceback(struct made *made, uint32_t inner, uint32_t outer)
{
	uint32_t words[] = {outer != STMLOG_NO_SITE ? 2 : 1, 0, inner, outer};
	size_t number = made->recording.traceback_count++;
	made->traceback_at[number] = made->word_count;
	memcpy(made->words + made->word_count, words, sizeof words);
	made->word_count += 2 + words[0];
	return (uint32_t)number + 2;
}

/* An entry whose transaction begins at an unknown site, and its share of the totals. */
static inline struct stmlog_entry_record *made_loss(
	struct made *made, uint32_t reason, uint32_t contention, const char *detail, uint64_t count, uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = &made->entries[made->recording.entry_count++];
	*entry = (struct stmlog_entry_record){.reason = reason,
		.contention = contention,
		.detail = made_string(made, detail),
		.count = count,
		.lost_ns = lost_ns,
		.longest_ns = lost_ns,
		.estimated_ns = (double)lost_ns,
		.site = STMLOG_NO_SITE};
	made->totals[made->recording.total_count++] = (struct stmlog_total_record){.reason = reason,
		.contention = contention,
		.count = count,
		.lost_ns = lost_ns,
		.estimated_ns = (double)lost_ns};
	return entry;
}

/* This part of a time: of all that the threads have, the same, but that the first has what is left over. */
static inline uint64_t made_part(uint64_t ns, size_t thread)
{
	return ns / MADE_THREADS + (thread == 0 ? ns % MADE_THREADS : 0);
}

static inline void made_book(struct made *made, const struct stmlog_total_record *total, size_t i)
{
	struct stmlog_thread_record *thread = &made->threads[i];
	uint64_t lost_ns = made_part(total->lost_ns, i), estimated_ns = made_part((uint64_t)total->estimated_ns, i);
	uint64_t count = made_part(total->count, i);
	if (total->reason == STMLOG_PAUSE) {
		thread->paused_ns += lost_ns;
		thread->estimated_paused_ns += estimated_ns;
		thread->pauses += count;
	} else if (total->reason == STMLOG_WAIT) {
		thread->waiting_inevitable_ns += lost_ns;
		thread->estimated_waiting_inevitable_ns += estimated_ns;
		thread->waits_inevitable += count;
	} else {
		thread->aborted_data_ns += lost_ns;
		thread->estimated_aborted_data_ns += estimated_ns;
		thread->aborts_data += count;
	}
}

/* The accounts of the threads: what the totals say, each thread its part. The test calls it once, when it has made all
 * losses. */
static inline void made_end(struct made *made)
{
	for (size_t i = 0; i < made->recording.total_count && !made->has_own_account; i++)
		for (size_t k = 0; k < MADE_THREADS; k++)
			made_book(made, &made->totals[i], k);
	made->has_own_account = true;
	recording_set_rows(&made->recording);
}

/* The time of transactions that begin at the innermost site of the traceback and commit at the first attempt. */
static inline struct stmlog_transaction_record *made_time(
	struct made *made, uint32_t traceback, uint64_t commits, uint64_t committed_ns)
{
	struct stmlog_transaction_record *record = &made->transactions[made->recording.transaction_count++];
	*record = (struct stmlog_transaction_record){.site = made->words[made->traceback_at[traceback - 2] + 2],
		.commits = commits,
		.attempts = commits,
		.committed_ns = committed_ns};
	return record;
}

#endif
