/* SPDX-License-Identifier: MIT
 * What the runs of one side have lost, by keys that other builds of the program have as well: the cause, and the names
 * of the functions and files of both tracebacks, without addresses. Files are the last parts of their paths, since a
 * build has a directory of its own; what runs before main is left out; a frame without a function is its module.
 *
 * Lines only tell apart what has equal names: losses of one side whose names are equal and whose lines are not are
 * different keys, in the order of their lines. So an edit above, which moves lines and leaves their order, makes no
 * key new. */
#ifndef DIFF_KEYS_H
#define DIFF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dictionary.h"
#include "recording.h"
#include "symbol.h"

struct diff_frame {
	char *function; /* NULL: not known */
	char *file;     /* NULL: not known; without a function, the module */
	uint32_t line;
};

/* Innermost first. */
struct diff_traceback {
	bool is_known;
	size_t len;
	struct diff_frame *frames;
};

/* Estimates of all transactions. Pauses and waits are no aborts and have paused_ns; aborts have none. */
struct diff_loss {
	double lost_ns;
	double paused_ns;
	double aborts;
};

struct diff_key {
	bool is_evicted; /* all that was evicted, of which nothing else is known: all of it counts as aborts
			  */
	uint32_t reason;
	uint32_t contention;
	char *detail;
	struct diff_traceback local;
	struct diff_traceback remote;
	char *names;              /* all of this that makes it a key, but the lines */
	struct diff_loss *losses; /* one per run */
};

struct diff_keys {
	struct dictionary dictionary; /* of names and lines; its numbers are those of the keys, from 1 */
	struct diff_key **at;
	size_t len;
	size_t cap;
	size_t runs;
};

/* Room for so many runs. */
struct diff_keys diff_keys_init(size_t runs);
void diff_keys_fini(struct diff_keys *keys);

/* Adds the losses of the recording, which is run number `run` from 0. Aborts were so many times as many as the entries
 * have: those that were not measured have no entry. */
void diff_keys_add(struct diff_keys *keys, size_t run, const struct recording *recording, struct symbols *symbols,
	double aborts_per_entry);

/* The same key on both sides; NULL: that side has none. Borrowed. */
struct diff_match {
	const struct diff_key *key[2];
};

/* Each key of both sides once; the caller frees them. Where both sides have equally many keys of equal names, they are
 * matched in the order of their lines. Otherwise one side has keys that the other has not: of all ways to match the
 * rest in order, it is the one that takes the fewest edits (from one key to the next, lines have moved by something
 * else), then the smallest ones, then the one with the nearest lines; of equally good ones that in which the lines of
 * what is new stand before those of what was moved. */
struct diff_match *diff_keys_match(const struct diff_keys *old, const struct diff_keys *new, size_t *len);

#endif
