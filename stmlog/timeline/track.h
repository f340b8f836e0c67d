/* SPDX-License-Identifier: MIT
 *
 * A log of records of 32 bytes that one thread appends to and another one reads while it goes on. It keeps
 * the newest `capacity` of them (a ring), or the oldest; what it did not keep is known exactly: how many, and
 * between which times. It knows nothing of what the records say but that the first word is a time.
 *
 * Records are numbered from 0 as they are produced, kept or not. There is a slot more than records are kept, for the
 * one that is being written. Invariants:
 *   record n is complete as soon as written > n, and lies in slot n % (capacity + 1);
 *   a ring:      it stays until written > n + capacity;
 *   otherwise:   it stays for ever; those that found no room are n >= base + capacity, counted by `written` too;
 *   written only grows; none before `base` is of the present run, whose number is `run`.
 * Partners: the owner stores written (release), write barrier, the words of the record of that number; the reader loads
 * written (acquire), words, read barrier, written. A word that was written over meanwhile is so found out.
 *
 * The memory is taken once and never moves. Its pages are touched ahead of use, outside of what is timed.
 */
#ifndef STMLOG_TRACK_H
#define STMLOG_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

#define TRACK_WORDS 4

struct track_record {
	uint64_t words[TRACK_WORDS]; /* the first one is its time */
};

struct track_slot {
	volatile AO_t words[TRACK_WORDS];
};

struct track {
	/* The owner's. */
	volatile AO_t written;
	volatile AO_t run;                         /* stored last when a run begins (release); partner: track_read() */
	volatile AO_t base;                        /* written when it began */
	volatile AO_t first_lost_ns, last_lost_ns; /* without a ring: of those that found no room */
	struct track_slot *next; /* the next record's, if not `stop`: no division, which costs as much as the rest */
	struct track_slot *stop; /* the end of the slots, or of the room */
	size_t touched;          /* slots whose pages are there */

	/* Constant. */
	bool is_ring;
	size_t capacity;
	struct track_slot *slots;
};

/* Room for `capacity` records, at least 1. Returns false without memory. */
bool track_init(struct track *track, size_t capacity, bool is_ring);
void track_fini(struct track *track);

/* ---- the owner ---- */

/* Forgets what is on record, for the reader too, and numbers the run. */
void track_restart(struct track *track, uint64_t run);

/* Out of line: goes round to the first slot; false: there is no room for a record of this time, which is counted. */
bool track_turn(struct track *track, uint64_t time_ns);

static inline void track_add(struct track *track, const struct track_record *record)
{
	if (STMLOG_UNLIKELY(track->next == track->stop) && !track_turn(track, record->words[0]))
		return;
	struct track_slot *slot = track->next++;
	AO_nop_write(); /* partner: copy_ring() */
#pragma GCC unroll 4
	for (int i = 0; i < TRACK_WORDS; i++)
		AO_store(&slot->words[i], record->words[i]);
	AO_store_release(&track->written, AO_load(&track->written) + 1);
}

/* Has the pages of the next records ready. Called where nothing is timed; cheap if they are. */
void track_touch_on(struct track *track);

#define TRACK_AHEAD 2048 /* slots: 64 KB */

static inline void track_touch(struct track *track)
{
	if (STMLOG_UNLIKELY(
		    track->touched <= track->capacity && AO_load(&track->written) + TRACK_AHEAD > track->touched))
		track_touch_on(track);
}

/* ---- one reader at a time ---- */

/* How far a reader has come. All zero before the first reading. */
struct track_position {
	uint64_t run;
	uint64_t next;    /* the number of the record to be read next */
	uint64_t last_ns; /* time of the last one that was read; of the run's beginning, before there is one */
};

/* What came between: lost to this reader. */
struct track_gap {
	uint64_t count;
	uint64_t earliest_ns, latest_ns; /* all of them lie between, both ends included */
};

/* Copies the records of run `run`, from `position` on, to `records` (room for `most`, at least 1); returns how many.
 * Moves the position on. `gap` comes before them in a ring, behind them otherwise; count 0: none. Where the room was
 * too small, or the owner was so fast that nothing could be read whole, the rest is for the next call. `began_ns`: when
 * the run began, which no gap reaches beyond. */
size_t track_read(const struct track *track, struct track_position *position, uint64_t run, uint64_t began_ns,
	struct track_record *records, size_t most, struct track_gap *gap);

/* How many records a reading at that position would find, about. */
size_t track_pending(const struct track *track, const struct track_position *position, uint64_t run);

#endif
