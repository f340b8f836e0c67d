/* SPDX-License-Identifier: MIT
 * What was lost, piece by piece, as stacks with a weight, which is how other tools want it: a piece for each entry, and
 * one for all that was evicted. In count and in time they add up to what the reports say of the whole recording, to the
 * nanosecond: what an entry may be overstated by is left out, for it is in others; and where times are estimates, each
 * is rounded with what rounding the ones before has left. */
#ifndef LOSS_H
#define LOSS_H

#include "recording.h"
#include "symbol.h"

/* What stands where frames are missing. */
enum loss_gap {
	LOSS_UNKNOWN,
	LOSS_NO_FRAMES,
	LOSS_EVICTED,
	LOSS_CUT,    /* the frames further out */
	LOSS_NOBODY, /* no other transaction had part in it */
	LOSS_GAPS,
	LOSS_WHOLE = LOSS_GAPS /* no frame is missing */
};

/* Sites, innermost first, and outside of them the gap, if there is one. Borrowed from the recording. */
struct loss_stack {
	const uint32_t *sites;
	size_t len;
	enum loss_gap gap;
};

struct loss {
	const struct stmlog_entry_record *entry; /* NULL: what was evicted */
	uint64_t count;                          /* of those that were measured; at most INT64_MAX, as the next one */
	uint64_t lost_ns;
	struct loss_stack victim;
	struct loss_stack culprit;
};

struct losses {
	const struct recording *recording;
	size_t next;
	double owed_ns; /* of the estimates that were told, what rounding has left */
};

struct losses losses_of(const struct recording *recording);

/* False: that was all. What was evicted comes last, if anything was. */
bool losses_next(struct losses *losses, struct loss *loss);

/* "(unknown)": the gap in the place of a frame. */
const char *loss_gap_name(enum loss_gap gap);

/* The function of a frame, or module and offset; valid UTF-8 without control characters. The caller frees it. */
char *loss_frame_name(const struct symbol_frame *frame);

/* The same with file and line: "transfer bank.c:61". NULL for what is nothing but an address, which is another one in
 * each run. The caller frees it. */
char *loss_site_name(const struct recording *recording, struct symbols *symbols, uint32_t site);

#endif
