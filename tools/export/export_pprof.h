/* SPDX-License-Identifier: MIT
 * What the files of the export for pprof have in common. A location is a site of the recording; its id is the site's
 * number plus 1. Behind the sites come the gaps of loss.h, which stand for missing frames. Samples are written first,
 * then the locations that they use, then the modules that these locations are from. */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include <stdint.h>
#include <stdio.h>

#include "contexts.h"
#include "dictionary.h"
#include "export.h"
#include "loss.h"
#include "profile.pb-c.h"

/* ---- export_pprof_message.c: the message ----
 * A profile is one message, a sequence of fields in any order. They are written compressed one by one, so that memory
 * for one field and for the texts is enough. */

struct pprof_message;

/* Borrows the stream, which must outlive it. Ends the command without memory. */
struct pprof_message *pprof_message_create(FILE *out);

/* Writes the rest of the file, destroys the message, and sets *message to NULL. */
void pprof_message_end(struct pprof_message **message);

/* Writes the fields that are set. */
void pprof_message_add(struct pprof_message *message, const Pprof__Profile *fields);

/* Writes a sample. */
void pprof_message_add_sample(struct pprof_message *message, Pprof__Sample *sample);

/* The number of a text. A new text is written. */
int64_t pprof_message_text(struct pprof_message *message, const char *text);

/* The same; frees the text. */
int64_t pprof_message_text_and_free(struct pprof_message *message, char *text);

/* ---- the profile of a recording ---- */

enum { PPROF_FIXED = 24 };

/* The values of a sample: those of losses, and those of all time by call path, of which the time is the sum of the
 * values behind it. */
enum { PPROF_CONTENTIONS, PPROF_DELAY, PPROF_LOSS_VALUES };
enum { PPROF_ENTRIES, PPROF_TIME, PPROF_COMMITTED, PPROF_ABORTED, PPROF_PAUSED, PPROF_WAITING, PPROF_TIME_VALUES };

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

static inline bool pprof_has_losses(const struct export *export)
{
	return export->of != EXPORT_OF_TIME;
}

static inline bool pprof_has_time(const struct export *export)
{
	return export->of != EXPORT_OF_LOSS && export->recording->path_count > 0;
}

/* pprof has no larger numbers. */
static inline int64_t pprof_number(uint64_t number)
{
	return number <= INT64_MAX ? (int64_t)number : INT64_MAX;
}

/* Locations by their numbers. */
static inline size_t pprof_gap_location(const struct pprof *pprof, enum loss_gap gap)
{
	return pprof->export->recording->site_count + (size_t)gap;
}

/* The values of each sample: those of losses first, then those of time. */
static inline size_t pprof_value_count(const struct export *export)
{
	size_t count = pprof_has_losses(export) ? PPROF_LOSS_VALUES : 0;
	return pprof_has_time(export) ? count + PPROF_TIME_VALUES : count;
}

/* ---- export_pprof_message.c: locations ---- */

/* Writes a location with a line for each frame, innermost first. Its other members are the caller's. */
void pprof_add_location(struct pprof *pprof, Pprof__Location *location, const struct symbol_frame *frames, size_t len);

/* Writes the locations and modules that samples of losses use, and the program's module. */
void pprof_add_locations(struct pprof *pprof);

#endif
