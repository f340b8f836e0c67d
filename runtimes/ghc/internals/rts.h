/* SPDX-License-Identifier: MIT
 *
 * The layout of the objects of GHC's run-time system (RTS), as far as the module reads them. The RTS's public interface
 * does not tell it. GHC 9.0 to 9.6 and 9.10, x86-64, not profiled. The module is not compiled with the headers of a
 * GHC, since the program that it gets into may be made by another one. In place of that ghc_rts_is_known() looks at the
 * RTS's own code, and tests/ghc/layout.sh compares these structs with the headers of the GHC that is installed.
 *
 * The words of the RTS: a *capability* runs Haskell code on one OS thread at a time; a *TSO* is a Haskell thread; a
 * *TRec* is the record of an attempt or, nested, of a part of it. Its *entries* are the TVars that it has accessed. The
 * module has a word of its own in each TRec, the *mark*.
 */
#ifndef GHC_RTS_H
#define GHC_RTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "requires.h"

/* Types of closures, as in their info tables. */
enum {
	HS_CONSTR = 1,
	HS_CONSTR_LAST = 7,
	HS_BCO = 23,
	HS_AP = 24,
	HS_PAP = 25,
	HS_IND = 27,
	HS_IND_STATIC = 28,
	HS_RET_BCO = 29,
	HS_RET_SMALL = 30,
	HS_RET_BIG = 31,
	HS_RET_FUN = 32,
	HS_UNDERFLOW_FRAME = 35,
	HS_STOP_FRAME = 36,
	HS_BLOCKING_QUEUE = 37,
	HS_BLACKHOLE = 38,
	HS_ARR_WORDS = 42,
	HS_TSO = 52,
	HS_ATOMICALLY_FRAME = 55,
	HS_CATCH_RETRY_FRAME = 56,
};

/* Each closure begins with the address of its code, directly before which its info table lies. */
struct hs_closure {
	uintptr_t info;
	uintptr_t words[];
};

struct hs_tvar {
	uintptr_t info;
	volatile uintptr_t value; /* the TRec of the transaction that commits, while it has locked the TVar */
	uintptr_t waiters;        /* the first of those that sleep until it changes; none: a static constructor */
	/* The RTS counts updates here, if it is threaded, and only looks whether the count has changed. In the bits
	 * from HS_UPDATES_BITS on lies the address of the code for which the TVar was created, divided by 8; 0: not
	 * known (real.h). A count never gets so far: a TVar of 10 million updates each second takes two hours for
	 * it. */
	volatile uint64_t updates;
};
#define HS_UPDATES_BITS 36

/* The address that the count of updates has in its upper bits; see creation_of(). */
static inline uintptr_t hs_created_at(const struct hs_tvar *tvar)
{
	return (uintptr_t)(tvar->updates >> HS_UPDATES_BITS) << 3;
}

#define HS_CHUNK_ENTRIES 16
struct hs_chunk {
	uintptr_t info;
	struct hs_chunk *previous; /* of the first one: a static closure */
	uint64_t len;              /* entries that are in use */
	char entries[];
};

/* An entry of a TRec. In the threaded RTS each has one more word. */
struct hs_entry {
	struct hs_tvar *tvar;
	uintptr_t expected;
	uintptr_t value; /* equal to `expected` if the TVar was only read */
};

/* The further word of an entry, in the threaded RTS: a count of updates, which the RTS uses while it commits. Those of
 * a transaction that sleeps are the module's (entries_keep_versions()). */
static inline uint64_t *hs_entry_updates(struct hs_entry *entry)
{
	return (uint64_t *)(void *)(entry + 1);
}

/* The state of a TRec. The further ones have other numbers in newer versions. Of those, hooks find only the state of a
 * transaction that sleeps after `retry`. */
enum hs_state { HS_ACTIVE, HS_CONDEMNED };

