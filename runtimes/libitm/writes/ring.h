/* SPDX-License-Identifier: MIT
 *
 * A thread's latest writes, where victims on other threads look for their culprit. The owner appends, and never waits.
 * No other thread stores anything. Readers do not disturb the owner.
 *
 * A ring is a stream of 16-byte entries, of which the last ITM_RING_BYTES bytes are kept:
 *
 *   a write   the address, the size, the return address of the write barrier, and its callers as a number
 *             (stacks.h; 0: not known). barriers.S appends it before libitm takes the lock.
 *   an end    of a transaction, or of an attempt, that has written: a stamp and begin's return address
 *
 * The writes between two ends belong to one transaction. The writes after the last end belong to the transaction under
 * way, which `site` names. Read-only transactions append nothing.
 *
 * The owner's line also tells whether the owner is in a transaction, and in which: threads that wait find there for
 * whom (others.h). The top bits of `site` are 0 while the transaction runs. ITM_RING_IS_COMMITTING is set when its
 * commit is called. ITM_RING_IS_OVER is set when it is over. begin stores a plain address, and so clears both.
 *
 * Invariants:  the entry at position p (bytes since the ring was created) is complete as soon as head > p, and stays
 *              until head >= p + ITM_RING_BYTES;
 *              head only grows; ended <= head is the position behind the last end;
 *              entries below `floor` are not of the present owner, the thread with the number `thread`;
 *              `completed` is the number of transactions that are over: with the same `completed` as before, a
 * transaction under way is the same as before. Partners: the owner stores an entry before head (barriers.S: x86 keeps
 * stores in order; itm_ring_append_end(): release). Readers load head (acquire) before entries, and again after them
 * (read barrier): so they notice if an entry was overwritten meanwhile.
 *
 * A ring is never freed, because another thread may be reading it. The ring of a thread that has ended keeps its
 * entries until another thread takes the ring.
 */
#ifndef ITM_RING_H
#define ITM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

#include "asm_shared.h"
#include "requires.h"

/* An entry, as barriers.S stores it. */
struct itm_ring_entry {
	volatile AO_t address; /* a write: 48 bits, and 14 bits of context above; an end: the top bit, and its stamp */
	volatile AO_t site;    /* 48 bits, and 16 bits of size above */
};

#define ITM_RING_ENTRIES (ITM_RING_BYTES / sizeof(struct itm_ring_entry))
#define ITM_RING_IS_END ((AO_t)1 << 63)

/* Bits of `site`. */
#define ITM_RING_IS_OVER ((AO_t)1 << 63)
#define ITM_RING_IS_COMMITTING ((AO_t)1 << 62)

/* How a transaction came to run alone, with libitm's serial lock. */
enum itm_way {
	ITM_WAY_OTHER,  /* from the start, or it is not known */
	ITM_WAY_ASKED,  /* the program called _ITM_changeTransactionMode() */
	ITM_WAY_CALLED, /* it called a function without a transactional clone, through a pointer */
	ITM_WAY_WROTE,  /* serialirr_onwrite: it wrote */
	ITM_WAY_STARVED /* too many of its attempts had failed */
};

/* The last transaction of the owner that ran alone (alone.h). */
struct itm_ring_alone {
	volatile AO_t number; /* 0: there was none, or the members below are being changed */
	volatile AO_t site;
	volatile AO_t context;
	volatile AO_t place; /* a return address: where it became irrevocable; 0: where it began, or it is not known */
	volatile AO_t way;   /* enum itm_way */
	volatile AO_t stamp; /* time stamp when that was noticed, at the latest as it called commit; 0: not known */
	/* Where a transaction has last requested to run alone. `requested` is `completed` + 1 then. */
	volatile AO_t requested, requested_place, requested_way;
	volatile AO_t waits_since_ns; /* since when the owner waits for the serial lock; 0: it does not (open.c) */
};

