/* SPDX-License-Identifier: MIT
 * What the rules of findings share: the recording that is searched, sums of losses by group, and thresholds. */
#ifndef FINDINGS_SEARCH_H
#define FINDINGS_SEARCH_H

#include "findings.h"
#include "tally.h"

/* No count below this supports a finding; for sums of time see findings_is_enough(). */
enum { FINDINGS_LEAST = ESTIMATE_LEAST_LOSSES };

/* What no finding has claimed yet of an entry, as parts of its losses from 0 to 1: of all, and of those that are no
 * false conflicts. Invariant: true_ones <= all. */
struct findings_rest {
	double all, true_ones;
};

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
	struct findings_rest *rest; /* by entry */
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

/* This part of the losses, from 0 to 1. */
struct tally_sum findings_part(const struct tally_sum *sum, double part);

/* `count` as a part of the entry's losses, from 0 to 1. */
double findings_part_of(uint64_t count, const struct stmlog_entry_record *entry);

/* ---- claims: a loss belongs to the first finding that it is a part of ---- */

/* The part of the entry's losses that rules about transactions may still claim: of a wait at the commit not the part in
 * which the other thread was off the processor, see findings_off_processor(). */
double findings_rest(const struct findings_search *search, size_t entry);

/* Of a wait at the commit, the part in which the other thread was off the processor, from 0 to 1. The waiting thread
 * does not sleep there, so what it was off the processor itself tells how much other threads wanted the processors. */
double findings_off_processor(const struct findings_search *search, const struct stmlog_entry_record *entry);

/* Claims a part of the entry's losses, no more than is left: of true conflicts, or of false ones. */
void findings_claim_true(struct findings_search *search, size_t entry, double part);
void findings_claim_false(struct findings_search *search, size_t entry, double part);

/* Claims what is left of the entry. */
void findings_claim_rest(struct findings_search *search, size_t entry);

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

/* The name of an object, shortened; of a bare address without the stripe that it lies in. Frees `name`. */
char *findings_object_text(char *name);

/* Whether the entry is a conflict over data: no wait, and no part of a story of its own. */
bool findings_is_data_abort(const struct stmlog_entry_record *entry);

/* Whether the entry's detail is this word. */
bool findings_has_detail(
	const struct findings_search *search, const struct stmlog_entry_record *entry, const char *word);

/* ---- the rules, by subject; each adds its findings and claims their losses ---- */

void findings_irrevocable(struct findings_search *search);
void findings_starvation(struct findings_search *search);
void findings_commit_wait(struct findings_search *search);

void findings_false_sharing(struct findings_search *search);
void findings_lock_alias(struct findings_search *search);
void findings_hot_word(struct findings_search *search);

void findings_lazy_binding(struct findings_search *search);
void findings_capacity(struct findings_search *search);
void findings_lock_held(struct findings_search *search);

void findings_self_conflict(struct findings_search *search);
void findings_mutual_pair(struct findings_search *search);
void findings_one_place(struct findings_search *search);

void findings_descheduled_holder(struct findings_search *search);
void findings_little_lost(struct findings_search *search);

#endif