struct hs_trec {
	uintptr_t info;
	struct hs_trec *enclosing; /* ghc_rts.no_trec: none */
	struct hs_chunk *chunk;    /* the last one */
	uint32_t state;
	uint32_t mark; /* padding, which the RTS neither reads nor writes, and copies with the TRec: the module's
			  (MARK_SLOT) */
};

struct hs_stack {
	uintptr_t info;
	uint32_t size; /* words */
	uint8_t dirty, marking;
	uintptr_t *top;
	uintptr_t words[];
};

struct hs_tso {
	uintptr_t info;
	struct hs_tso *next, *next_of_all;
	struct hs_stack *stack;
	uint16_t what_next, why_blocked;
	uint32_t flags;
	/* From here on, in 9.10 all members lie 8 bytes further: `why_blocked` has become longer, and has moved here.
	 */
	uintptr_t block_info;
	uint64_t id_;
	uint32_t saved_errno, dirty;
	void *bound;
	struct hs_capability *capability;
	struct hs_trec *trec_;
	struct hs_bytes *label_; /* from 9.6 on; before, a pointer to a closure of another type */
};

/* Bytes, without a NUL behind them. */
struct hs_bytes {
	uintptr_t info;
	uint64_t len;
	char bytes[];
};

struct hs_capability {
	uintptr_t functions[3];
	char registers[872];    /* BaseReg points here */
	struct hs_tso *current; /* one of the registers */
};

static inline struct hs_capability *hs_capability_of(void *registers)
{
	return (struct hs_capability *)(void *)((char *)registers - offsetof(struct hs_capability, registers));
}

/* Which RTS is in the program. Constant once the module is open. */
struct ghc_rts {
	bool is_threaded;
	size_t entry_size;
	struct hs_trec *no_trec;
	size_t free_trecs; /* where a capability has its first free TRec, in bytes from its beginning; no_trec: it has
			      none */
	size_t tso_shift;  /* how much further the later members of a TSO lie */
};
extern struct ghc_rts ghc_rts;

/* The TSO as if its later members did not lie further. */
static inline const struct hs_tso *hs_shifted(const struct hs_tso *tso)
{
	return (const struct hs_tso *)(const void *)((const char *)tso + ghc_rts.tso_shift);
}

static inline struct hs_trec *hs_trec(const struct hs_tso *tso)
{
	return hs_shifted(tso)->trec_;
}

/* The number of the Haskell thread, as `show` prints its ThreadId. */
static inline uint64_t hs_id(const struct hs_tso *tso)
{
	return hs_shifted(tso)->id_;
}

/* Requires that the RTS is known (ghc_rts), and that the chunk has room for so many entries. */
static inline struct hs_entry *hs_entry_at(struct hs_chunk *chunk, uint64_t index)
{
	REQUIRES(ghc_rts.entry_size != 0 && index < HS_CHUNK_ENTRIES);
	return (struct hs_entry *)(void *)(chunk->entries + index * ghc_rts.entry_size);
}

/* ---- pointers and info tables ---- */

#define HS_TAG 7

static inline struct hs_closure *hs_untagged(uintptr_t pointer)
{
	return (struct hs_closure *)(pointer & ~(uintptr_t)HS_TAG);
}

static inline uint32_t hs_type(uintptr_t info)
{
	return *(const uint32_t *)(info - 8);
}

/* The layout word of an info table. */
static inline uint64_t hs_layout(uintptr_t info)
{
	return *(const uint64_t *)(info - 16);
}

/* Whether it is the info table of a function's frame on the stack, where the function goes on behind a call. Frames of
 * the RTS itself (updates, handlers, transactions) say nothing about the program, and byte code has no address of its
 * own. */
static inline bool hs_is_return(uintptr_t info)
{
	uint32_t type = hs_type(info);
	return type > HS_RET_BCO && type <= HS_RET_FUN;
}

/* The closure behind the pointer, or the one that indirections lead to. A black hole was a thunk: it leads to its
 * value, to the Haskell thread that evaluates it, or to the queue of those that wait for it. */
