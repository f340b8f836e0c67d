/* SPDX-License-Identifier: MIT
 * Compares two sides of a few runs each: whether the new side loses more than the old one, in all and by key, and
 * whether its regions (stmlog/timeline.h) are slower. Runs differ in length, so losses are taken per committed
 * transaction; or per second of the run, if a run does not know its commits. */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dictionary.h"
#include "recording.h"
#include "statistics.h"
#include "symbol.h"

/* ---- facts: whether the runs of two sides are comparable ----
 * Which program each was a run of, and how it was measured. */

/* Facts that should be the same on both sides. */
enum {
	DIFF_FACT_PROGRAM,
	DIFF_FACT_ARGUMENTS,
	DIFF_FACT_RUNTIME,
	DIFF_FACT_METHOD,
	DIFF_FACT_PROCESSORS,
	DIFF_FACT_CLOCK,
	DIFF_FACT_OPTIONS,
	DIFF_FACT_AGENTS, /* that were preloaded, objects or not */
	DIFF_FACT_MEASURED,
	DIFF_FACTS
};

/* The identity of a run, which copies of its file share. */
struct diff_identity {
	const char *path; /* borrowed */
	uint64_t unix_ns; /* 0: not known */
	uint64_t began_ns;
	uint64_t pid;
};

/* Of one side. Invariant: texts[f][i] is the value of fact f in run i. */
struct diff_facts {
	size_t len;
	struct diff_identity *runs;
	char **texts[DIFF_FACTS];
	size_t min_threads;
	size_t max_threads;
	size_t descheduled_known; /* in how many runs it is */
	double min_descheduled;   /* shares of the threads' time, of these */
	double max_descheduled;
	size_t incomplete; /* how many runs lack events, and so have regions of which time or work is missing */
};

/* ---- keys: the losses of one side's runs ----
 * Keys mean the same in another build of the program: the cause, and the names of functions and files in both
 * tracebacks, without addresses. Of a file only the last part of its path counts, since each build may have its own
 * directory. Frames outside of main are left out. A frame without a function has its module.
 *
 * Losses of equal names but different lines are different keys, in the order of their lines. So an edit further up in a
 * file, which moves lines but keeps their order, makes no new key. */

/* The texts are borrowed from `words` of the keys. */
struct diff_frame {
	const char *function;     /* NULL: not known */
	const char *file;         /* NULL: not known; without a function, the module */
	uint32_t line, last_line; /* as in struct symbol_frame */
};

/* Innermost first. The frames are borrowed from the keys. */
struct diff_traceback {
	bool is_known;
	size_t len;
	struct diff_frame *frames;
	uint64_t number; /* equal for equal names and lines of one side */
};

/* Estimates for all transactions. paused_ns is the time of pauses and waits, which are no aborts. */
struct diff_loss {
	double lost_ns;
	double paused_ns;
	double aborts;
};

struct diff_key {
	bool is_evicted; /* the key of all evicted entries, without any other member; they count as aborts */
	uint32_t reason;
	uint32_t contention;
	const char *detail; /* borrowed from `words` of the keys */
	struct diff_traceback local;
	struct diff_traceback remote;
	struct diff_loss losses[]; /* one per run */
};

struct diff_keys {
	struct dictionary
		dictionary; /* of causes and numbers of tracebacks; its numbers are those of the keys, from 1 */
	struct dictionary tracebacks; /* of numbers of frames; its numbers are those of `made`, from 1 */
	struct diff_traceback *made;
	size_t made_cap;
	struct dictionary numbers; /* of names and lines; its numbers are those of `frames`, from 1 */
	struct diff_frame *frames;
	size_t frames_cap;
	struct diff_key **at;
	size_t len;
	size_t cap;
	size_t runs;
	struct dictionary words; /* names of functions, files and causes */
	char *text;              /* where texts are made */
	size_t text_len, text_cap;
};

/* ---- the comparison ---- */

/* DIFF_THROUGHPUT is of whole runs: no key has a part in it. Those behind it are of regions, and no choice of the user:
 * work per second, time of each outermost region, work of a run, and time of a run. */
