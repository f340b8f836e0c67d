/* SPDX-License-Identifier: MIT
 *
 * What each thread has written lately, for the victims of other threads to look up. The
 * owner appends and never waits; nobody else writes; readers never stop it.
 *
 * A ring is a stream of 16-byte entries of which the last ITM_RING_BYTES are kept:
 *
 *   a write   address and return address of a write barrier, how many bytes, and the
 *             context (the callers, a number; 0: not known); appended by barriers.S before
 *             libitm takes the lock
 *   an end    of a transaction, or of an attempt of it, that has written: when (a stamp)
 *             and which (begin's return address)
 *
 * The writes between two ends belong to one transaction; those behind the last end, to the
 * one that is under way, which `site` names. Read-only transactions leave nothing.
 *
 * Invariants:  an entry at position p (bytes since the ring was made) is complete as soon
 *              as head > p, and stays until head >= p + ITM_RING_BYTES;
 *              head only grows; ended <= head is the position behind the last end;
 *              nothing below `floor` is of the owner that `thread` numbers.
 * Partners: the owner stores an entry before head (barriers.S: x86 keeps stores in order;
 * itm_ring_end(): release); readers load head (acquire) before entries, and once more after
 * them (read barrier), which tells whether one was written over meanwhile.
 *
 * A ring is never given back, since somebody may be reading it; an ended thread's keeps what
 * that has written until a later one takes it.
 */
#ifndef ITM_RING_H
#define ITM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "cause.h"
#include "asm_shared.h"

/* As barriers.S stores it. */
struct itm_ring_entry {
	volatile AO_t address; /* 48 bits; above: 14 bits of context; top bit: an end, the rest is its stamp */
	volatile AO_t site;    /* 48 bits; above: 16 bits of size */
};

#define ITM_RING_ENTRIES (ITM_RING_BYTES / sizeof(struct itm_ring_entry))
#define ITM_RING_IS_END ((AO_t)1 << 63)

/* Tries in hardware, of all owners; the owner adds, any thread reads. A transaction that is tried again is counted
 * anew. */
struct itm_hardware_counts {
	volatile AO_t commits; /* of the outermost transaction, in hardware */
	volatile AO_t aborts[ITM_HARDWARE_CAUSES];
	volatile AO_t fallbacks; /* transactions that ran alone after such aborts */
};

struct itm_ring {
	/* The owner's line. */
	volatile AO_t head;
	volatile AO_t site; /* begin's return address of the transaction under way, or of the last */
	volatile AO_t ended;
	/* Changed when the owner does. */
	volatile AO_t floor __attribute__((aligned(64)));
	volatile AO_t thread;   /* its number in reports */
	volatile AO_t holder;   /* libitm's struct of the thread, as a lock names it; 0: not known */
	volatile AO_t is_taken; /* 0: the owner has ended, another may take it */
	volatile AO_t
		lines; /* struct itm_lines *, what the owner's transactions have touched; once it is not 0, constant */
	volatile AO_t contexts; /* struct itm_contexts *, of the writes' callers; once it is not 0, constant */
	volatile AO_t next;     /* struct itm_ring *, constant once the ring is in the list */
	struct itm_hardware_counts hardware __attribute__((aligned(64)));
	struct itm_ring_entry entries[ITM_RING_ENTRIES] __attribute__((aligned(64)));
};

/* ---- owner ---- */

/* A ring for the calling thread, which is number `thread`; NULL without memory. */
struct itm_ring *itm_ring_acquire(uint32_t thread);
void itm_ring_release(struct itm_ring *ring);

/* Where writes of threads go that have no ring; nobody reads it. */
extern struct itm_ring itm_ring_dummy;

/* In a forked child: all rings but the caller's own are nobody's. */
void itm_rings_after_fork(const struct itm_ring *own);

static inline bool itm_ring_has_writes(const struct itm_ring *ring)
{
	return AO_load(&ring->head) != AO_load(&ring->ended);
}

/* The transaction of the calling thread, which has written, has ended, or an attempt of it has. */
static inline void itm_ring_end(struct itm_ring *ring, uint64_t stamp)
{
	AO_t head = AO_load(&ring->head);
	struct itm_ring_entry *entry = &ring->entries[head % ITM_RING_BYTES / sizeof *entry];
	AO_store(&entry->address, ITM_RING_IS_END | stamp);
	AO_store(&entry->site, AO_load(&ring->site));
	AO_store_release(&ring->head, head + sizeof *entry);
	AO_store_release(&ring->ended, head + sizeof *entry);
}

/* ---- readers ---- */

/* The rings, one after the other; NULL at the end. */
struct itm_ring *itm_ring_first(void);
static inline struct itm_ring *itm_ring_next(const struct itm_ring *ring)
{
	return (struct itm_ring *)AO_load(&ring->next); /* constant; first() has acquired it */
}

struct itm_write {
	uintptr_t address;
	size_t size;
	uintptr_t site;
	uint32_t context;
};

/* Walks back through a ring from its head. */
struct itm_ring_reader {
	const struct itm_ring *ring;
	uint64_t at;            /* position of the entry that was read last */
	uint64_t floor;         /* where to stop */
	bool is_end;            /* what was read last */
	uint64_t stamp;         /* of an end */
	struct itm_write write; /* of a write; of an end: its site alone */
};

static inline struct itm_ring_reader itm_ring_read(const struct itm_ring *ring)
{
	struct itm_ring_reader reader;
	reader.ring = ring;
	reader.at = AO_load_acquire(&ring->head); /* partner: barriers.S, itm_ring_end() */
	reader.floor = AO_load(&ring->floor);
	if (reader.at - reader.floor > ITM_RING_BYTES)
		reader.floor = reader.at - ITM_RING_BYTES;
	return reader;
}

/* The entry before; false: there is none. */
static inline bool itm_ring_back(struct itm_ring_reader *reader)
{
	if (reader->at <= reader->floor)
		return false;
	reader->at -= sizeof(struct itm_ring_entry);
	const struct itm_ring_entry *entry =
		&reader->ring->entries[reader->at % ITM_RING_BYTES / sizeof(struct itm_ring_entry)];
	AO_t address = AO_load(&entry->address), site = AO_load(&entry->site);
	reader->is_end = (address & ITM_RING_IS_END) != 0;
	reader->stamp = address & ~ITM_RING_IS_END;
	reader->write.address = address & ITM_RING_ADDRESS;
	reader->write.context = (uint32_t)(address >> 48);
	reader->write.site = site & ITM_RING_ADDRESS;
	reader->write.size = site >> 48;
	return true;
}

/* True if all entries from position `from` on were whole when they were read. */
static inline bool itm_ring_was_whole(const struct itm_ring *ring, uint64_t from)
{
	AO_nop_read();
	/* The owner may be writing the entry at head. */
	return AO_load(&ring->head) < from + ITM_RING_BYTES;
}

/* Which transaction was under way when the head was at `head`: its begin's return address;
 * 0: that was too long ago. */
uintptr_t itm_ring_site_at(const struct itm_ring *ring, uint64_t head);

#endif
