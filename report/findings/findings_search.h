/* SPDX-License-Identifier: MIT
 * What the rules of findings share: the recording that is searched, sums of losses by group, and thresholds. */
#ifndef FINDINGS_SEARCH_H
#define FINDINGS_SEARCH_H

#include "blocked.h"
#include "findings.h"
#include "tally.h"

/* The minimal count of losses for a finding. For sums of time see findings_is_enough(). */
enum { FINDINGS_MIN = ESTIMATE_MIN_LOSSES };

/* Findings are uncertain if the threads were off the processors for at least this part of their time. */
enum { FINDINGS_UNCERTAIN_PERCENT = 30 };

/* The maximal number of findings of one rule. */
enum { FINDINGS_PER_RULE_MAX = 3 };

/* The part of an entry's losses that no finding has claimed yet, from 0 to 1: of all losses, and of those that findings
 * about true conflicts may claim: the losses that are no false conflicts, and false conflicts of two words of one
 * object. Invariant: true_ones <= all. */
struct findings_rest {
	double all, true_ones;
};

/* A finding has claimed this part of the entry's losses. */
struct findings_claim {
	uint32_t entry, finding;
	double part;
};

/* The losses of a finding, and those among them that are consequences of its own losses. */
struct findings_cost {
	struct tally_sum sum;
	struct tally_sum starved; /* waits for transactions that starve because of the finding */
	struct tally_sum commits; /* waits at commits for transactions that restart because of the finding */
	uint32_t polling;         /* the place of a transaction that polls, else PLACE_UNKNOWN */
	double cancelled;         /* the part of its attempts that are cancelled, from 0 to 1 */
};

/* The measured time of the transactions that begin at a place, and the number of attempts in it. */
struct findings_length {
	double commits, attempts, committed_ns, aborted_ns;
};

struct findings_search {
	const struct report *report;
	const struct recording *recording;
	struct places *places;
	struct estimate total;         /* all lost time */
	uint64_t aborts;               /* measured, and not asked for by the program */
	uint64_t all_aborts;           /* measured */
	uint64_t unmeasured_ns;        /* the time of aborts that no measured abort explains */
	uint64_t counted[FINDING_OFS]; /* the counts that thresholds refer to: OBJECTS and CULPRITS */
	uint64_t threads_ns;           /* the time of all threads */
	uint64_t running_ns;           /* the part of it in which the threads were not known to be off the processor */
	bool *is_begin;                /* by place: whether transactions begin there */
	size_t place_count;
	struct findings_rest *rest;      /* by entry */
	uint8_t *same;                   /* by entry: a bit for each slot, see findings_is_same_object() */
	struct findings_length *lengths; /* by place */
	struct findings_length all;      /* of all places */
	struct blocked blocked;          /* by place */
	struct findings found;
	struct findings_cost *cost; /* by finding */
	size_t cap;
	struct findings_claim *claims; /* made by findings_claim_by() */
	size_t claim_len, claim_cap;
};

/* ---- groups of losses ---- */

struct findings_origin {
	uint32_t entry, slot;
};

/* Losses grouped by a key of two numbers, as in tally.h. origin[row->first] is where the first loss of a row comes
 * from. */
struct findings_group {
	struct tally tally;
	struct findings_origin *origin;
};

struct findings_group findings_group_make(const struct findings_search *search, size_t max);
void findings_group_add(struct findings_group *group, uint64_t key0, uint64_t key1, const struct tally_sum *sum,
	struct findings_origin origin);
/* Merges rows of equal keys, and sorts the rows, the costliest first. */
void findings_group_sort(struct findings_group *group);
void findings_group_drop(struct findings_group *group);

/* This part of the sum, from 0 to 1. */
struct tally_sum findings_part(const struct tally_sum *sum, double part);

/* `count` as a part of the entry's losses, from 0 to 1. */
double findings_part_of(uint64_t count, const struct stmlog_entry_record *entry);

/* ---- claims: a loss belongs to the first finding that it is a part of ---- */

/* The part of the entry's losses that rules about transactions may still claim. Of a wait at the commit, the part in
 * which the other thread was off the processor is excluded, see findings_off_processor(). */
double findings_rest(const struct findings_search *search, size_t entry);

