/* SPDX-License-Identifier: MIT
 *
 * Foresees what the program would do without the cause of a finding, with another method of libitm's or with other
 * threads: it replays the recorded transactions as they were and changed, in turns, and compares.
 *
 * First the replay is checked: as they were, the transactions must come to the commits per second and the attempts per
 * commit of the recording. How far they do not widens each interval; where they are too far off, nothing is said.
 */
#ifndef FORESEE_H
#define FORESEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <stmlog/format.h>

#include "findings.h"
#include "report.h"

/* Commits per second, as a multiple of those of the program as it is. */
struct foresee_ratio {
	double value, low, high; /* 0: not known */
};

/* The replay of the program as it is, beside the recording. */
struct foresee_check {
	double recorded_per_s, replayed_per_s;           /* commits */
	double recorded_per_commit, replayed_per_commit; /* attempts */
	double off;                                      /* how far the replay is off: 0.1 stands for a tenth */
	const char *why_not; /* why there is no answer; NULL: there are answers. Never freed */
};

enum { FORESEE_METHODS = 3 };

struct foresee_method {
	const char *name;
	struct foresee_ratio ratio;
};

/* Without the cause of a finding. */
struct foresee_mended {
	struct foresee_ratio ratio;
	enum stmlog_gain_way way;
};

struct foreseen {
	struct foresee_check check;
	struct foresee_ratio one_thread;                /* instead of all */
	struct foresee_ratio all_own;                   /* if no two threads shared data */
	struct foresee_method methods[FORESEE_METHODS]; /* others than that of the recording */
	size_t threads;                                 /* of the replay */
	struct foresee_mended *findings;                /* in the order of the findings; owned */
	size_t finding_count;
};

struct foresee_effort {
	double seconds; /* of all replays together, about */
	unsigned tries; /* so often, at most, where the check fails: a machine that was slower than during the run may
			   be as quick again */
	double line_ns; /* how near the processors were while the program ran (line_transfer.h); 0: not known */
};

/* Replays. Call foreseen_fini(). */
struct foreseen foresee(
	const struct report *report, const struct findings *findings, const struct foresee_effort *effort);
void foreseen_fini(struct foreseen *foreseen);

/* How many threads a replay of the recording has. */
size_t foresee_threads(const struct recording *recording);

/* One row of a prediction: with so many threads, by a method (NULL: that of the recording). */
struct foresee_row {
	size_t threads;
	const char *method;
	struct foresee_ratio ratio;
	double commits_per_s, low_per_s, high_per_s; /* by the recording's commits per second and the ratio */
	double failed;                               /* the part of the attempts that fail, from 0 to 1 */
};

/* Fills the rows, whose first two members are given. Returns the check. */
struct foresee_check foresee_rows(
	const struct report *report, struct foresee_row *rows, size_t len, const struct foresee_effort *effort);

/* ---- what is foreseen, for people and as JSON ---- */

void foresee_text(const struct printer *out, const struct foreseen *foreseen, const struct findings *findings);
void foresee_json(FILE *out, const struct foreseen *foreseen, const struct findings *findings);

void foresee_rows_text(
	const struct printer *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len);
void foresee_rows_json(FILE *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len);

/* ---- what is foreseen, in the recording ---- */

/* Writes the file anew, with the section GAINS; `line_ns` as in foresee_effort. Returns false, prints why, and leaves
 * the file as it was, if that cannot be done. Nothing is written if the replay has not taken place. */
bool foresee_save(const char *path, const struct foreseen *foreseen, const struct findings *findings, double line_ns);

/* Replays the recording of a program that has just run, for about so many seconds, and puts the gains of its first
 * findings into it. Does nothing for a short run, which has few accesses, or one that loses little; nor where nothing
 * can be replayed. `line_before_ns`: how near the processors were before it ran (line_transfer.h). */
void foresee_at_end(const char *path, double line_before_ns, double seconds);

/* How near the processors were, as foresee_save() has written it; 0: not known. */
double foresee_line_ns(const struct recording *recording);

#endif
