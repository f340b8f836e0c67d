/* SPDX-License-Identifier: MIT
 * Appends to a track, and reads it while its owner goes on. */
#include "track.h"

#include <string.h>

#include "check.h"
#include "mem.h"

static size_t smaller(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

static size_t slots_of(const struct track *track)
{
	return track->capacity + 1;
}

bool track_init(struct track *track, size_t capacity, bool is_ring)
{
	if (capacity == 0 || capacity >= SIZE_MAX / sizeof *track->slots)
		return false;
	*track = (struct track){.is_ring = is_ring, .capacity = capacity};
	track->slots = mem_alloc(slots_of(track) * sizeof *track->slots);
	if (track->slots == NULL)
		return false;
	track_restart(track, 0);
	track_touch(track);
	return true;
}

void track_fini(struct track *track)
{
	mem_free(track->slots, slots_of(track) * sizeof *track->slots);
	track->slots = NULL;
}

/* ---- the owner ---- */

/* Returns for how many more records there is room. */
static size_t room(const struct track *track)
{
	return track->is_ring ? SIZE_MAX : track->capacity - (AO_load(&track->written) - AO_load(&track->base));
}

/* The next record goes into `slot`, and later ones behind it: to the end of the slots, or as far as there is room. */
static void go_on_at(struct track *track, size_t slot)
{
	track->next = track->slots + slot;
	track->stop = track->next + smaller(room(track), slots_of(track) - slot);
}

void track_restart(struct track *track, uint64_t run)
{
	AO_t written = AO_load(&track->written);
	AO_store(&track->base, written);
	AO_store(&track->last_lost_ns, 0);
	go_on_at(track, written % slots_of(track));
	AO_store_release(&track->run, run);
}

static void lose(struct track *track, uint64_t time_ns)
{
	AO_t number = AO_load(&track->written);
	if (number - AO_load(&track->base) == track->capacity)
		AO_store(&track->first_lost_ns, time_ns);
	/* Orders the store of `written` of the record before ahead of the store of this time. Partner: the two loads of
	 * read_kept(). */
	AO_nop_write();
	AO_store(&track->last_lost_ns, time_ns);
	AO_store_release(&track->written, number + 1);
}

bool track_turn(struct track *track, uint64_t time_ns)
{
	bool is_full = !track->is_ring && AO_load(&track->written) - AO_load(&track->base) >= track->capacity;
	if (is_full)
		lose(track, time_ns);
	else
		go_on_at(track, 0);
	return !is_full;
}

/* A store into a page makes the kernel provide it. Stores only into slots that never had a record: these are the slots
 * from `written` on, as long as the ring has not wrapped around. */
void track_touch_on(struct track *track)
{
	uint64_t written = AO_load(&track->written);
	size_t from = written > track->touched ? smaller(written, slots_of(track)) : track->touched;
	size_t until = smaller(from + 2 * TRACK_AHEAD, slots_of(track));
	enum { PER_PAGE = 4096 / sizeof(struct track_slot) };
	for (size_t i = from; i < until; i += PER_PAGE)
		AO_store(&track->slots[i].words[0], 0);
	track->touched = until;
}

/* ---- the reader ---- */

static void copy_out(const struct track *track, uint64_t first, size_t len, struct track_record *records)
{
	for (size_t i = 0; i < len; i++) {
		const struct track_slot *slot = &track->slots[(first + i) % slots_of(track)];
		for (int w = 0; w < TRACK_WORDS; w++)
			records[i].words[w] = AO_load(&slot->words[w]);
	}
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
	uint64_t end = written - base > track->capacity ? base + track->capacity : written;
	size_t len = position->next < end ? smaller(end - position->next, max) : 0;
	copy_out(track, position->next, len, records);
	position->next += len;
	if (len > 0)
		position->last_ns = records[len - 1].words[0];
	if (position->next >= end && written > position->next) {
		bool is_first = position->next == base + track->capacity;
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
	*position = (struct track_position){position->run, first + len, records[len - 1].words[0]};
	return len;
}

size_t track_read(const struct track *track, struct track_position *position, uint64_t run, uint64_t began_ns,
	struct track_record *records, size_t max, struct track_gap *gap)
{
	REQUIRES(max > 0);
	*gap = (struct track_gap){.count = 0};
	if (AO_load_acquire(&track->run) != run) /* partner: track_restart() */
		return 0;
	uint64_t base = AO_load(&track->base);
	struct track_position moved = *position;
	if (moved.run != run)
		moved = (struct track_position){.run = run, .next = base, .last_ns = began_ns};
	size_t len = track->is_ring ? read_ring(track, &moved, records, max, gap)
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
	return written > next ? smaller(written - next, track->capacity) : 0;
}
