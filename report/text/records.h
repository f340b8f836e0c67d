/* SPDX-License-Identifier: MIT
 * A recording in memory: the records of format.h, with every reference verified, so that no reader has to check one.
 * The command reads it from a file (tools/recording/recording.h). */
#ifndef RECORDS_H
#define RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <stmlog/format.h>

struct file;

struct recording_list {
	const char **at;
	size_t len;
};

/* A member for each key of info.def, with the value that the table has for an absent one. Of the lists, args is without
 * the word "arg", and options are "key", "value", "key", "value" and so on. */
struct recording_info {
#define STMLOG_INFO_TEXT(key, merge, doc) const char *key;
#define STMLOG_INFO_NUMBER(key, absent, merge, doc) uint64_t key;
#include <stmlog/info.def>
	struct recording_list args, options;
};

/* Invariants: each string reference lies in `strings`, which ends with a NUL; each module of a
 * site, site of a traceback, and traceback of an entry, block or place exists; all records have estimates. The numbers
 * of reasons, contentions, grades and threads are not verified. */
struct recording {
	struct file *file; /* what it was read from; NULL: nothing was */
	struct recording_info info;
	const char *strings; /* each at most RECORDING_LONGEST_NAME bytes */
	size_t strings_len;
	size_t names_cut; /* how many were longer in the file */
	const struct stmlog_module_record *modules;
	size_t module_count;
	const struct stmlog_site_record *sites;
	size_t site_count;
	const uint32_t *traceback_words;
	size_t *traceback_at; /* where each begins among the words */
	size_t traceback_count;
	/* Owned; NULL unless the command has replaced the sites and words of the file (tools/code/tail_frames.c). */
	struct stmlog_site_record *own_sites;
	uint32_t *own_words;
	/* Of each, where its transaction begins, if that is none of its sites (recording_traceback), plus 1; 0: it is,
	 * or is not known. NULL: likewise of all. */
	uint32_t *traceback_begin;
	uint8_t *traceback_inner;                 /* of each, how many innermost frames are not given; NULL: all are */
	size_t deepest;                           /* how many frames of each are given */
	const struct stmlog_total_record *totals; /* without the evicted one */
	size_t total_count;
	uint64_t evicted_count, evicted_lost_ns;
	double evicted_estimated_ns, evicted_variance_ns2;
	/* The rows of the account of all threads, each with its interval and its measured part. recording_set_rows()
	 * sets them. */
	uint64_t row_ns[STMLOG_ACCOUNT_ROWS], row_min_ns[STMLOG_ACCOUNT_ROWS], row_max_ns[STMLOG_ACCOUNT_ROWS],
		row_measured_ns[STMLOG_ACCOUNT_ROWS];
	uint64_t rows_ns; /* the time that all rows have together; 0: no thread was attached */
	const struct stmlog_thread_record *threads;
	size_t thread_count;
	const struct stmlog_entry_record *entries;
	size_t entry_count;
	const struct stmlog_block_record *blocks; /* ascending addresses */
	size_t block_count;
	const struct stmlog_place_record *places;
	size_t place_count;
	const struct stmlog_event_record *events; /* as the file has them: verify.h */
	size_t event_count;
	bool has_timeline;                      /* one of no events, perhaps */
	const struct stmlog_path_record *paths; /* none without --paths */
	size_t path_count;
	const struct stmlog_transaction_record *transactions;
	size_t transaction_count;
	const struct stmlog_blocked_record *blocked; /* none if no transaction was blocked */
	size_t blocked_count;
	const struct stmlog_open_record *open; /* of a snapshot; the sites are verified */
	size_t open_count;
	const struct stmlog_green_record *green; /* each label ends */
	size_t green_count;
	const struct stmlog_own_work_record *own_work; /* each word ends */
	size_t own_work_count;
	const struct stmlog_process_record *processes; /* none of a single process */
	size_t process_count;
	const struct stmlog_label_record *labels; /* ascending addresses; each text ends */
	size_t label_count;
	char fault[200];
};

/* A long name may belong to any number of places, and outputs repeat it for each of them: so a reader cuts it. */
enum { RECORDING_LONGEST_NAME = 1000 };

/* The number of objects in an entry. */
enum { RECORDING_OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->objects / sizeof(uint64_t[2]) };

#define RECORDING_UNSAID STMLOG_INFO_UNSAID
#define RECORDING_MIXED "mixed"

/* False if only aborts were counted, by an earlier version that hooked nothing. */
static inline bool recording_has_times(const struct recording *recording)
{
	return recording->info.commits_known != 0;
}

