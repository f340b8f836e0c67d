/* SPDX-License-Identifier: MIT
 * Two sides of a few runs each: whether one loses more than the other, in all and by key. Runs differ in length, so
 * what they have lost is taken per committed transaction; per second of their time where one of them does not know its
 * commits. */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diff_facts.h"
#include "diff_keys.h"
#include "statistics.h"

enum diff_metric { DIFF_LOST, DIFF_ABORTS, DIFF_PAUSED, DIFF_RATE };

/* Of fewer runs on a side nothing is said: three cannot reach an alpha of 0.05. */
enum { DIFF_OLD, DIFF_NEW, DIFF_LEAST_RUNS = 4, DIFF_GOOD_RUNS = 10 };

struct diff_options {
	enum diff_metric metric;
	double threshold; /* a share: 0.1 is 10 % */
	double alpha;
};

/* The sums of a run, all of them estimates. */
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

/* Significant, but not beyond the threshold: little. */
enum diff_verdict { DIFF_UNCLEAR, DIFF_LITTLE, DIFF_BETTER, DIFF_WORSE };

/* Of the whole or of a key; all of it is of the metric. A key that all runs of a side are without is 0 there. */
struct diff_row {
	const struct diff_key *key[2]; /* NULL: that side has no such key; both: the whole */
	double *values[2];             /* one per run */
	struct statistics_median median[2];
	struct statistics_u u;
	double p; /* of a key: corrected for how many there are */
	enum diff_verdict verdict;
	bool is_new;  /* nothing but zeros on the old side; */
	bool is_gone; /* on the new one */
};

/* Invariant: is_decided, or no row has a verdict. */
struct diff {
	struct diff_options options;
	struct diff_side sides[2];
	bool is_per_second;
	bool is_decided;
	struct diff_row whole;
	struct diff_row *rows; /* greatest change first; without those that are 0 in all runs */
	size_t len;
	size_t worse; /* how many rows are, the whole among them */
};

/* Room for so many runs on each side. */
struct diff diff_init(const struct diff_options *options, const size_t runs[2]);
void diff_fini(struct diff *diff);

/* Loads a run onto a side that has room. False: it cannot be compared, which was told in one line. The path is borrowed
 * until diff_fini(). */
bool diff_load(struct diff *diff, int side, const char *path);

/* Compares, once all runs are loaded. False: the metric needs what a run does not know, which was told in one line. */
bool diff_compare(struct diff *diff);

/* "ns lost per transaction" */
const char *diff_unit(const struct diff *diff);

/* New minus old as a share of old; infinite where old is 0 and new is not. */
double diff_change(const struct diff_row *row);

/* ---- what is printed of it ---- */

void diff_text(const struct diff *diff, FILE *out);
void diff_json(const struct diff *diff, FILE *out);

#endif