/* The last transaction of the owner in which it was off the processor: others may have waited for it all that time
 * (waits/interrupted.c). Invariant: while the other members change, `seen` is 0; but an `off_ns` that is not known yet
 * is stored alone. The same holds for `commit_seen`. */
struct itm_ring_interrupted {
	volatile AO_t seen; /* time stamp when the owner noticed it; 0: there was none */
	volatile AO_t site;
	volatile AO_t context;
	volatile AO_t off_ns; /* time off the processor, or ITM_RING_OFF_UNKNOWN; with ITM_RING_ASLEEP */
	/* Of the last commit in which it was off the processor, before or after it let go of the others. */
	volatile AO_t commit_seen, commit_off_ns; /* with ITM_RING_ASLEEP */
};

/* A bit beside the time: the owner has slept, and did not want a processor all the time. */
#define ITM_RING_ASLEEP ((AO_t)1 << 62)
/* The owner asks the kernel for the time after its commit: others may be waiting for that. */
#define ITM_RING_OFF_UNKNOWN (ITM_RING_ASLEEP - 1)

/* In place of a time stamp: the owner will read it when it has left. Later than any time stamp. */
#define ITM_RING_LATER ((AO_t)INT64_MAX)

#define ITM_RING_NUMBER_SHIFT 48 /* in struct itm_ring_past */

/* How many of its latest transactions a ring tells when they began. */
#define ITM_RING_PAST 4

/* One of the owner's latest transactions. */
struct itm_ring_past {
	volatile AO_t site; /* begin's return address; above it, the low bits of `completed` as it began */
	volatile AO_t began_ns;
	volatile AO_t
		called;     /* time stamp when its commit or cancel was called last, or ITM_RING_LATER; 0: not known */
	volatile AO_t left; /* time stamp when libitm's commit had done all but the program's actions; 0: not known */
	volatile AO_t context; /* its callers (stacks.h); 0: not known */
};

/* Counts of transactions that were not measured. They are in the ring because that outlives its owner. The owner stores
 * them, any thread reads them (counts.h). */
struct itm_counts {
	volatile AO_t commits;  /* for all owners that the ring has had */
	volatile AO_t cancels;  /* the same */
	volatile AO_t restarts; /* of the present owner, up to `mark` */
	volatile AO_t mark;     /* counts.c */
	volatile AO_t slot;     /* where the owner keeps its pointer to libitm's struct; 0: not to be read */
	volatile AO_t commits_before, cancels_before; /* when the present owner began */
	volatile AO_t in_hardware, alone; /* under htm: commits, measured or not, of all owners that the ring has had */
};

struct itm_ring {
	/* The owner's line. */
	volatile AO_t head;
	volatile AO_t site; /* begin's return address, of the transaction under way or of the last one; and the bits */
	volatile AO_t ended;
	volatile AO_t completed;
	volatile AO_t rollbacks;    /* how often attempts were rolled back, as far as the agent knows */
	volatile AO_t commit_stamp; /* time stamp when commit was called last, or ITM_RING_LATER; 0: it was not taken */
	volatile AO_t rollback_stamp; /* time stamp of the last attempt that the agent has seen rolled back */
	volatile AO_t context;        /* the callers of `site` (stacks.h); 0: not known */
	/* These change when another thread takes the ring. */
	volatile AO_t floor __attribute__((aligned(64)));
	volatile AO_t thread;   /* the owner's number in reports */
	volatile AO_t holder;   /* libitm's struct of the owner, by which locks name their holder; 0: not known */
	volatile AO_t is_owned; /* 0: the owner has ended, and another thread may take the ring */
	volatile AO_t contexts; /* struct itm_contexts *: the callers of the writes; constant once it is not 0 */
	volatile AO_t next;     /* struct itm_ring *; constant once the ring is in the list */
	volatile AO_t is_burst; /* the owner's transaction needs the data barriers (bursts.h) */
	/* Transaction number n of the owner is in past[n % ITM_RING_PAST], if it is measured closely. Until a thread
	 * has waited, no other reads these lines. */
	struct itm_ring_past past[ITM_RING_PAST] __attribute__((aligned(64)));
	struct itm_counts counts __attribute__((aligned(64)));
	volatile AO_t unseen; /* `completed` of a transaction whose first writes may be missing here (bursts.h) */
	struct itm_ring_alone alone __attribute__((aligned(64)));
	struct itm_ring_interrupted interrupted;
	volatile AO_t below; /* struct itm_ring *: of a ring without an owner, the one that was released before it */
	struct itm_ring_entry entries[ITM_RING_ENTRIES] __attribute__((aligned(64)));
};