/* Of a wait at the commit, the part in which the other thread was off the processor, from 0 to 1. The waiting thread
 * does not sleep there, so the time that it was itself off the processor tells how much other threads wanted the
 * processors. */
double findings_off_processor(const struct findings_search *search, const struct stmlog_entry_record *entry);

/* Claims a part of the entry's true or false conflicts, at most the part that is left. */
void findings_claim_true(struct findings_search *search, size_t entry, double part);
void findings_claim_false(struct findings_search *search, size_t entry, double part);

/* Claims the part of the entry's losses that is left. */
void findings_claim_rest(struct findings_search *search, size_t entry);

/* Claims a part of the entry's losses for a finding, which becomes the root of their consequences: findings_settle()
 * adds these to the finding. Requires that findings_add() has made the finding, and that there is such an entry. */
void findings_claim_by(struct findings_search *search, size_t finding, size_t entry, double part, bool are_true);

/* ---- thresholds ---- */

/* Whether the losses reach the rule's threshold and the recording supports them. A rule that counts needs FINDINGS_MIN
 * losses; a rule of times needs these, or a measured time that reaches the threshold without an estimate. A rule that
 * counts has no threshold of time here: consequences of its losses are added later. */
bool findings_is_enough(const struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum);

/* Whether the rule can apply under the recording's method. */
bool findings_can_be(const struct recording *recording, enum finding_rule rule);

/* Whether the losses have enough of the threads' time to be worth a change, and `percent` of all lost time. */
bool findings_is_enough_time(const struct findings_search *search, unsigned percent, const struct tally_sum *sum);

/* Whether the losses, of which `aborts` are aborts, have enough of the threads' time to be worth a change. Some aborts
 * are timed but not measured, and no entry has their time. The losses get the same part of it that they have of the
 * measured aborts. */
bool findings_is_worth(const struct findings_search *search, const struct tally_sum *sum, uint64_t aborts);

/* Makes the findings of a rule from a group: calls `make` for the rows that are enough for the rule, the costliest
 * first, until FINDINGS_PER_RULE_MAX are made. `make` returns false if it makes no finding of the row. Frees the group.
 */
typedef bool findings_make(struct findings_search *search, const struct tally_row *row, struct findings_origin origin);
void findings_make_each(
	struct findings_search *search, enum finding_rule rule, struct findings_group group, findings_make *make);

/* ---- adding findings ---- */

/* Adds a finding with its figures and the rule's advice. It owns `where_text` and `because_text` from now on; the
 * caller sets the other members. The pointer is valid until the next call. */
struct finding *findings_add(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	char *where_text, char *because_text);

/* Sets the time of a finding whose time is not a sum of losses, at most all lost time. */
void findings_set_estimate(const struct findings_search *search, struct finding *finding, const struct estimate *lost);

/* Lost time as a share of the threads' time, "12.3 %". For all lost time, the share is the one that the screen shows.
 */
struct number findings_share_of_time(const struct findings_search *search, uint64_t ns);

/* Sets the lost time of the finding of this number to its cost. */
void findings_set_lost(struct findings_search *search, size_t number);

/* Adds the consequences of losses to the findings that have these losses (findings_roots.c). Then drops the findings
 * that still have too little of the threads' time; in an uncertain recording all of them but one. Called once, after
 * the rules that name causes and before those that name possible consequences. */
void findings_settle(struct findings_search *search);

/* ---- two words of one object ---- */

/* Finds the conflicts between two words of one object. Called when places are known. */
void findings_find_objects(struct findings_search *search);

/* Whether the slot has a conflict between two different words; whether these lie in one stripe; and whether they belong
 * to one object that both transactions use. */
bool findings_is_false_slot(const struct stmlog_entry_record *entry, size_t slot);
bool findings_is_near(const struct findings_search *search, const struct stmlog_entry_record *entry, size_t slot);
bool findings_is_same_object(const struct findings_search *search, size_t entry, size_t slot);

/* Whether the entry's conflicts lie in several stripes, and all between words at the same distance, like two members of
 * nodes. */
bool findings_are_like_nodes(const struct findings_search *search, size_t entry);