enum diff_metric {
	DIFF_LOST,
	DIFF_ABORTS,
	DIFF_PAUSED,
	DIFF_RATE,
	DIFF_THROUGHPUT,
	DIFF_SPEED,
	DIFF_EACH,
	DIFF_WORK,
	DIFF_TIME
};

/* With fewer runs than DIFF_MIN_RUNS there is no verdict: three runs a side cannot reach an alpha of 0.05. */
enum { DIFF_OLD, DIFF_NEW, DIFF_MIN_RUNS = 4, DIFF_GOOD_RUNS = 10, DIFF_TOP = 10 };

struct diff_options {
	enum diff_metric metric;
	double threshold; /* a share: 0.1 is 10 % */
	double alpha;
	size_t top;   /* how many keys are listed, where not all are */
	bool has_top; /* else keys that most runs do not have are not listed, either */
};

/* Where the user has chosen nothing else. */
#define DIFF_USUAL ((struct diff_options){.metric = DIFF_LOST, .threshold = 0.1, .alpha = 0.05, .top = DIFF_TOP})

/* The sums of a run; estimates for all transactions. They are those of the account's rows: of a sampled run the entries
 * have less, since losses that were only timed may belong to no entry. */
struct diff_run {
	const char *path;
	double commits; /* 0: not known, or none */
	double wall_ns;
	double lost_ns;
	double paused_ns;
	double aborts;
};

struct diff_side {
	size_t len;
	struct diff_run *runs;
	struct diff_facts facts;
	struct diff_keys keys;
};

/* UNCLEAR: not significant. LITTLE: significant, but within the threshold. */
enum diff_verdict { DIFF_UNCLEAR, DIFF_LITTLE, DIFF_BETTER, DIFF_WORSE };

/* The comparison of the whole runs, or of one key, by the metric. A side that does not have the key has values of 0. */
struct diff_row {
	enum diff_metric metric;
	const struct diff_key
		*key[2];   /* NULL: that side does not have the key; both NULL: the whole runs, or a region */
	double *values[2]; /* one per run */
	struct statistics_median median[2];
	struct statistics_u u;
	double weight; /* of a key: its share of the sum of all keys, in the mean of all runs of both sides. Of a
			* region: likewise, of the times of all regions that are comparable */
	double p;      /* of a key: corrected for all keys, by their weights; of a region: for all regions */
	enum diff_verdict verdict;
	bool is_new;  /* all values of the old side are 0 */
	bool is_gone; /* all values of the new side are 0 */
};

/* Of one tag in one run; all 0: the run has no such region. All are without regions that lie in others of the tag. */
struct diff_region_sum {
	double outermost; /* their number */
	double work;
	double time_ns;
};

/* Why a tag has no verdict: some run has no such region; or some runs say its work, and others do not. */
enum diff_comparable { DIFF_COMPARABLE, DIFF_COMPARABLE_NOT_IN_ALL, DIFF_COMPARABLE_NOT_ALL_WORK };

struct diff_region {
	const char *tag;
	struct diff_region_sum *sums[2]; /* one per run */
	enum diff_comparable comparable;
	struct diff_row judged;     /* DIFF_SPEED; DIFF_EACH if a run with this tag has no work */
	struct diff_row work, time; /* of whole runs; they have no verdict */
	double mean_ns;             /* the mean time in all runs of both sides, at least 1 */
};

/* Invariant: is_decided, or no row has a verdict. */
struct diff {
	struct diff_options options;
	struct diff_side sides[2];
	bool is_per_second;
	bool is_decided;
	struct diff_row whole;
	/* Commits per second, beside another metric: it has a verdict, but is no regression. */
	bool has_throughput;
	struct diff_row throughput;
	struct diff_row *rows; /* of keys, largest change first; without keys that are 0 in all runs */
	size_t len;
	/* Of functions: all keys whose innermost frames are in the same function, and in the same one on the other side
	 * of the conflict. Judged only if the verdict of the whole is WORSE: they tell where. */
	struct diff_row *pairs;
	size_t pairs_len;
	struct diff_region **regions; /* those that are worse first, then those of the most time */
	size_t regions_len, regions_cap;
	struct dictionary tags; /* of the regions */
	size_t runs_max[2];     /* the room on each side */
	double min_weight;      /* a key or region of a smaller weight is not significant alone, however much the sides
				   differ */
	size_t too_small;       /* how many keys have a smaller weight */
	size_t worse;           /* how many rows have the verdict WORSE, the whole and the regions included */
};

