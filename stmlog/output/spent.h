/* SPDX-License-Identifier: MIT
 * The paths and the distributions of transactions of all threads, also of those that have ended. Equal tracebacks and
 * sites of several threads are still several rows; record_paths() and the like merge them. */
#ifndef STMLOG_SPENT_H
#define STMLOG_SPENT_H

#include <stmlog/format.h>
#include <stmlog/traceback.h>

#include "buffer.h"
#include "intern.h"
#include "tries.h"

struct spent_path {
	const struct tb_frame *traceback; /* valid until the session is closed */
	struct stmlog_path_record record; /* without traceback */
};

struct spent {
	struct spent_path *paths;
	struct tries_site *tries; /* some have only losses, without a commit */
	size_t path_count, tries_count;
	struct buffer path_rows, tries_rows; /* the memory of both */
};

/* Returns 0, or -ENOMEM with an empty *spent. Takes the registry's lock. */
int spent_gather(struct spent *spent);
void spent_fini(struct spent *spent);

/* The file's sections PATHS, TRANSACTIONS and BLOCKED. Append one record for each traceback, and for each site. All
 * change the rows of `spent`. */
void record_paths(struct spent *spent, struct intern *intern, struct buffer *paths);
void record_tries(struct spent *spent, struct intern *intern, struct buffer *transactions, struct buffer *blocked);

#endif
