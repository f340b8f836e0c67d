/* SPDX-License-Identifier: MIT
 * What the files of the export for pprof have in common. A location is a site of the recording; its id is the site's
 * number plus 1. Behind the sites come the gaps of loss.h, which stand for missing frames. Samples are written first,
 * then the locations that they use, then the modules that these locations are from. */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "dictionary.h"
#include "export.h"
#include "export_time.h"
#include "loss.h"
#include "pprof_message.h"

enum { PPROF_FIXED = 24, PPROF_LOSS_VALUES = 2 };

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

/* The values of each sample: those of losses first, then those of time. */
static inline size_t pprof_value_count(const struct export *export)
{
	size_t count = export_has_losses(export) ? PPROF_LOSS_VALUES : 0;
	return export_has_time(export) ? count + EXPORT_TIME_VALUES : count;
}

/* Writes a location with a line for each frame, innermost first. Its other members are the caller's. */
void pprof_add_location(struct pprof *pprof, Pprof__Location *location, const struct symbol_frame *frames, size_t len);

/* Writes all time by call path: samples, and locations of their own, behind those of losses. */
void pprof_add_times(struct pprof *pprof);

/* Writes the locations and modules that samples of losses use, and the program's module. */
void pprof_add_locations(struct pprof *pprof);

#endif
