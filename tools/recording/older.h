/* SPDX-License-Identifier: MIT
 * Files of earlier versions. If records lack estimates, each estimate is made what was measured. If rows of threads
 * lack intervals, their doubt is made all the time there was. If entries lack a site, it is not known.
 *
 * The caller has made the records as long as this stmlog knows them (take_grown_records()). record_size still is that
 * of the file. */
#ifndef OLDER_H
#define OLDER_H

#include "file.h"

void older_totals(struct file *file);
void older_threads(struct file *file, bool is_sampled);

/* Returns whether the file has estimates of its own. */
bool older_entries(struct file *file);

#endif
