/* SPDX-License-Identifier: MIT
 * `stmlog export`: a recording in the formats of other tools. Adding one is a file and a row of the table in
 * export.c. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "progress.h"
#include "recording.h"
#include "symbol.h"
#include "work.h"

struct export
{
	const struct recording *recording;
	struct symbols *symbols;
	FILE *out;                 /* errors are looked at when all is written */
	struct progress *progress; /* one step per event */
	const struct work *work;   /* without a fault; NULL where the exporter needs no timeline */
};

struct exporter {
	const char *name; /* of --format; NULL ends the table */
	const char *summary;
	bool needs_timeline;
	/* Writes event by event, so that a large timeline needs no memory. */
	void (*write)(const struct export *export);
};

extern const struct exporter exporters[];

/* NULL: there is none of that name. */
const struct exporter *exporter_find(const char *name);

void export_chrome(const struct export *export);
void export_json(const struct export *export);
void export_perfetto(const struct export *export);
void export_text(const struct export *export);

#endif