/* ---- owner ---- */

/* Returns a ring for the calling thread, whose number is `thread`; NULL: no memory. */
struct itm_ring *itm_ring_acquire(uint32_t thread);

/* Called when the thread ends. Requires a ring that itm_ring_acquire() has returned, and that is not released yet. */
void itm_ring_release(struct itm_ring *ring);

/* The ring of all threads that have none of their own: their writes go there, and are never read. */
extern struct itm_ring itm_ring_dummy;

/* In a forked child: releases all rings but the calling thread's own. */
void itm_rings_after_fork(const struct itm_ring *own);

static inline bool itm_ring_has_writes(const struct itm_ring *ring)
{
	return AO_load(&ring->head) != AO_load(&ring->ended);
}

/* Begin's return address, of the transaction under way or of the last one. */
static inline uintptr_t itm_ring_site(const struct itm_ring *ring)
{
	return AO_load(&ring->site) & ITM_RING_ADDRESS;
}

/* The owner's transaction, whose callers the ring has, has begun at `site`, at that time of the library's clock. */
static inline void itm_ring_note_begin(struct itm_ring *ring, uintptr_t site, uint64_t now_ns)
{
	AO_t number = AO_load(&ring->completed);
	struct itm_ring_past *past = &ring->past[number % ITM_RING_PAST];
	AO_store(&past->began_ns, now_ns);
	AO_store(&past->called, 0);
	AO_store(&past->left, 0);
	AO_store(&past->context, AO_load(&ring->context));
	AO_store_release(&past->site, site | number << ITM_RING_NUMBER_SHIFT); /* partner: itm_ring_find_past() */
}

/* The owner is about to commit; `stamp` is the time stamp, or 0. If the bit is set already, an earlier commit of this
 * transaction has failed. The stamp is stored before the bit, which readers load before the stamp. */
static inline void itm_ring_note_commit(struct itm_ring *ring, uint64_t stamp)
{
	AO_t site = AO_load(&ring->site);
	if (STMLOG_UNLIKELY(site & ITM_RING_IS_COMMITTING))
		AO_store(&ring->rollbacks, AO_load(&ring->rollbacks) + 1);
	AO_store(&ring->commit_stamp, stamp);
	AO_store_release(&ring->site, site | ITM_RING_IS_COMMITTING);
}

/* The same for a transaction that itm_ring_note_begin() has noted. */
static inline void itm_ring_note_measured_commit(struct itm_ring *ring, uint64_t stamp)
{
	AO_store(&ring->past[AO_load(&ring->completed) % ITM_RING_PAST].called, stamp);
	itm_ring_note_commit(ring, stamp);
}

/* Its commit waits for no other any more, since that time stamp. */
static inline void itm_ring_note_left(struct itm_ring *ring, uint64_t stamp)
{
	AO_store(&ring->past[AO_load(&ring->completed) % ITM_RING_PAST].left, stamp);
}

/* The same for a transaction that has only read: its commit, which waits for no other, was noted with ITM_RING_LATER.
 */
static inline void itm_ring_note_reader_left(struct itm_ring *ring, uint64_t stamp)
{
	itm_ring_note_left(ring, stamp);
	AO_store(&ring->commit_stamp, stamp);
}

