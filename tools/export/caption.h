/* SPDX-License-Identifier: MIT
 * What a bar or a point of a timeline is called, and what is to be told of it: the same in each format that shows
 * timelines to other tools. All texts are valid UTF-8 without control characters, whatever the recording holds. */
#ifndef CAPTION_H
#define CAPTION_H

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
	bool is_address; /* the number is */
	bool is_various; /* the text is of so many different ones that none is worth remembering */
};

/* Facts are those of the event itself and, of a bar, `fate`, where it is known at the beginning that it is not closed
 * by its own partner or is a transaction, and those of the event that closes it: their keys begin with "end_" where
 * both events can have them. */
struct caption {
	const char *category;
	const char *name;
	bool is_various; /* the name, likewise */
	size_t len;
	struct caption_fact facts[CAPTION_FACTS];
	char name_text[64]; /* where a name has a number in it */
};

struct captions;

/* Borrows both, which must outlive it. */
struct captions *captions_create(const struct recording *recording, struct symbols *symbols);
void captions_destroy(struct captions **captions);

/* Fills in a caption that lives as long as it is not moved, until the next call for these captions. */
void caption_bar(struct captions *captions, const struct bar *bar, struct caption *caption);
void caption_point(struct captions *captions, const struct bar_point *point, struct caption *caption);

/* What the counter is called that this event is of. Lives as long as the captions. */
const char *caption_counter(struct captions *captions, const struct stmlog_event_record *event);

/* What a lane is called: its thread's name, or its number. The caller frees it. */
char *caption_lane(const struct bar_lane *lane);

#endif
