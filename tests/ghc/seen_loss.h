/* SPDX-License-Identifier: MIT
 * What all lanes have reported to the library. */
#ifndef GHC_SEEN_LOSS_H
#define GHC_SEEN_LOSS_H

#include "fixture.h"

#include <stmlog/read.h>

/* An entry of the report, whose tracebacks are copied. */
struct seen_loss {
	struct stmlog_entry entry;
	struct tb_copy local, remote;
};

/* Fills in the costliest entries, at most so many, and returns how many there are. */
size_t losses_see(struct seen_loss *seen, size_t max);

/* The only entry, which must be of so many losses. */
struct seen_loss losses_only(uint64_t count);

/* The same of losses to one transaction: there may be two entries, since of its commits that are not measured the place
 * of the write is not known. They are added up. */
struct seen_loss losses_to_one(uint64_t count);

/* The only entry, of one loss with this word. */
struct seen_loss losses_word(const char *word);

/* How many wakes by transactions of this code are known, of all sites. */
uint64_t losses_wakes_by(uintptr_t code);

/* How many transactions were ended because nothing could wake them. */
uint64_t losses_for_ever(void);

/* Whether frame `index` of the traceback is this code. */
void assert_frame(const struct tb_copy *traceback, size_t index, uintptr_t code);

#endif
