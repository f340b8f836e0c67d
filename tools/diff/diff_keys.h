/* SPDX-License-Identifier: MIT
 * The losses of one side's runs, by keys that mean the same in another build of the program: the cause, and the names
 * of functions and files in both tracebacks, without addresses. Of a file only the last part of its path counts, since
 * each build may have its own directory. Frames outside of main are left out. A frame without a function has its
 * module.
 *
 * Losses of equal names but different lines are different keys, in the order of their lines. So an edit further up in a
 * file, which moves lines but keeps their order, makes no new key. */
#ifndef DIFF_KEYS_H
#define DIFF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dictionary.h"
#include "recording.h"
#include "symbol.h"

/* The texts are borrowed from `words` of the keys. */
struct diff_frame {
	const char *function;     /* NULL: not known */
	const char *file;         /* NULL: not known; without a function, the module */
	uint32_t line, last_line; /* as in struct symbol_frame */
};

/* Innermost first. The frames are borrowed from the keys. */
struct diff_traceback {
	bool is_known;
	size_t len;
	struct diff_frame *frames;
	uint64_t number; /* equal for equal names and lines of one side */
};

/* Estimates for all transactions. paused_ns is the time of pauses and waits, which are no aborts. */
struct diff_loss {
	double lost_ns;
	double paused_ns;
	double aborts;
};

struct diff_key {
	bool is_evicted; /* the key of all evicted entries, without any other member; they count as aborts */
	uint32_t reason;
	uint32_t contention;
	const char *detail; /* borrowed from `words` of the keys */
	struct diff_traceback local;
	struct diff_traceback remote;
	struct diff_loss losses[]; /* one per run */
};

struct diff_keys {
	struct dictionary
		dictionary; /* of causes and numbers of tracebacks; its numbers are those of the keys, from 1 */
	struct dictionary tracebacks; /* of numbers of frames; its numbers are those of `made`, from 1 */
	struct diff_traceback *made;
	size_t made_cap;
	struct dictionary numbers; /* of names and lines; its numbers are those of `frames`, from 1 */
	struct diff_frame *frames;
	size_t frames_cap;
	struct diff_key **at;
	size_t len;
	size_t cap;
	size_t runs;
	struct dictionary words; /* names of functions, files and causes */
	char *text;              /* where texts are made */
	size_t text_len, text_cap;
};

/* Room for `runs` runs. */
struct diff_keys diff_keys_init(size_t runs);
void diff_keys_fini(struct diff_keys *keys);

/* Adds the losses of the recording, which is run number `run`, from 0 on. `aborts_per_entry` is the number of all
 * aborts for each abort in the entries, which have the measured ones only. */
void diff_keys_add(struct diff_keys *keys, size_t run, const struct recording *recording, struct symbols *symbols,
	double aborts_per_entry);

/* Compares keys, perhaps of different sides, by all but the lines: less than, equal to or greater than 0. Equal keys
 * have equally many frames, whatever bytes the names have. */
int diff_keys_compare(const struct diff_key *left, const struct diff_key *right);

/* The same key on both sides; NULL: that side does not have it. Borrowed. */
struct diff_match {
	const struct diff_key *key[2];
};

/* Matches the keys of both sides. Returns each key once, an array that the caller frees.
 *
 * If both sides have the same number of keys of equal names, these are matched in the order of their lines. Otherwise
 * one side has additional keys. Of all matchings that keep the order of lines, the best one has
 *   - the fewest edits: places between neighbouring keys where the distance that lines have moved changes;
 *   - of these, the smallest changes of that distance;
 *   - of these, the smallest distances;
 *   - of these, the additional keys first. */
struct diff_match *diff_keys_match(const struct diff_keys *old, const struct diff_keys *new, size_t *len);

#endif