/* The part of the entry's false conflicts within one stripe that are over one object, from 0 to 1. */
double findings_same_part(const struct findings_search *search, size_t entry);

/* ---- how long transactions are ---- */

/* Adds up the measured time by the places where transactions begin. */
void findings_measure_lengths(struct findings_search *search);

/* The mean time of an attempt of the transactions that begin at `place`, and of all other transactions. 0: not known.
 */
double findings_attempt_ns(const struct findings_search *search, uint32_t place);
double findings_other_attempts_ns(const struct findings_search *search, uint32_t place);

/* Of the time of the attempts that begin at `place`, the part of the aborted ones, from 0 to 1. */
double findings_aborted_part(const struct findings_search *search, uint32_t place);

/* How often and how long transactions that begin at `place` have waited after a retry; NULL: never. */
const struct stmlog_blocked_record *findings_sleeps(const struct findings_search *search, uint32_t place);

/* ---- places ---- */

/* The number of the frame, from the innermost on, where the transaction of this traceback begins. 0 if no frame is
 * known to be a beginning. */
size_t findings_begin(const struct findings_search *search, uint32_t traceback);

/* The place where the transaction of this traceback begins; PLACE_UNKNOWN if the traceback is unknown. */
uint32_t findings_begin_place(const struct findings_search *search, uint32_t traceback);

/* The place where the victim's transaction begins, as far as it is known; else its innermost place. */
uint32_t findings_victim_place(const struct findings_search *search, const struct stmlog_entry_record *entry);

/* "book.cc:69 Book::audit": the frame of this number of a traceback; "unknown" where there is none. */
char *findings_frame_text(const struct findings_search *search, uint32_t traceback, size_t number);
char *findings_place_text(const struct findings_search *search, uint32_t place);

/* The name of an object, shortened; the name of a bare address without its stripe. Frees `name`. */
char *findings_object_text(char *name);

/* Whether the entry is an abort because of a conflict over data, which the program has not asked for. */
bool findings_is_data_abort(const struct stmlog_entry_record *entry);

/* The entry with most aborts at reads of the transaction that begins at `place`, of those that no finding has claimed.
 * SIZE_MAX if these aborts are not mostly in the function of that entry's innermost frame. */
size_t findings_reader_of(const struct findings_search *search, uint32_t place);

/* "reads at book.cc:69 audit": the function that reads; "" if it is the transaction's own function. */
char *findings_reader_text(const struct findings_search *search, uint32_t place);

/* Whether the entry is a wait at a commit until older transactions have ended. */
bool findings_is_commit_wait(const struct findings_search *search, const struct stmlog_entry_record *entry);

/* Whether the entry's losses are waits of others for a starved transaction, or its own waits until it may run alone;
 * sets *place to where that transaction begins. */
bool findings_is_starvation(
	const struct findings_search *search, const struct stmlog_entry_record *entry, uint32_t *place);

/* Whether the entry's detail is this word. */
bool findings_has_detail(
	const struct findings_search *search, const struct stmlog_entry_record *entry, const char *word);

/* From this rule on, rules name losses that may be consequences of others. */
enum { FINDINGS_THAT_FOLLOW = FINDING_STARVATION };

/* ---- the rules, by subject; each adds its findings and claims their losses ---- */

void findings_irrevocable(struct findings_search *search);
void findings_starvation(struct findings_search *search);

void findings_commit_wait(struct findings_search *search);
void findings_privatization(struct findings_search *search);

void findings_false_sharing(struct findings_search *search);
void findings_lock_alias(struct findings_search *search);
void findings_hot_word(struct findings_search *search);

/* The part of the entry's losses that were true conflicts over the word at this address, as far as they are left. */
double findings_part_over_word(const struct findings_search *search, size_t number, uint64_t address);

void findings_herd(struct findings_search *search);
void findings_polling(struct findings_search *search);

void findings_large_read_set(struct findings_search *search);
void findings_self_conflict(struct findings_search *search);
void findings_mutual_pair(struct findings_search *search);
void findings_one_place(struct findings_search *search);

void findings_one_at_a_time(struct findings_search *search);
void findings_one_lock(struct findings_search *search);

void findings_descheduled_holder(struct findings_search *search);
void findings_little_lost(struct findings_search *search);

#endif
