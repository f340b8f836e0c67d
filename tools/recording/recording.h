/* SPDX-License-Identifier: MIT
 * A recording in memory, as the reports need it: the records of format.h with every reference verified, so that
 * nobody after the load checks one again. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

#include "file.h"

struct recording_list {
	const char **at;
	size_t len;
};

struct recording_info {
	const char *version, *runtime, *clock, *program; /* "" where the file has none */
	const char *method;                              /* likewise; RECORDING_MIXED: several, merged */
	struct recording_list args;
	struct recording_list options; /* "key", "value", "key", "value" and so on */
	uint64_t runs;                 /* 1 unless merged of more */
	uint64_t pid, began_ns, wall_ns, unix_ns;
	uint64_t sample_every; /* at least 1 */
	uint64_t sampled;      /* 0: each transaction was measured */
	uint64_t lost_error_ns;
	uint64_t on_phases, on_ns, on_transactions, on_aborts; /* observer.h */
	uint64_t off_phases, off_ns, off_transactions, off_aborts;
	uint64_t probe_events, probe_cost_ns;
	uint64_t events_missing, tracebacks_unavailable, writes_unrecorded, misuses, threads_dropped, logs_unread,
		attaches_refused, contexts_dropped, stripe_bytes, waits_estimated, blocks_missing, blocks_forgotten;
	uint64_t passive, threads_unseen, unmeasured_cancels;
	uint64_t commits_known;         /* 1 unless said otherwise */
	uint64_t counters_known;        /* RECORDING_UNSAID: the runtime says nothing of counters */
	struct recording_list restarts; /* "WORD=N", N a number */
	uint64_t processors;            /* 0: not known, or several numbers, merged */
	uint64_t bind_now;
	uint64_t hardware_attempts; /* RECORDING_UNSAID: nobody has counted them; then the others are 0 */
	uint64_t hardware_aborts, hardware_fallbacks;
#define HARDWARE_CAUSE(word, name) uint64_t hardware_##word;
#include "hardware.def"
#undef HARDWARE_CAUSE
	uint64_t wasted_aborts, wasted_ns, undecided_aborts; /* of the entries and of what was evicted */
};

/* Invariants, once loaded: each string reference lies in `strings`, which ends with a NUL; each module of a site,
 * site of a traceback and traceback of an entry, block or place exists. Records that lack estimates have them. Numbers
 * of reasons, contentions, grades and threads are as the file has them. */
struct recording {
	struct file file;
	struct recording_info info;
	const char *strings;
	size_t strings_len;
	const struct stmlog_module_record *modules;
	size_t module_count;
	const struct stmlog_site_record *sites;
	size_t site_count;
	const uint32_t *traceback_words;
	size_t *traceback_at; /* where each begins among the words */
	size_t traceback_count;
	size_t deepest;                           /* how many frames of each are given */
	const struct stmlog_total_record *totals; /* without the evicted one */
	size_t total_count;
	uint64_t evicted_count, evicted_lost_ns;
	double evicted_estimated_ns, evicted_variance_ns2;
	bool has_estimates; /* of its own; without, all estimates are what was measured */
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
	const struct stmlog_path_record *paths; /* none in files of earlier versions */
	size_t path_count;
	const struct stmlog_transaction_record *transactions; /* likewise */
	size_t transaction_count;
	char fault[200];
};

#define RECORDING_UNSAID UINT64_MAX
#define RECORDING_MIXED "mixed"

/* True if transactions ran in hardware, and nobody has seen which of these aborted. */
bool recording_misses_hardware(const struct recording *recording);

/* True if no abort is missing in the threads' sums, and no commit where those are known at all. */
bool recording_has_exact_totals(const struct recording *recording);

enum recording_status {
	RECORDING_WHOLE,
	RECORDING_PARTIAL, /* fault says where it ends; info, totals and threads are whole */
	RECORDING_UNUSABLE /* fault says why */
};

/* Call recording_fini() in any case. */
enum recording_status recording_load(struct recording *recording, const char *path);
void recording_fini(struct recording *recording);

/* Requires a reference of a record of this recording. */
static inline const char *recording_string(const struct recording *recording, uint32_t string)
{
	return string < recording->strings_len ? recording->strings + string : "";
}

/* Entries may share tracebacks without limit, so that what a report says of them all could be far larger than the
 * file. Where entries have more frames than this together, each traceback is given by its innermost ones. */
enum { RECORDING_MOST_FRAMES = 1 << 20, RECORDING_LEAST_DEPTH = 16 };

struct recording_traceback {
	bool is_known;
	bool is_cut; /* frames further out are missing */
	size_t len;
	const uint32_t *sites; /* innermost first */
};
struct recording_traceback recording_traceback(const struct recording *recording, uint32_t traceback);

/* True if only some transactions were measured. */
static inline bool recording_is_sampled(const struct recording *recording)
{
	return recording->info.sampled != 0 || recording->info.sample_every > 1;
}

/* The block of memory that `address` lies in; NULL: none that is known. */
const struct stmlog_block_record *recording_block(const struct recording *recording, uint64_t address);

/* All that was lost, evicted or not. */
struct recording_sum {
	uint64_t count;
	uint64_t lost_ns;
	double estimated_ns;
	double variance_ns2;
};
struct recording_sum recording_total(const struct recording *recording);

#endif