/* It is about to be cancelled at that time stamp. */
static inline void itm_ring_note_measured_cancel(struct itm_ring *ring, uint64_t stamp)
{
	AO_store(&ring->past[AO_load(&ring->completed) % ITM_RING_PAST].called, stamp);
	itm_ring_note_left(ring, stamp);
}

/* The owner's attempt was rolled back at that time stamp, and is about to be repeated. Nothing if the transaction is
 * over: a cancel. */
static inline void itm_ring_note_rollback(struct itm_ring *ring, uint64_t stamp)
{
	AO_t site = AO_load(&ring->site);
	if (site & ITM_RING_IS_OVER)
		return;
	AO_store(&ring->rollback_stamp, stamp);
	AO_store(&ring->rollbacks, AO_load(&ring->rollbacks) + 1);
	AO_store_release(&ring->site, site & ~ITM_RING_IS_COMMITTING);
}

/* The owner's transaction is over: committed or cancelled. */
static inline void itm_ring_note_end(struct itm_ring *ring)
{
	AO_store(&ring->site, itm_ring_site(ring) | ITM_RING_IS_OVER);
	AO_store_release(&ring->completed, AO_load(&ring->completed) + 1);
}

/* The owner noticed, at that time stamp, that it was off the processor for so long. Stores only the time if it is that
 * of the transaction before, which was not known yet; otherwise nothing if that was in no transaction. */
void itm_ring_interrupt(struct itm_ring *ring, uint64_t off_ns, uint64_t stamp);

/* Likewise, in the commit that has just returned. */
void itm_ring_interrupt_commit(struct itm_ring *ring, uint64_t off_ns, uint64_t stamp);

/* Whether the owner has yet to find out for how long it was off the processor. */
static inline bool itm_ring_has_unknown_off(const struct itm_ring *ring)
{
	return (AO_load(&ring->interrupted.off_ns) & ~ITM_RING_ASLEEP) == ITM_RING_OFF_UNKNOWN;
}

/* The owner has slept in a wait instead. */
static inline void itm_ring_forget_unknown_off(struct itm_ring *ring)
{
	if (itm_ring_has_unknown_off(ring))
		AO_store(&ring->interrupted.off_ns, 0);
}

/* Appends an end: the calling thread's transaction, or an attempt of it, is over. Requires that it has written. */
static inline void itm_ring_append_end(struct itm_ring *ring, uint64_t stamp)
{
	REQUIRES(itm_ring_has_writes(ring));
	AO_t head = AO_load(&ring->head);
	struct itm_ring_entry *entry = &ring->entries[head % ITM_RING_BYTES / sizeof *entry];
	AO_store(&entry->address, ITM_RING_IS_END | stamp);
	AO_store(&entry->site, itm_ring_site(ring));
	AO_store_release(&ring->head, head + sizeof *entry);
	AO_store_release(&ring->ended, head + sizeof *entry);
}

/* ---- readers ---- */

/* The first ring of the list. A ring is added in front, by compare-and-swap (release), and found by itm_ring_first()
 * (acquire), complete. Its `next` never changes afterwards. */
extern volatile AO_t itm_rings __attribute__((visibility("hidden")));

/* How many rings have an owner: of threads that have transacted, and have not ended. Changed when a thread begins or
 * ends. */
extern volatile AO_t itm_rings_owned __attribute__((visibility("hidden")));

/* How many transactions have run alone, and were recorded in their `alone` (alone.h). */
extern volatile AO_t itm_alone_count __attribute__((visibility("hidden")));

/* The number up to now. To be called before a wait for the serial lock. */
static inline AO_t itm_alone_so_far(void)
{
	return AO_load_acquire(&itm_alone_count);
}

/* A look at the rings before a wait and after it ends at so many: each costs a line of another processor's cache. */
#define ITM_RINGS_LOOK_MAX 64