static inline const struct hs_closure *hs_target(uintptr_t pointer)
{
	enum { STEPS = 8 };
	const struct hs_closure *object = hs_untagged(pointer);
	for (int i = 0; i < STEPS; i++) {
		uint32_t type = hs_type(object->info);
		if (type != HS_IND && type != HS_IND_STATIC && type != HS_BLACKHOLE)
			break;
		object = hs_untagged(object->words[0]);
	}
	return object;
}

/* What the program calls a Haskell thread (labelThread), in UTF-8, cut if it is longer. The NUL is one of the bytes. */
#define HS_LABEL_WORDS 4
struct hs_label {
	uintptr_t words[HS_LABEL_WORDS];
};

/* False: the thread has no label, or GHC is older than 9.6 and keeps none. Any thread that holds a capability: so no
 * collection moves the label meanwhile. */
static inline bool hs_has_label(const struct hs_tso *tso)
{
	const struct hs_bytes *bytes = hs_shifted(tso)->label_;
	return bytes != NULL && hs_type(bytes->info) == HS_ARR_WORDS;
}

/* The thread's label; all 0: it has none. As hs_has_label(). */
static inline struct hs_label hs_label(const struct hs_tso *tso)
{
	const struct hs_bytes *bytes = hs_shifted(tso)->label_;
	struct hs_label label = {{0}};
	if (hs_has_label(tso))
		memcpy(&label, bytes->bytes, bytes->len < sizeof label ? bytes->len : sizeof label - 1);
	return label;
}

/* The name of the constructor with this info table: "package:Module.Constructor". NULL: it is none of a constructor.
 * The name's distance from the code lies before the table. */
static inline const char *hs_constructor(uintptr_t info)
{
	uint32_t type = hs_type(info);
	if (type < HS_CONSTR || type > HS_CONSTR_LAST)
		return NULL;
	return (const char *)(info + (uintptr_t)(int64_t) * (const int32_t *)(info - 24));
}

/* How many pointers a constructor's closure begins with. */
static inline uint32_t hs_pointers(uintptr_t info)
{
	return (uint32_t)hs_layout(info);
}

/* Whether a transaction that commits holds the TVar with this value: it is a TRec then. `trec`: any TRec, since all
 * have the same info. */
static inline bool hs_is_lock(uintptr_t value, const struct hs_trec *trec)
{
	return (value & HS_TAG) == 0 && hs_untagged(value)->info == trec->info;
}

/* Whether a transaction sleeps until the TVar changes. */
static inline bool hs_has_waiters(const struct hs_tvar *tvar)
{
	return hs_type(hs_untagged(tvar->waiters)->info) > HS_CONSTR_LAST;
}

/* ---- marks ----
 *
 * The module's word in each TRec, by which a hook knows whose attempt it is on whatever OS thread it runs. Nested TRecs
 * have the mark of the enclosing one.
 *
 *   0                          the attempt is not measured
 *   the number of a lane       the attempt is measured, and reports to this lane (lane.h)
 *   a slot, plus MARK_SLOT     the transaction was blocked, or is (blocked.h), and this attempt is not measured
 *   failures, plus MARK_FAILED attempts of the transaction have failed (late_mark()), and this one is not measured
 * either
 */

#define MARK_SLOT 0x80000000u
#define MARK_FAILED 0x40000000u

static inline bool mark_is_slot(uint32_t mark)
{
	return (mark & MARK_SLOT) != 0;
}

static inline bool mark_is_lane(uint32_t mark)
{
	return mark != 0 && (mark & (MARK_SLOT | MARK_FAILED)) == 0;
}

/* ---- whether the RTS is known ---- */

/* How many bytes are looked at of the primitive operation `atomically`, which begins a transaction, and of
 * stmStartTransaction(). */
#define GHC_ATOMICALLY_BYTES 256
#define GHC_START_BYTES 64

/* Whether an RTS with these functions is laid out as the structs above say. Sets ghc_rts.tso_shift and
 * ghc_rts.free_trecs. */
bool ghc_rts_is_known(const unsigned char *atomically, const unsigned char *start);

#endif
