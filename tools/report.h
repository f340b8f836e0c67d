/* SPDX-License-Identifier: MIT
 * The report of one recording, as text or as JSON. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "recording.h"
#include "symbol.h"

enum report_sort { REPORT_SORT_LOST, REPORT_SORT_COUNT, REPORT_SORT_LONGEST };
enum report_by { REPORT_BY_ENTRY, REPORT_BY_CAUSE };

enum { REPORT_TOP_DEFAULT = 5 };
#define REPORT_ALL SIZE_MAX

struct report_options {
	enum report_sort sort;
	enum report_by by;
	size_t top;   /* entries shown */
	bool is_full; /* all frames, all threads, whole paths */
};

struct report {
	const struct recording *recording;
	struct symbols *symbols;
	struct report_options options;
	FILE *out;
};

void report_text(const struct report *report);
/* One object, a line per member, thread and entry. */
void report_json(const struct report *report);

/* ---- pieces of the two ---- */

/* The entries in the order asked for; equals stay in the file's order. The caller frees it; entry_count long. */
const struct stmlog_entry_record **report_sorted(const struct report *report);

/* The sums: account, probes, losses of the log itself. */
void report_sums(const struct report *report);
void report_entries(const struct report *report);
void report_causes(const struct report *report);
void report_threads(const struct report *report);

/* A traceback as lines of function and place; the first stands behind `label`, the others under it. */
void report_traceback(const struct report *report, const char *label, uint32_t traceback);

/* Prints a name, whatever bytes it has. */
void report_name(const struct report *report, const char *name);

/* Prints text emphasized if `out` is a terminal that may have it. */
void report_bold(const struct report *report, const char *text);

#endif
