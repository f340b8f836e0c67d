/* SPDX-License-Identifier: MIT
 *
 * What a change of the program would make of its transactions: copies of streams in which the cause of a finding is
 * gone, as far as accesses and times can say it.
 */
#ifndef WHAT_IF_H
#define WHAT_IF_H

#include <stddef.h>
#include <stdint.h>

#include "streams.h"

enum what_if_change {
	WHAT_IF_OWN_WORDS,     /* each thread has its own instead of the words */
	WHAT_IF_APART,         /* words that different threads access share no cache line; nor do `words` */
	WHAT_IF_NO_ALIAS,      /* stripes of libitm that share a lock lie elsewhere */
	WHAT_IF_READS_NOTHING, /* transactions of the sites read only words that they write, without the time for it */
	WHAT_IF_OWN_DATA,      /* each thread has data of its own for the transactions of the sites */
	WHAT_IF_OUTSIDE, /* what transactions of the sites do when they are irrevocable, they do before they begin */
	WHAT_IF_COMPUTED_BEFORE, /* what transactions of the sites compute behind their first write, they compute before
				    they begin */
	WHAT_IF_NO_CANCEL,       /* transactions that the program cancels do not begin */
	WHAT_IF_ALL_OWN          /* no two threads share data */
};

enum { WHAT_IF_WORDS = 2, WHAT_IF_SITES = 32 };

struct what_if {
	enum what_if_change change;
	uint64_t words[WHAT_IF_WORDS]; /* addresses; 0: none */
	uint64_t sites[WHAT_IF_SITES]; /* where the transactions begin, as BEGIN records have it */
	size_t site_count;
};

/* Free with streams_fini(). */
struct streams what_if(const struct streams *streams, const struct what_if *change);

/* Adds a site, once, as long as there is room. */
void what_if_add_site(struct what_if *change, uint64_t site);

/* Adds the sites whose transactions access the words. */
void what_if_add_sites_of_words(const struct streams *streams, struct what_if *change);

/* Whether any transaction of the streams begins at one of the sites. */
bool what_if_has_sites(const struct streams *streams, const struct what_if *change);

#endif