/* True if libitm may have run transactions in hardware: then it reports neither their aborts nor their waits. */
bool recording_hides_losses(const struct recording *recording);

/* True if the threads' sums include every abort, and every commit if commits are known at all. */
bool recording_has_exact_totals(const struct recording *recording);

/* What the calls of the runtime have cost, as far as it is known. */
static inline uint64_t recording_probes_ns(const struct recording_info *info)
{
	return info->probe_cost_ns < UINT64_MAX - info->origins_cost_ns ? info->probe_cost_ns + info->origins_cost_ns
									: UINT64_MAX;
}

/* The green thread with this number (format.h, GREEN); NULL: there is none. */
static inline const struct stmlog_green_record *recording_green(const struct recording *recording, uint16_t number)
{
	return number != 0 && number <= recording->green_count ? &recording->green[number - 1] : NULL;
}

/* The string of a reference; "" if the recording has no such string. */
static inline const char *recording_string(const struct recording *recording, uint32_t string)
{
	return string < recording->strings_len ? recording->strings + string : "";
}

/* Entries may share tracebacks without limit, so a report could be far larger than the file. If all entries together
 * have more than RECORDING_MAX_FRAMES frames, only the innermost frames of each traceback are used. */
enum { RECORDING_MAX_FRAMES = 1 << 20, RECORDING_MIN_DEPTH = 16 };

/* Sets `deepest` accordingly, when the recording has its entries, blocks and tracebacks. */
void recording_limit_depth(struct recording *recording);

/* Sets the rows: all that was lost is their sum, and no sum of losses exceeds the rows that it is a part of
 * (account_rows.c). Called when the recording has its threads and INFO. */
void recording_set_rows(struct recording *recording);

struct recording_traceback {
	bool is_known;
	bool is_cut;     /* frames further out are missing */
	size_t left_out; /* so many of them are in the recording, see RECORDING_MAX_FRAMES */
	size_t len;
	const uint32_t *sites; /* innermost first */
	/* Where the transaction of the access at sites[0] begins, if that is the same call of the same function, so
	 * that the stack has one frame for both; STMLOG_NO_SITE otherwise. */
	uint32_t begin;
};
struct recording_traceback recording_traceback(const struct recording *recording, uint32_t traceback);

/* Whether the program is GHC's. */
static inline bool recording_is_haskell(const struct recording *recording)
{
	return recording->info.runtime != NULL && strcmp(recording->info.runtime, "ghc") == 0;
}

/* True if only some transactions were measured. */
static inline bool recording_is_sampled(const struct recording *recording)
{
	return recording->info.sampled != 0 || recording->info.sample_every > 1;
}

/* The record of a thread; NULL: there is none of this number. Threads ascend by their numbers, as
 * format.h says (verify.h checks it); otherwise the thread may not be found. */
const struct stmlog_thread_record *recording_thread(const struct recording *recording, uint32_t id);

/* The block of memory that `address` lies in; NULL: none that is known. */
const struct stmlog_block_record *recording_block(const struct recording *recording, uint64_t address);

/* The label of the piece of memory that `address` lies in; NULL: none that is known. */
const struct stmlog_label_record *recording_label(const struct recording *recording, uint64_t address);

/* A module's build-id in hexadecimal digits; "" where it has none. */
struct module_id {
	char text[65];
};
struct module_id module_build_id(const struct stmlog_module_record *record);

/* ---- INFO: "key=value" strings ---- */

/* Fills *info, whose strings stay in `bytes`. Returns NULL, or an error message. */
const char *recording_info_parse(struct recording_info *info, const char *bytes, size_t len);
void recording_info_fini(struct recording_info *info);

/* "ended by signal 11 (SEGV)"; NULL: no signal that is known ended the program. Free it with memory_free(). */
char *recording_ending_text(const struct recording_info *info);

/* ---- losses ---- */

/* The losses that were measured, evicted or not. The rows of the account may have more. */
struct recording_sum {
	uint64_t count;
	uint64_t lost_ns;
	double estimated_ns;
	double variance_ns2;
};
struct recording_sum recording_total(const struct recording *recording);

/* Whether the account counts the time of losses with this reason as aborted. */
bool cause_is_abort(uint32_t reason);

/* The row of the account that has losses with the reason. A reason that this version does not know may belong to any
 * row: STMLOG_ACCOUNT_ROWS. */
enum stmlog_account_row cause_account_row(uint32_t reason);

/* The name of a kind of transactions and waits that are under way when a snapshot is made (stmlog_open_record); NULL
 * for a number that this version does not know. */
const char *open_kind_name(uint32_t kind);

#endif
