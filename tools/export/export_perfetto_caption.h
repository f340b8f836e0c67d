/* SPDX-License-Identifier: MIT
 * The name, category and facts of a bar or point of a timeline, for Perfetto. All texts are valid UTF-8 without control
 * characters, whatever the recording holds. */
#ifndef EXPORT_PERFETTO_CAPTION_H
#define EXPORT_PERFETTO_CAPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bars.h"
#include "symbol.h"

enum { CAPTION_FACTS = 20 };

struct caption_fact {
	const char *key;
	const char *text; /* NULL: a number */
	uint64_t number;
	bool is_address; /* the number is an address */
	bool is_various; /* there are too many different texts like this one for a format to number them */
};

/* The facts of a point are those of its event. A bar has the facts of the event that opens it, then those of the event
 * that closes it, whose keys begin with "end_" if both events can have them. A transaction, and a bar that is not
 * closed by its own kind of event, has the fact "fate" in front. The name of a transaction has its fate, too. */
struct caption {
	const char *category;
	const char *name;
	bool is_various; /* the name, likewise */
	size_t len;
	struct caption_fact facts[CAPTION_FACTS];
	char name_text[64]; /* a name that has a number in it */
};

struct captions;

/* Borrows both, which must outlive it. */
struct captions *captions_create(const struct recording *recording, struct symbols *symbols);
void captions_destroy(struct captions **captions);

/* Fills in a caption. It is valid until the next call for the same captions, and must not be copied. */
void caption_bar(struct captions *captions, const struct bar *bar, struct caption *caption);
void caption_point(struct captions *captions, const struct bar_point *point, struct caption *caption);

/* The name of the event's counter. Lives as long as the captions. */
const char *caption_counter(struct captions *captions, const struct stmlog_event_record *event);

/* The name of a lane: "worker (thread 3)", or "thread 3" if the thread has no name. Other captions refer to threads by
 * these numbers. The caller frees it. */
char *caption_lane(const struct bar_lane *lane);

/* "12 attempts were not measured"; NULL: each was. The caller frees it. */
char *caption_unmeasured(const struct recording_info *info);

#endif
