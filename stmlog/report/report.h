/* SPDX-License-Identifier: MIT
 * The report of one recording, as text or as JSON. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "place.h"
#include "recording.h"
#include "symbol.h"
#include "table.h"
#include "tally.h"

enum report_by { REPORT_BY_ENTRY, REPORT_BY_SITE, REPORT_BY_PAIR, REPORT_BY_OBJECT, REPORT_BY_THREAD, REPORT_BY_CAUSE };

enum { REPORT_TOP_DEFAULT = 5 };
#define REPORT_ALL SIZE_MAX

struct report_options {
	enum tally_sort sort;
	enum report_by by;
	size_t top;   /* how much of what is listed is shown */
	bool is_full; /* all frames, all threads, whole paths */
};

struct report {
	const struct recording *recording;
	struct symbols *symbols;
	struct report_options options;
	FILE *out;
	const struct recording *passive; /* of the same program, to be put beside it; NULL: none */
};

void report_text(const struct report *report);
/* One object, a line per member, thread, entry, pair and aggressor. */
void report_json(const struct report *report);

/* ---- pieces of the two ---- */

/* The entries in the order asked for; equals stay in the file's order. key[0] is the number of the entry. The caller
 * drops it. */
struct tally report_sorted(const struct report *report);

/* How many of the rows are to be shown. */
size_t report_shown(const struct report *report, const struct tally *tally);

/* The title, and how much of all that was lost the first `shown` rows are. */
void report_heading(const struct report *report, const char *title, const struct tally *tally, size_t shown);

/* The sums: account, probes, losses of the log itself. */
void report_sums(const struct report *report);
/* In place of the sums, and beside them. */
void report_passive(const struct report *report);
void report_beside_passive(const struct report *report);
/* The number of one of recording_info.restarts, and its word, cut if it is long. */
uint64_t report_restarts(const char *line, char word[64]);
/* What became of hardware transactions, where there were any. */
void report_hardware(const struct report *report);
void report_entries(const struct report *report);
void report_causes(const struct report *report);

/* Tables of what each place, object and thread has lost. */
void report_sites(const struct report *report);
void report_by_object(const struct report *report);
void report_by_thread(const struct report *report);

/* How many attempts transactions take, and what those that fail cost; nothing where that was not recorded. */
void report_transactions(const struct report *report);

/* The end of a list: "... N more (how)", if there are any. */
void report_rest(const struct report *report, size_t rest, const char *how);

/* "transfer bank.c:61", as it may be printed, or what stands for it where there is no frame. The caller frees it. */
char *report_place(const struct report *report, const struct places *places, uint32_t place);

/* Who lost to whom: tables of all pairs and of those that made others lose; and a few lines, behind the entries. */
void report_pairs(const struct report *report);
void report_pairs_briefly(const struct report *report);
void report_threads(const struct report *report);
void report_passive_threads(const struct report *report);
/* Tasks and regions, where the program has told of any. */
void report_work(const struct report *report);

/* A table of threads, all or as many as are seen at a glance. */
typedef void report_thread_row(
	const struct report *report, struct libscols_table *table, const struct stmlog_thread_record *thread);
void report_threads_with(const struct report *report, const struct table_column *columns, report_thread_row *row);

/* A traceback as lines of function and place; the first stands behind `label`, the others under it. */
void report_traceback(const struct report *report, const char *label, uint32_t traceback);

/* What an entry's losses were about: objects, and what of it is false. */
void report_objects(const struct report *report, const struct stmlog_entry_record *entry);

/* What an address is called. The caller frees it. */
char *report_object_name(const struct report *report, uint64_t address);

/* The same for what belongs together: blocks of one allocation are one. */
char *report_object_group(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address);

/* "make_node list.c:33 < build list.c:50": where memory was allocated, without the libraries that did it for the
 * program. NULL: not known. The caller frees it. */
char *report_allocation(const struct report *report, uint32_t traceback);

/* "transfer bank.c:61", in whatever bytes. The caller frees it. */
char *report_frame(const struct report *report, const struct symbol_frame *frame);

/* "time" or "times" */
const char *report_times(uint64_t count);

/* True of a pause or wait in a recording whose runtime has inferred these. */
bool report_is_estimated_wait(const struct report *report, const struct stmlog_entry_record *entry);

/* Prints a name, whatever bytes it has. */
void report_name(const struct report *report, const char *name);

/* Prints text emphasized if `out` is a terminal that may have it. */
void report_bold(const struct report *report, const char *text);

#endif
