/* SPDX-License-Identifier: MIT
 * What the files of the export for pprof have in common. A location is a site of the recording; its id is the site's
 * number plus 1. Behind the sites come the gaps of loss.h, which stand for missing frames. Samples are written first,
 * then the locations that they use, then the modules that these locations are from. */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "dictionary.h"
#include "export.h"
#include "loss.h"
#include "pprof_message.h"

enum { PPROF_FIXED = 24 };

struct pprof_fixed_text {
	const char *text;
	int64_t number;
};

/* What is known of those locations that samples use and that are from a module. */
struct pprof_module {
	bool is_used, has_functions, has_files, has_inlined;
};

struct pprof {
	const struct export *export;
	struct pprof_message *message;
	struct dictionary functions; /* of "name\nfile" */
	bool *is_used;               /* by location */
	int64_t *culprits;           /* by site, the text of its label; 0: not made yet */
	struct pprof_module *modules;
	uint64_t *stack; /* of the present sample */
	size_t cap;
	int64_t reason, contention, runtime, blocked_by; /* keys of labels */
	int64_t runtime_name;
	struct pprof_fixed_text fixed[PPROF_FIXED]; /* constant texts that have a number; the rest is zeroed */
};

/* Locations by their numbers. */
static inline size_t pprof_gap_location(const struct pprof *pprof, enum loss_gap gap)
{
	return pprof->export->recording->site_count + (size_t)gap;
}

/* Writes the locations and modules that samples use, and the program's module. */
void pprof_add_locations(struct pprof *pprof);

#endif
