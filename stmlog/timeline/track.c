/* SPDX-License-Identifier: MIT
 * Appends to a track, and reads it while its owner goes on. */
#include "track.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "mem.h"

static size_t smaller(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

/* The size of all blocks that were added behind the first ones of their tracks. */
static volatile AO_t added_bytes;

/* Of each block. */
static size_t slots_of(const struct track *track)
{
	return track->mode == TRACK_UNBOUNDED ? track->capacity : track->capacity + 1;
}

static size_t block_size(const struct track *track)
{
	return sizeof(struct track_block) + slots_of(track) * sizeof(struct track_slot);
}

static struct track_block *block_behind(const struct track_block *block)
{
	return (struct track_block *)AO_load_acquire(&block->next); /* partner: next_block() */
}

bool track_init(struct track *track, size_t capacity, enum track_mode mode)
{
	if (capacity == 0 || capacity >= SIZE_MAX / sizeof(struct track_slot) - 2)
		return false;
	*track = (struct track){.mode = mode, .capacity = capacity};
	track->first = mem_alloc(block_size(track));
	if (track->first == NULL)
		return false;
	track_restart(track, 0);
	track_touch(track);
	return true;
}

void track_fini(struct track *track)
{
	while (track->first != NULL) {
		struct track_block *block = track->first;
		track->first = block_behind(block);
		mem_free(block, block_size(track));
		if (track->first != NULL)
			AO_fetch_and_add(&added_bytes, -block_size(track));
	}
}

/* ---- the owner ---- */

/* Returns how many records of the run there have been. */
static uint64_t count(const struct track *track)
{
	return AO_load(&track->written) - AO_load(&track->base);
}

/* Returns for how many more records there is room. */
static size_t room(const struct track *track)
{
	size_t kept = AO_load(&track->room);
	if (track->mode == TRACK_RING)
		return SIZE_MAX;
	return count(track) < kept ? kept - count(track) : 0;
}

/* The next record goes into `slot` of the block, and later ones behind it: to the end of the block, or as far as there
 * is room. */
static void go_on_at(struct track *track, struct track_block *block, size_t slot)
{
	track->block = block;
	track->next = block->slots + slot;
	track->stop = track->next + smaller(room(track), slots_of(track) - slot);
	track->touch_at = 0;
}

void track_restart(struct track *track, uint64_t run)
{
	AO_t written = AO_load(&track->written);
	bool is_unbounded = track->mode == TRACK_UNBOUNDED;
	AO_store(&track->run, 0);
	AO_nop_write(); /* partner: the second load of `run` in track_read() */
	AO_store(&track->base, written);
	AO_store(&track->room, is_unbounded ? SIZE_MAX : track->capacity);
	AO_store(&track->last_lost_ns, 0);
	go_on_at(track, track->first, is_unbounded ? 0 : written % slots_of(track));
	AO_store_release(&track->run, run);
}

/* Whether there would be memory for a recording with all records, those of another block included: twice as much as
 * they take (stmlog/hooks/timeline_snapshot.c), and some for first blocks and for the rest of the recording. Without
 * it, the program would keep records that nobody could get. */
static bool could_be_read(size_t size)
{
	const size_t often = 1 << 20, rest = 32 << 20;
	size_t added = AO_load(&added_bytes), needed = 2 * (added + size) + rest;
	if (added / often == (added + size) / often) /* asked for blocks of usual size, and seldom for smaller ones */
		return true;
	void *memory = mem_alloc(needed);
	mem_free(memory, needed);
	return memory != NULL;
}

static struct track_block *add_block(const struct track *track)
{
	struct track_block *added = could_be_read(block_size(track)) ? mem_alloc(block_size(track)) : NULL;
	if (added != NULL)
		AO_fetch_and_add(&added_bytes, block_size(track));
	return added;
}

/* The block behind the owner's, which is added if there is none. NULL: there is no memory. Keeps errno. */
static struct track_block *next_block(struct track *track)
{
	struct track_block *next = block_behind(track->block);
	if (next != NULL)
		return next;
	int saved = errno;
	next = add_block(track);
	errno = saved;
	AO_store_release(&track->block->next, (AO_t)next); /* partner: block_behind() */
	return next;
}

static void lose(struct track *track, uint64_t time_ns)
{
	AO_t number = AO_load(&track->written);
	if (number - AO_load(&track->base) == AO_load(&track->room))
		AO_store(&track->first_lost_ns, time_ns);
	/* Orders the store of `written` of the record before ahead of the store of this time. Partner: the two loads of
	 * read_kept(). */
	AO_nop_write();
	AO_store(&track->last_lost_ns, time_ns);
	AO_store_release(&track->written, number + 1);
}

/* Goes on in the next block, or else ends the room. */
static void turn_to_next_block(struct track *track)
{
	struct track_block *next = next_block(track);
	if (next != NULL)
		go_on_at(track, next, 0);
	else
		AO_store(&track->room, count(track));
}

/* Behind a turn of a ring all slots have had a record. */
static void turn_round(struct track *track)
{
	track->block->touched = slots_of(track);
	go_on_at(track, track->block, 0);
}

bool track_turn(struct track *track, uint64_t time_ns)
{
	if (track->mode == TRACK_UNBOUNDED && room(track) > 0)
		turn_to_next_block(track);
	bool is_full = track->mode != TRACK_RING && room(track) == 0;
	if (is_full)
		lose(track, time_ns);
	else if (track->mode != TRACK_UNBOUNDED)
		turn_round(track);
	return !is_full;
}

/* A store into a page makes the kernel provide it. Stores only into slots that had no record in this run: those from
 * `slot` on, as long as the track has not turned round. */
static void touch_block(struct track *track, struct track_block *block, size_t slot)
{
	size_t from = slot > block->touched ? slot : block->touched;
	size_t until = smaller(from + 2 * TRACK_AHEAD, slots_of(track));
	enum { PER_PAGE = 4096 / sizeof(struct track_slot) };
	for (size_t i = from; i < until; i += PER_PAGE)
		AO_store(&block->slots[i].words[0], 0);
	AO_store(&track->touched_bytes,
		AO_load(&track->touched_bytes) + (until - block->touched) * sizeof(struct track_slot));
	block->touched = until;
}

/* The next touch is due when fewer than TRACK_AHEAD touched slots are left. If the block has no others, it is due in
 * the next block. */
void track_touch_on(struct track *track)
{
	struct track_block *block = track->block;
	size_t slot = (size_t)(track->next - block->slots);
	touch_block(track, block, slot);
	if (block->touched < slots_of(track)) {
		track->touch_at = AO_load(&track->written) + (block->touched - slot) - TRACK_AHEAD;
		return;
	}
	track->touch_at = UINT64_MAX;
	struct track_block *next = track->mode == TRACK_UNBOUNDED ? next_block(track) : NULL;
	if (next != NULL)
		touch_block(track, next, 0);
}

/* ---- the reader ---- */

static void copy_slot(const struct track_slot *slot, struct track_record *record)
{
	for (int w = 0; w < TRACK_WORDS; w++)
		record->words[w] = AO_load(&slot->words[w]);
}

/* Of a track of one block. */
static void copy_out(const struct track *track, uint64_t first, size_t len, struct track_record *records)
{
	for (size_t i = 0; i < len; i++)
		copy_slot(&track->first->slots[(first + i) % slots_of(track)], &records[i]);
}

/* Of an unbounded track: from `position` on, whose place in the blocks it moves. Returns how many were copied: fewer if
 * blocks are missing, because meanwhile the owner has begun another run, of fewer blocks than `len` tells. */
static size_t copy_blocks(
	const struct track *track, struct track_position *position, size_t len, struct track_record *records)
{
	if (position->block == NULL)
		position->block = track->first;
	for (size_t i = 0; i < len; i++) {
		if (position->slot == slots_of(track)) {
			const struct track_block *next = block_behind(position->block);
			if (next == NULL)
				return i;
			position->block = next;
			position->slot = 0;
		}
		copy_slot(&position->block->slots[position->slot++], &records[i]);
	}
	return len;
}

/* Reads a track that is not a ring: records stay, and the gap, if any, is at the end. `last_lost_ns` is loaded before
 * `written` and once more after it. The first value is the time of a record that `written` counts, or of the first
 * record that it does not count, so no later gap begins before it. The second value is the time of the last record
 * counted, or of a later one. */
static size_t read_kept(const struct track *track, struct track_position *position, uint64_t base,
	struct track_record *records, size_t max, struct track_gap *gap)
{
	uint64_t lost_ns = AO_load_acquire(&track->last_lost_ns); /* partner: lose() */
	uint64_t written = AO_load_acquire(&track->written);      /* partner: track_add(), lose() */
	size_t kept = AO_load(&track->room);
	uint64_t end = written - base > kept ? base + kept : written;
	size_t len = position->next < end ? smaller(end - position->next, max) : 0;
	if (track->mode == TRACK_UNBOUNDED)
		len = copy_blocks(track, position, len, records);
	else
		copy_out(track, position->next, len, records);
	position->next += len;
	if (len > 0)
		position->last_ns = records[len - 1].words[0];
	if (position->next >= end && written > position->next) {
		bool is_first = position->next == base + kept;
		gap->count = written - position->next;
		gap->earliest_ns = is_first ? AO_load(&track->first_lost_ns) : position->last_ns;
		gap->latest_ns = AO_load(&track->last_lost_ns);
		position->next = written;
		position->last_ns = lost_ns > gap->earliest_ns ? lost_ns : gap->earliest_ns;
	}
	return len;
}

/* The tries are limited, because an owner that writes faster than the reader reads may overwrite the records at each
 * try. */
#define MAX_TRIES 64

/* Copies records from number *first on. Moves *first to the first record that was copied whole. */
static size_t copy_ring(const struct track *track, uint64_t *first, struct track_record *records, size_t max)
{
	size_t capacity = track->capacity, kept = capacity;
	for (int try = 0; try < MAX_TRIES; try++) {
		uint64_t written = AO_load_acquire(&track->written); /* partner: track_add() */
		uint64_t from = written > *first + kept ? written - kept : *first;
		size_t len = smaller(written - from, max);
		copy_out(track, from, len, records);
		AO_nop_read();
		written = AO_load(&track->written); /* partner: the barrier in track_add() */
		uint64_t whole = written > from + capacity ? written - capacity : from;
		size_t torn = (size_t)(whole - from);
		if (torn < len || (torn == 0 && len == 0)) {
			memmove(records, records + torn, (len - torn) * sizeof *records);
			*first = whole;
			return len - torn;
		}
		kept = kept > 1 ? kept / 2 : 1; /* the newest records stay longest */
	}
	return 0;
}

static size_t read_ring(const struct track *track, struct track_position *position, struct track_record *records,
	size_t max, struct track_gap *gap)
{
	uint64_t first = position->next;
	size_t len = copy_ring(track, &first, records, max);
	if (len == 0)
		return 0;
	if (first > position->next)
		*gap = (struct track_gap){first - position->next, position->last_ns, records[0].words[0]};
	*position = (struct track_position){
		.run = position->run, .next = first + len, .last_ns = records[len - 1].words[0]};
	return len;
}

size_t track_read(const struct track *track, struct track_position *position, uint64_t run, uint64_t began_ns,
	struct track_record *records, size_t max, struct track_gap *gap)
{
	REQUIRES(run != 0 && max > 0);
	*gap = (struct track_gap){.count = 0};
	if (AO_load_acquire(&track->run) != run) /* partner: track_restart() */
		return 0;
	uint64_t base = AO_load(&track->base);
	struct track_position moved = *position;
	if (moved.run != run)
		moved = (struct track_position){.run = run, .next = base, .last_ns = began_ns};
	size_t len = track->mode == TRACK_RING ? read_ring(track, &moved, records, max, gap)
					       : read_kept(track, &moved, base, records, max, gap);
	AO_nop_read();
	if (AO_load(&track->run) != run) { /* a new run has begun: the copied records may be of either */
		*gap = (struct track_gap){.count = 0};
		return 0;
	}
	*position = moved;
	return len;
}

size_t track_pending(const struct track *track, const struct track_position *position, uint64_t run)
{
	if (AO_load_acquire(&track->run) != run)
		return 0;
	uint64_t next = position->run == run ? position->next : AO_load(&track->base);
	uint64_t written = AO_load(&track->written);
	size_t kept = track->mode == TRACK_RING ? track->capacity : AO_load(&track->room);
	return written > next ? smaller(written - next, kept) : 0;
}

size_t track_bytes(const struct track *track)
{
	uint64_t base = AO_load(&track->base), written = AO_load(&track->written);
	size_t kept = track->mode == TRACK_RING ? track->capacity : AO_load(&track->room);
	size_t used = written > base ? smaller(written - base, kept) * sizeof(struct track_slot) : 0;
	size_t touched = AO_load(&track->touched_bytes);
	return touched > used ? touched : used;
}
