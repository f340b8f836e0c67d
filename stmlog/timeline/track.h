/* SPDX-License-Identifier: MIT
 *
 * A track: a log of records of 32 bytes. One thread, the owner, appends; another thread reads while the owner goes on.
 * A track keeps the newest records (TRACK_RING), the oldest (TRACK_GROW), or all of them as long as there is memory
 * (TRACK_UNBOUNDED). Of the others it keeps their exact number, and their earliest and latest time. It knows nothing of
 * a record except that the first word is a time.
 *
 * Records are numbered from 0 in their order, whether they are kept or not. Records lie in the slots of blocks. An
 * unbounded track gets another block when the last one is full; any other has one block, with one slot more than it
 * keeps records, for the record that is being written. Invariants:
 *   record n is complete when written > n. One block: it lies in slot n % (capacity + 1). Unbounded: it is number
 *   n - base of all slots of the blocks, of `capacity` slots each, in the order of the list;
 *   a ring:      it stays until written > n + capacity;
 * otherwise:   it stays for ever; a record n >= base + room finds no room, and is only counted in `written`;
 *   `written` only grows; records of the present run, whose number is `run`, begin at `base`;
 *   `room` is `capacity`. Of an unbounded track it is SIZE_MAX, until there is no memory for a block: then it is the
 *   number of records that had found room, for the rest of the run.
 * Partners: the owner stores `written` (release), write barrier, the words of the next record. The reader loads
 * `written` (acquire), the words, read barrier, `written` again: so the reader knows which words were overwritten
 * meanwhile. A block is in the list, and `room` is stored, before the first `written` that counts on it.
 *
 * A block never moves, and is freed with the track. Its pages are touched before use, where no transaction is under
 * way.
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

struct track_block {
	volatile AO_t next; /* a struct track_block, or 0 */
	size_t touched;     /* slots whose pages were touched, from the first one on. For the owner */
	_Alignas(sizeof(struct track_slot)) struct track_slot slots[]; /* so that each lies in one cache line */
};

enum track_mode { TRACK_RING, TRACK_GROW, TRACK_UNBOUNDED };

struct track {
	/* Written by the owner. */
	volatile AO_t written;
	volatile AO_t run;  /* 0 while the members of a new run are being stored. Partner: track_read() */
	volatile AO_t base; /* `written` when the run began */
	volatile AO_t room; /* if not a ring: how many records of the run are kept at most */
	volatile AO_t first_lost_ns, last_lost_ns; /* if not a ring: times of records that found no room */
	volatile AO_t touched_bytes;               /* of all blocks */
	struct track_slot *next;   /* slot of the next record, or `stop`; saves a division, as costly as all the rest */
	struct track_slot *stop;   /* end of the block, or of its slots with room */
	struct track_block *block; /* that `next` is in */
	uint64_t touch_at;         /* from this value of `written` on, pages are to be touched */

	/* Constant. */
	enum track_mode mode;
	size_t capacity;
	struct track_block *first;
};

/* `capacity`: how many records are kept; of an unbounded track, how many a block has. Returns false without memory, and
 * for capacity 0. */
bool track_init(struct track *track, size_t capacity, enum track_mode mode);
void track_fini(struct track *track);

/* ---- the owner ---- */

/* Begins a run, and forgets the records of earlier runs, which the reader then does not get either. */
void track_restart(struct track *track, uint64_t run);

/* The slow path of track_add(): goes on at the first slot, or in the next block. Returns false if there is no room for
 * the record, of which it then keeps the time, and counts it. */
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

/* The slow path of track_touch(). */
void track_touch_on(struct track *track);

#define TRACK_AHEAD 2048 /* slots: 64 KB */

/* Touches the pages of the next records, and gets the next block, where no transaction is under way. Cheap if that was
 * done before. */
static inline void track_touch(struct track *track)
{
	if (STMLOG_UNLIKELY(AO_load(&track->written) >= track->touch_at))
		track_touch_on(track);
}

/* ---- one reader at a time ---- */

/* How far the reader has read. Zeroed before the first reading. */
struct track_position {
	uint64_t run;
	uint64_t next;    /* number of the next record to read */
	uint64_t last_ns; /* time of the last record that was read; before that, of the run's beginning */
	/* Of an unbounded track: where record `next` lies, or will lie. NULL: before the first. */
	const struct track_block *block;
	size_t slot;
};

/* Records that the reader cannot get any more. */
struct track_gap {
	uint64_t count;
	uint64_t earliest_ns, latest_ns; /* of their times */
};

/* Copies the records of the run, from `position` on, into `records` (of `max` elements), moves `position`,
 * and returns how many were copied. `gap` lies before these records in a ring, after them otherwise; count 0: there is
 * no gap. Records that did not fit, or that the owner overwrote during the copy, are left to the next call. `began_ns`:
 * when the run began; no gap begins earlier. Requires: run != 0, max > 0. */
size_t track_read(const struct track *track, struct track_position *position, uint64_t run, uint64_t began_ns,
	struct track_record *records, size_t max, struct track_gap *gap);

/* Returns about how many records follow the position. */
size_t track_pending(const struct track *track, const struct track_position *position, uint64_t run);

/* Returns about how many bytes of memory the records take, or have taken in earlier runs. */
size_t track_bytes(const struct track *track);

#endif