/* Room for so many runs on each side. */
struct diff diff_init(const struct diff_options *options, const size_t runs[2]);
void diff_fini(struct diff *diff);

/* Loads a run onto a side that has room. Returns false, and prints why, if the run cannot be compared. The path is
 * borrowed until diff_fini(). */
bool diff_load(struct diff *diff, int side, const char *path);

/* Compares the sides, once all runs are loaded. Returns false, and prints why, if a run does not know what the metric
 * needs. */
bool diff_compare(struct diff *diff);

/* "lost", as --metric has it. */
const char *diff_metric_name(enum diff_metric metric);

/* "ns lost per transaction" */
const char *diff_unit(const struct diff *diff);

/* (new - old) / old; infinite if only old is 0. */
double diff_change(const struct diff_row *row);

/* The function of the innermost frame; "unknown" if it has none. Borrowed from the traceback. */
const char *diff_pairs_function(const struct diff_traceback *traceback);

/* ---- printing ---- */

void diff_text(const struct diff *diff, FILE *out);
/* Of the text the lines about the whole and the verdict, each in one piece and without colour. */
void diff_text_verdict(const struct diff *diff, FILE *out);
void diff_json(const struct diff *diff, FILE *out);
void diff_markdown(const struct diff *diff, FILE *out);

/* ---- diff_facts.c ---- */

/* Room for so many runs. */
struct diff_facts diff_facts_init(size_t runs);
void diff_facts_fini(struct diff_facts *facts);
void diff_facts_add(struct diff_facts *facts, const struct recording *recording, const char *path);

/* Calls `print_line` with a line for each fact in which the sides differ, for each run that comes twice, and if the
 * sides look swapped. */
void diff_facts_compare(const struct diff_facts *old, const struct diff_facts *new,
	void (*print_line)(const char *line, void *arg), void *arg);

/* ---- diff_keys.c ---- */

/* Room for `runs` runs. */
struct diff_keys diff_keys_init(size_t runs);
void diff_keys_fini(struct diff_keys *keys);

/* Adds the losses of the recording, which is run number `run`, from 0 on. `aborts_per_entry` is the number of all
 * aborts for each abort in the entries, which have the measured ones only. */
void diff_keys_add(struct diff_keys *keys, size_t run, const struct recording *recording, struct symbols *symbols,
	double aborts_per_entry);

/* Compares keys, perhaps of different sides, by all but the lines: less than, equal to or greater than 0. Equal keys
 * have equally many frames, whatever bytes the names have. */
int diff_keys_compare(const struct diff_key *left, const struct diff_key *right);

/* The same key on both sides; NULL: that side does not have it. Borrowed. */
struct diff_match {
	const struct diff_key *key[2];
};

/* Matches the keys of both sides. Returns each key once, an array that the caller frees.
 *
 * If both sides have the same number of keys of equal names, these are matched in the order of their lines. Otherwise
 * one side has additional keys. Of all matchings that keep the order of lines, the best one has
 *   - the fewest edits: places between neighbouring keys where the distance that lines have moved changes;
 *   - of these, the smallest changes of that distance;
 *   - of these, the smallest distances;
 *   - of these, the additional keys first. */
struct diff_match *diff_keys_match(const struct diff_keys *old, const struct diff_keys *new, size_t *len);

/* ---- diff_judge.c: which rows differ, and whether for the worse ---- */

/* Sets medians, the test and its p from the values of a row, and the other members that follow from these. */
void diff_row_fill(const struct diff *diff, struct diff_row *row);

/* How much greater the new median is. */
double diff_more(const struct diff_row *row);

/* Sets weights, corrected p and verdicts of all rows, and the counts of *diff. Requires that the rows are filled, and
 * that each key has a value that is not 0. */
void diff_judge(struct diff *diff);

#endif
