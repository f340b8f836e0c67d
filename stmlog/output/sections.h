/* SPDX-License-Identifier: MIT
 * The sections of the recording file (format.h), in memory: what the process has recorded so far. The file is written
 * from them, and the report tells what they say, so that both say the same where they are made of the same sections. */
#ifndef STMLOG_SECTIONS_H
#define STMLOG_SECTIONS_H

#include <stmlog/timeline.h>

#include "buffer.h"
#include "gather.h"
#include "intern.h"
#include "spent.h"

/* A report needs neither places nor paths nor transactions. */
enum sections_use { SECTIONS_OF_FILE, SECTIONS_OF_REPORT };

struct sections {
	enum sections_use use;
	struct gathered all;
	struct stmlog_timeline *timeline; /* NULL: there is none */
	struct spent spent;
	struct intern intern; /* strings, modules, sites and tracebacks */
	struct buffer info;
	struct buffer totals;
	struct buffer threads;
	struct buffer entries;
	struct buffer blocks;
	struct buffer places;
	struct buffer paths;
	struct buffer transactions;
};

/* Threads go on meanwhile. Returns 0 or a negative errno, and then there is nothing to finish; -EINVAL when the
 * profiler is not open. */
int sections_init(struct sections *sections, enum sections_use use);
void sections_fini(struct sections *sections);

/* stmlog_record() and stmlog_report() of what the sections hold. The first requires SECTIONS_OF_FILE. */
int sections_record(const struct sections *sections, const char *path);
int sections_report(const struct sections *sections, int fd);

#endif
