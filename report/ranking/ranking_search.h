/* SPDX-License-Identifier: MIT
 * What the parts of the ranking share: the losses with the transactions because of which they were lost, and the names
 * of places. */
#ifndef RANKING_SEARCH_H
#define RANKING_SEARCH_H

#include "ranking.h"

/* An entry of the recording: because of which transaction its losses were lost, and by which. Both are places where
 * transactions begin (symbol.h), or where they were if the beginning is not known. */
struct ranking_loss {
	enum ranking_kind kind; /* RANKING_KINDS: the program has asked for it, and it is no loss */
	enum ranking_how how;
	uint32_t culprit; /* PLACE_UNKNOWN, unless the kind is RANKING_TRANSACTION */
	uint32_t victim;
	uint32_t starved; /* has run alone, since the culprit has made it fail; PLACE_UNKNOWN: none */
	double ns;        /* estimated for all transactions */
};

/* The measured time of the transactions that begin at a place, and the number of attempts in it. */
struct ranking_length {
	double commits, attempts, committed_ns, aborted_ns;
	double estimated_commits; /* of all, measured or not */
	double reads, reads_known;
	uint64_t max_attempts; /* of one transaction */
};

/* The transaction that has woken those of a place most often at one write that was measured. */
struct ranking_waker {
	uint32_t place;
	uint64_t count; /* 0: none is known */
};

struct ranking_search {
	const struct report *report;
	const struct recording *recording;
	struct places *places;
	bool *is_begin;                        /* by place: whether transactions begin there */
	struct ranking_loss *losses;           /* by entry */
	struct ranking_length *lengths;        /* by place */
	struct ranking_length all;             /* of all places */
	struct ranking_waker *wakers;          /* by place */
	double scale[STMLOG_ACCOUNT_ROWS + 1]; /* account_scale(); the last is of reasons that are not known */
	double *cancelled; /* by place: how many attempts the program has cancelled, measured ones */
};

struct ranking_search ranking_search_begin(const struct report *report);
void ranking_search_end(struct ranking_search *search);

/* The place of the row that the loss belongs to, among those of its kind. */
uint32_t ranking_row_place(const struct ranking_loss *loss);

/* Whether the losses of the entry belong to the row. */
bool ranking_is_of(const struct ranking_search *search, size_t entry, const struct ranking_row *row);

/* Whether the row's costliest wait has this word of the runtime. */
bool ranking_has_wait(const struct ranking_search *search, const struct ranking_row *row, const char *word);

/* The traceback of the transaction that the entry's losses were for: of the starved one, if the entry has one, else of
 * the culprit. Without one, the victim's own, if victim and culprit are the same transaction. */
uint32_t ranking_traceback(const struct ranking_search *search, size_t entry);

/* Frames that libitm's agent adds, as "(starved: runs alone after 101 failed attempts)". HOLDER: of a lock, whose write
 * was not recorded; the last two: of a transaction that was waited for. Returns the name of the traceback's frame that
 * begins so, borrowed from the recording; NULL: there is none. */
#define RANKING_STARVED_FRAME "(starved: "
#define RANKING_HOLDER_FRAME "(holder: "
#define RANKING_LONG_FRAME "(long: "
#define RANKING_PREEMPTED_FRAME "(preempted: "
const char *ranking_frame(const struct ranking_search *search, uint32_t reference, const char *begin);

/* The transaction to which those of `place` have lost most by conflicts; PLACE_NO_FRAMES: none is known. */
uint32_t ranking_aborter(const struct ranking_search *search, uint32_t place);

/* Whether libitm's method runs one transaction at a time. */
bool ranking_is_serial(const struct ranking_search *search);

/* The part of its attempts that the program cancels, from 0 to 1, of the transactions that begin at a place. */
double ranking_cancelled_part(const struct ranking_search *search, uint32_t place);

/* The mean time of an attempt of the transactions that begin at `place`, and of all others; 0: not known. */
double ranking_attempt_ns(const struct ranking_search *search, uint32_t place);
double ranking_other_attempts_ns(const struct ranking_search *search, uint32_t place);

/* ---- places ---- */

/* Where the transaction of a traceback begins. */
struct place_begin ranking_begin(const struct ranking_search *search, uint32_t traceback);

/* The place where the transaction of this traceback begins; PLACE_UNKNOWN if the traceback is unknown. */
uint32_t ranking_begin_place(const struct ranking_search *search, uint32_t traceback);

/* Whether the traceback has the place of an access, and not only the beginning of its transaction. */
bool ranking_has_access(const struct ranking_search *search, uint32_t traceback);

/* "transfer" and "bank.c:61" of a frame, owned; "" if its line is not known. */
char *ranking_function_text(const struct symbol_frame *frame);
char *ranking_line_text(const struct symbol_frame *frame);

/* "transfer bank.c:61", or "transfer :61" if the frame is of this file (NULL: of none). Owned. */
char *ranking_place_text(const struct symbol_frame *frame, const char *file);

/* ---- the lines of a row ---- */

/* Sets the row's data, objects and data_text (ranking_data.c). */
void ranking_set_data(const struct ranking_search *search, struct ranking_row *row);

/* Sets the row's call, how_text and try_text (ranking_text.c). All rows are known, with their data. */
void ranking_set_texts(const struct ranking_search *search, const struct ranking *ranking, struct ranking_row *row);

/* As struct ranking has it. Owned. */
char *ranking_wakes_text(const struct ranking_search *search);

#endif
