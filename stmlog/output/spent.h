/* SPDX-License-Identifier: MIT
 * What all threads have spent, by traceback, and how many attempts their transactions have taken: from every thread's
 * record, those of threads that have ended included, as it stands. Equal tracebacks and sites of several threads are
 * still several rows; record_spent.c adds them up. */
#ifndef STMLOG_SPENT_H
#define STMLOG_SPENT_H

#include <stdbool.h>

#include <stmlog/format.h>
#include <stmlog/traceback.h>

struct spent_path {
	const struct tb_frame *traceback; /* stays until the session is closed */
	struct stmlog_path_record record; /* without traceback */
};

struct spent_tries {
	struct tb_site site;
	struct stmlog_transaction_record record; /* without site */
};

struct spent {
	struct spent_path *paths;
	struct spent_tries *tries;
	size_t path_count, tries_count;
	size_t paths_size, tries_size; /* bytes taken */
	bool is_cut;                   /* there were more rows than room: only while it is being gathered */
};

/* 0 or -ENOMEM, and then it is empty. Takes the registry's lock. */
int spent_gather(struct spent *spent);
void spent_drop(struct spent *spent);

#endif
