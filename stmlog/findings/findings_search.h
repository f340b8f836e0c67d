/* SPDX-License-Identifier: MIT
 * What the rules of findings share: the recording that is searched, sums of losses by group, and thresholds. */
#ifndef FINDINGS_SEARCH_H
#define FINDINGS_SEARCH_H

#include "findings.h"
#include "tally.h"

/* No count below this supports a finding; for sums of time see findings_is_enough(). */
enum { FINDINGS_LEAST = ESTIMATE_LEAST_LOSSES };

struct findings_search {
	const struct report *report;
	const struct recording *recording;
	struct places *places;
	struct estimate total;    /* all lost time */
	uint64_t aborts;          /* measured, and not asked for by the program */
	uint64_t of[FINDING_OFS]; /* the counts that thresholds are parts of: OBJECTS, CULPRITS and HARDWARE */
	uint64_t threads_ns;      /* the time of all threads */
	bool *is_begin;           /* by place: transactions begin there */
	size_t place_count;
	double *explained; /* by entry, from 0 to 1: the part of its losses that a rule has explained */
	struct findings found;
	size_t cap;
};

/* ---- groups of losses ---- */

struct findings_origin {
	uint32_t entry, slot;
};

/* Losses by a key of two numbers, as tally.h; origin[row->first] is the first one of a row. */
struct findings_group {
	struct tally tally;
	struct findings_origin *origin;
};

struct findings_group findings_group_make(const struct findings_search *search, size_t most);
void findings_group_add(struct findings_group *group, uint64_t key0, uint64_t key1, const struct tally_sum *sum,
	struct findings_origin origin);
/* Merges and sorts: the costliest first. */
void findings_group_sort(struct findings_group *group);
void findings_group_drop(struct findings_group *group);

/* `part` of `whole` losses. */
struct tally_sum findings_part(const struct tally_sum *sum, uint64_t part, uint64_t whole);

/* ---- thresholds ---- */

/* Whether the losses reach the rule's threshold and the recording supports them: of counts FINDINGS_LEAST are enough;
 * of times, these or a measured time that reaches the threshold by itself. */
bool findings_is_enough(const struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum);

/* ---- what was found ---- */

/* Adds a finding with its figures. `where_text` and `because_text` are owned by it from now on; the caller sets the
 * other members. Valid until the next call. */
struct finding *findings_add(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	char *where_text, char *because_text);

/* ---- places ---- */

/* The number of the frame, from the innermost on, where the transaction of this traceback begins. 0 if none is known to
 * be a beginning. */
size_t findings_begin(const struct findings_search *search, uint32_t traceback);

/* The place of that frame; PLACE_UNKNOWN without frames. */
uint32_t findings_begin_place(const struct findings_search *search, uint32_t traceback);

/* Where the victim's transaction began, as far as it is known; else its innermost place. */
uint32_t findings_victim_place(const struct findings_search *search, const struct stmlog_entry_record *entry);

/* "book.cc:69 Book::audit": the frame of this number of a traceback; "unknown" where there is none. */
char *findings_frame_text(const struct findings_search *search, uint32_t traceback, size_t number);
char *findings_place_text(const struct findings_search *search, uint32_t place);

/* Whether the entry is a conflict over data: no wait, and no part of a story of its own. */
bool findings_is_data_abort(const struct stmlog_entry_record *entry);

/* Whether the entry's detail is this word. */
bool findings_has_detail(
	const struct findings_search *search, const struct stmlog_entry_record *entry, const char *word);

/* ---- the rules, by subject ---- */

void findings_of_waits(struct findings_search *search);    /* irrevocable, starvation, commit-wait */
void findings_of_data(struct findings_search *search);     /* false-sharing, lock-alias, hot-word */
void findings_of_hardware(struct findings_search *search); /* lazy-binding, capacity, lock-held */
void findings_of_places(struct findings_search *search);   /* self-conflict, mutual-pair, one-place */
void findings_of_whole(struct findings_search *search);    /* descheduled-holder, little-lost */

#endif
