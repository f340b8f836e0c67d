/* SPDX-License-Identifier: MIT
 * Whether the runs of two sides are comparable: which program each was a run of, and how it was measured. */
#ifndef DIFF_FACTS_H
#define DIFF_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"

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

/* Room for so many runs. */
struct diff_facts diff_facts_init(size_t runs);
void diff_facts_fini(struct diff_facts *facts);
void diff_facts_add(struct diff_facts *facts, const struct recording *recording, const char *path);

/* Calls `print_line` with a line for each fact in which the sides differ, for each run that comes twice, and if the
 * sides look swapped. */
void diff_facts_compare(const struct diff_facts *old, const struct diff_facts *new,
	void (*print_line)(const char *line, void *arg), void *arg);

#endif
