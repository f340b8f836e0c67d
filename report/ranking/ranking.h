/* SPDX-License-Identifier: MIT
 * Ranks the transactions that were in the way of others. Each loss belongs to one row: that of the transaction because
 * of which it was lost. The first screen, the page, `record --live` and JSON print these rows. */
#ifndef RANKING_H
#define RANKING_H

#include "estimate.h"
#include "report.h"

/* How a transaction is in the way, and which words it conflicts over: ranking.def has their pages of `stmlog help`. */
enum ranking_how {
#define HOW(id, ...) RANKING_##id,
#define DATA(id, ...)
#include "ranking.def"
	RANKING_HOWS
};

enum ranking_data {
#define HOW(id, ...)
#define DATA(id, ...) RANKING_##id,
#include "ranking.def"
	RANKING_DATA_KINDS
};

/* Names of both in JSON, which are the words of `stmlog help`. Requires a number of the enumeration. */
const char *ranking_how_name(enum ranking_how how);
const char *ranking_data_name(enum ranking_data data);

enum ranking_kind {
	RANKING_TRANSACTION,
	RANKING_LIBITM,  /* libitm's own bookkeeping: no transaction that was running was in the way */
	RANKING_UNKNOWN, /* the culprits are not known; a row for each victim */
	RANKING_OFF,     /* waits that were for a processor; no row */
	RANKING_KINDS
};

/* A transaction that has lost time because of the row's, with its part of the row's losses. */
struct ranking_loser {
	uint32_t place, traceback;
	char *text;  /* "submit :91", or with the file if it is another one than the row's */
	double part; /* from 0 to 1 */
};

enum { RANKING_LOSERS_MAX = 3, RANKING_OBJECTS_MAX = 4 };

/* The texts are owned, printable, and "" where there is nothing to say. */
struct ranking_row {
	enum ranking_kind kind;
	uint32_t place; /* where the transaction in the way begins, or that which has lost; symbol.h */
	uint32_t
		traceback; /* of the transaction in the way, in its costliest loss, up to its beginning; 0: not known */
	char *name;        /* "transfer", "libitm (ml_wt)", "not known" */
	char *line;        /* "bank.c:61", where it begins; the reason why a culprit is not known */
	struct estimate lost;
	double share; /* of all lost time, from 0 to 1 */
	uint64_t count;
	uint64_t for_ever;  /* how often it has waited for what could not come any more: such rows come first */
	bool may_be_higher; /* by the intervals, this row may belong before the one above it */
	struct ranking_loser losers[RANKING_LOSERS_MAX]; /* those that have lost most first */
	size_t loser_count;
	enum ranking_how how; /* the one with the largest part of the row, or one about as large */
	double how_part;
	uint64_t off_processor_ns; /* how long waits for it went on while the waiting thread had no processor */
	enum ranking_data data;    /* of conflicts; RANKING_DATA_KINDS: no address is known */
	char *objects[RANKING_OBJECTS_MAX];
	double top_object_part; /* the part of the conflicts that the first object has, from 0 to 1 */
	const char *call; /* the call that made it irrevocable, borrowed from the symbols; NULL: none, or not known */
	/* The lines below the row. */
	char *how_text, *data_text, *try_text;
};

/* The rows are sorted by their lost time. Those below RANKING_SMALL_PERCENT of it, without `off_ns`, are left out. */
enum { RANKING_SMALL_PERCENT = 2 };

struct ranking {
	struct ranking_row *rows;
	size_t len;
	uint32_t *row_numbers; /* by entry of the recording: its row, from 1 on; 0: it is in none of these rows */
	size_t small_count;    /* rows that are left out, and their time */
	struct estimate small;
	uint64_t off_ns;        /* lost in waits that were for a processor */
	struct estimate total;  /* all lost time, without attempts that the program has ended by a retry */
	uint64_t unmeasured_ns; /* of it, what no known place has (account_placeless()) */
	/* Attempts that the program has ended by a retry: they wait, and lose nothing. Their time and number. */
	uint64_t retried_ns, retries;
	/* "each commit of publish broadcast.hs:27 wakes 1,600": of the transactions that were blocked most often. NULL:
	 * it wakes less than two, or that is not known. */
	char *wakes_text;
};

/* Owned by the caller. A recording without times has no rows. */
struct ranking ranking_of(const struct report *report);
void ranking_fini(struct ranking *ranking);

/* Whether the frames of the shown rows have no line because the program was built without -g. */
bool ranking_lacks_lines(const struct ranking *ranking, const struct report *report);

#endif
