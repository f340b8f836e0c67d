/* SPDX-License-Identifier: MIT
 * The words and figures of a comparison, which its formats for people share. Texts are valid UTF-8 without characters
 * that act on a terminal. */
#ifndef DIFF_WORDS_H
#define DIFF_WORDS_H

#include "diff.h"
#include "number.h"

/* The new side's key, whose lines are the current ones; or else the old side's. NULL: a row of whole runs. */
const struct diff_key *diff_words_key(const struct diff_row *row);

/* ---- figures ---- */

/* "104 ns": a value of the row's metric, without what it is per. */
struct number diff_words_value(const struct diff_row *row, double value);

/* "104 ns [101 ns, 108 ns]"; of a single run the value alone. */
struct number diff_words_median(const struct diff_row *row, int side);

/* "+50.0 %"; "from 0"; "~" if the change is not significant. */
struct number diff_words_change(const struct diff_row *row);

/* The text before p, and p, as ", p 0.0286"; "" with one run a side: p is 1 then, whatever the runs are. */
struct number diff_words_p(const struct diff *diff, const char *before, double p);

/* "lost per commit": what the values are. */
const char *diff_words_unit(const struct diff *diff, const struct diff_row *row);

/* "WORSE", "better", "WORSE, new", "vanished"; "lower" or "higher" of a throughput that is no metric; "" if there is
 * nothing to say. */
const char *diff_words_verdict(const struct diff *diff, const struct diff_row *row);

/* ---- names: the caller frees them ---- */

/* "transfer bank.c:61 < worker < main": the innermost frame, and at most so many callers. */
char *diff_words_place(const struct diff_traceback *traceback, size_t callers);

/* "self-abort, write-write, LOCKED_READ" */
char *diff_words_cause(const struct diff_key *key);

/* "transfer bank.c:61, blocked by audit bank.c:80: self-abort, write-write" */
char *diff_words_name(const struct diff_key *key);

/* "transfer, blocked by audit, all causes", of a pair. */
char *diff_words_pair(const struct diff_row *row);

/* The tag of a region. */
char *diff_words_tag(const struct diff_region *region);

/* ---- sentences ---- */

/* "104 ns -> 157 ns, +50.0 %, p 0.0286" */
char *diff_words_figures(const struct diff *diff, const struct diff_row *row);

/* "total: 104 ns -> 157 ns lost per commit, +50.0 %, p 0.0286: WORSE" */
char *diff_words_total(const struct diff *diff);

/* The same of the throughput. Requires has_throughput. */
char *diff_words_throughput(const struct diff *diff);

/* "work 1,000 -> 1,000, time 2.1 ms -> 3.4 ms": sums of a run, medians of the runs. */
char *diff_words_region_sums(const struct diff_region *region);

/* "in some runs only": why the runs cannot decide about a region, however much its sides differ; NULL: they can, or no
 * verdict is possible at all. A constant. */
const char *diff_words_region_undecided(const struct diff *diff, const struct diff_region *region);

/* Why there is no verdict. Requires that is_decided is false. */
char *diff_words_undecided(const struct diff *diff);

/* How many keys are too small for the correction to find them, however much their sides differ. NULL: none. */
char *diff_words_too_small(const struct diff *diff);

/* ---- rows ---- */

/* All keys for a list: those that are worse first, then the others by their change; last those that most runs do not
 * have. The caller frees the array. */
const struct diff_row **diff_words_order(const struct diff *diff);

/* How many of them, from the first on, a short list has. */
size_t diff_words_shown(const struct diff *diff, const struct diff_row *const *order);

#endif
