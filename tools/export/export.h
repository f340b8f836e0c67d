/* SPDX-License-Identifier: MIT
 * `stmlog export`: a recording in the formats of other tools. A new format needs a file and a row of the table in
 * export.c. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdio.h>

#include "diag.h"
#include "recording.h"
#include "symbol.h"
#include "work.h"

/* What an export of losses or of all time by call path is of. Without a wish it is of both, if the recording has paths
 * and the format has room for both; otherwise of losses. */
enum export_of { EXPORT_OF_ANY, EXPORT_OF_LOSS, EXPORT_OF_TIME };

/* Flags of a row of the table: the format has the option --of; it is not text, and never written to a terminal; it is
 * of tasks, and a timeline without any is refused. */
enum { EXPORT_OF = 1, EXPORT_BINARY = 2, EXPORT_TASKS = 4 };

struct export
{
	const struct recording *recording;
	struct symbols *symbols;
	FILE *out;                 /* errors are checked when all is written */
	struct progress *progress; /* may be NULL */
	const struct work *work;   /* without a fault; NULL: see enum export_timeline */
	enum export_of of;
};

/* Whether export.work is there. */
enum export_timeline {
	EXPORT_WITHOUT_TIMELINE, /* never */
	EXPORT_OF_TIMELINE,      /* always: a recording without a timeline is refused */
	EXPORT_WITH_TIMELINE     /* if the recording has a timeline */
};

struct exporter {
	const char *name; /* of --format; NULL ends the table */
	const char *summary;
	enum export_timeline timeline;
	/* Writes event by event, so that a large timeline needs no memory. */
	void (*write)(const struct export *export);
	unsigned flags;
};

extern const struct exporter exporters[];

void export_folded(const struct export *export);
void export_graph(const struct export *export);
void export_json(const struct export *export);
void export_perfetto(const struct export *export);
void export_pprof(const struct export *export);
void export_text(const struct export *export);

#endif