/* All rings, one after the other; NULL at the end of the list. */
static inline struct itm_ring *itm_ring_first(void)
{
	return (struct itm_ring *)AO_load_acquire(&itm_rings);
}
static inline struct itm_ring *itm_ring_next(const struct itm_ring *ring)
{
	return (struct itm_ring *)AO_load(&ring->next); /* constant; itm_ring_first() acquired it */
}

/* Whether more than one thread has transacted: rings are never taken off the list. */
static inline bool itm_rings_are_several(void)
{
	const struct itm_ring *ring = itm_ring_first();
	return ring != NULL && itm_ring_next(ring) != NULL;
}

/* Whether more than two have. */
static inline bool itm_rings_are_many(void)
{
	return itm_rings_are_several() && itm_ring_next(itm_ring_next(itm_ring_first())) != NULL;
}

/* Copies the owner's transaction with that number; `site` without the bits above. False: it is not known, or not any
 * more. */
static inline bool itm_ring_find_past(const struct itm_ring *ring, AO_t number, struct itm_ring_past *found)
{
	const struct itm_ring_past *past = &ring->past[number % ITM_RING_PAST];
	AO_t site = AO_load_acquire(&past->site);
	found->site = site & ITM_RING_ADDRESS;
	found->began_ns = AO_load(&past->began_ns);
	found->called = AO_load(&past->called);
	found->left = AO_load(&past->left);
	found->context = AO_load(&past->context);
	AO_nop_read(); /* The owner overwrites it in a transaction that begins with a higher `completed`. */
	return site != 0 && site >> ITM_RING_NUMBER_SHIFT == (AO_t)(uint16_t)number &&
	       AO_load(&ring->completed) - number < ITM_RING_PAST;
}

struct itm_write {
	uintptr_t address;
	size_t size;
	uintptr_t site;
	uint32_t context;
};

/* Walks back through a ring, from its head. The last three members are about the entry that was read last. */
struct itm_ring_reader {
	const struct itm_ring *ring;
	uint64_t position;      /* position of the entry that was read last */
	uint64_t floor;         /* position at which to stop */
	bool is_end;            /* false: it is a write */
	uint64_t stamp;         /* of an end */
	struct itm_write write; /* of an end, only `site` */
};

static inline struct itm_ring_reader itm_ring_read(const struct itm_ring *ring)
{
	struct itm_ring_reader reader = {.ring = ring};
	reader.position = AO_load_acquire(&ring->head); /* partner: barriers.S, itm_ring_append_end() */
	reader.floor = AO_load(&ring->floor);
	if (reader.position - reader.floor > ITM_RING_BYTES)
		reader.floor = reader.position - ITM_RING_BYTES;
	return reader;
}

/* Reads the entry before; false: there is none. */
static inline bool itm_ring_back(struct itm_ring_reader *reader)
{
	if (reader->position <= reader->floor)
		return false;
	reader->position -= sizeof(struct itm_ring_entry);
	const struct itm_ring_entry *entry =
		&reader->ring->entries[reader->position % ITM_RING_BYTES / sizeof(struct itm_ring_entry)];
	AO_t address = AO_load(&entry->address), site = AO_load(&entry->site);
	reader->is_end = (address & ITM_RING_IS_END) != 0;
	reader->stamp = address & ~ITM_RING_IS_END;
	reader->write.address = address & ITM_RING_ADDRESS;
	reader->write.context = (uint32_t)(address >> 48);
	reader->write.site = site & ITM_RING_ADDRESS;
	reader->write.size = site >> 48;
	return true;
}

/* True if the owner has overwritten no entry from position `from` on, up to now: they were read as they were written.
 */
static inline bool itm_ring_was_whole(const struct itm_ring *ring, uint64_t from)
{
	AO_nop_read();
	/* The owner may be writing the entry at head. */
	return AO_load(&ring->head) < from + ITM_RING_BYTES;
}

/* The transaction that was under way when the head was at `head`: begin's return address. 0: that was too long ago. */
uintptr_t itm_ring_site_at(const struct itm_ring *ring, uint64_t head);

#endif
