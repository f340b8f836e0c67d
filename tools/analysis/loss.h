/* SPDX-License-Identifier: MIT
 * The losses of a recording as stacks with weights, for other tools: one loss for each entry, and one for all evicted
 * entries. Counts and times add up to those that the report has for the whole recording, to the nanosecond. To that end
 * the remainder of each rounded estimate is carried on to the next. */
#ifndef LOSS_H
#define LOSS_H

#include "recording.h"
#include "symbol.h"

/* Why frames are missing. */
enum loss_gap {
	LOSS_UNKNOWN,
	LOSS_NO_FRAMES,
	LOSS_EVICTED,
	LOSS_CUT,    /* the frames further out are missing */
	LOSS_NOBODY, /* no other transaction was involved */
	LOSS_GAPS,
	LOSS_WHOLE = LOSS_GAPS /* no frame is missing */
};

/* Sites, innermost first, then the gap, if there is one. Borrowed from the recording. */
struct loss_stack {
	const uint32_t *sites;
	size_t len;
	enum loss_gap gap;
};

struct loss {
	const struct stmlog_entry_record *entry; /* NULL: the evicted entries */
	uint64_t count;                          /* of measured losses; at most INT64_MAX, like lost_ns */
	uint64_t lost_ns;
	struct loss_stack victim;
	struct loss_stack culprit;
};

struct losses {
	const struct recording *recording;
	size_t next;
	double owed_ns; /* the remainder of rounding the estimates up to now */
};

struct losses losses_of(const struct recording *recording);

/* Returns false at the end. The evicted entries, if there are any, come last. */
bool losses_next(struct losses *losses, struct loss *loss);

/* The gap written as a frame: "(cut)", or "unknown", which is the word of all outputs for an unknown transaction. */
const char *loss_gap_name(enum loss_gap gap);

/* The function of a frame, or its module and offset; valid UTF-8 without control characters. The caller frees it. */
char *loss_frame_name(const struct symbol_frame *frame);

/* The same with file and line, where they are known: "transfer bank.c:61". */
char *loss_frame_place(const struct symbol_frame *frame);

/* Likewise of a site's innermost frame. NULL for a mere address, which differs from run to run. The caller frees it. */
char *loss_site_name(const struct recording *recording, struct symbols *symbols, uint32_t site);

#endif
