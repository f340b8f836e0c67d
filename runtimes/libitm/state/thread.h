/* SPDX-License-Identifier: MIT
 *
 * What the agent keeps of one thread, and of the transaction that it is in. Assembly writes the first members
 * (asm_shared.h), each room its own of the others.
 */
#ifndef ITM_THREAD_H
#define ITM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "asm_shared.h"
#include "libitm_layout.h"
#include "lines.h"
#include "pace.h"
#include "phases.h"
#include "ring.h"

struct native_cache;
struct itm_calls;
struct itm_contexts;
struct itm_frames;
struct itm_memory;
struct itm_walk;

/* Which transactions of the thread are measured (sample.h). Invariant: the measured transactions stand, by their
 * weights, for as many as there were up to the last of them, less what is owed; on average, and as far as owed is not
 * cut. */
struct itm_sampling {
	uint32_t every;  /* one transaction in this many is measured */
	uint32_t weight; /* of the one that will be measured next */
	uint64_t passed; /* transactions up to now, measured or not */

	/* Nothing stands for the transactions of an off phase; so those that are measured later weigh half as much
	 * again, until they have made up for them. */
	uint64_t owed;
	bool is_off;
	uint64_t off_passed; /* what `passed` was when it began */
	int32_t rest;        /* transactions until the clock is read again */
	uint64_t checked_ns;

	struct itm_phase_mark mark; /* since when a phase has been what it is, and measuring as frequent */
	struct itm_pace pace;
};

/* What other threads touch that this one's transactions touch (explore.h). Stamps are the processor's. */
struct itm_exploring {
	uint64_t forced; /* when a transaction was made to run alone last ... */
	uint64_t kept;   /* ... and when what one has touched was kept */

	/* What was found last, which is good for a while. */
	uint64_t searched;
	uintptr_t site; /* whose meetings were looked for; 0: none were yet */
	struct itm_meeting meeting;
	uint32_t other; /* thread */
};

/* Tries of one transaction in hardware that failed; more than libitm has ever made. Those beyond are counted and not
 * timed. */
#define ITM_HARDWARE_KEPT 4

/* One that failed, as it is kept until the transaction has committed. Stamps are itm_hardware_now()'s. */
struct itm_hardware_try {
	uint64_t failed, resumed;
	uint32_t status;
	bool was_held;         /* the serial lock, when it failed */
	uint32_t holder;       /* by that thread; 0: nobody, or not known */
	uintptr_t holder_site; /* where that one's transaction began */
};

/* The transaction under way, if it is measured. */
struct itm_hardware_tries {
	uint32_t len;
	uint32_t dropped;
	struct itm_hardware_try at[ITM_HARDWARE_KEPT];
};

/* Invariants:  depth == 0  <=>  the thread is outside all transactions;
 *              depth > 0  =>  libitm's nesting is depth, except between the start of a
 *              rollback and the undo action (or return of begin) that comes of it;
 *              ITM_MEASURED is set  =>  stmlog_start() was called, on `thread` unless
 *              the library was closed since, which makes that NULL;
 *              kind, slot (and hook_return, of entries other than data barriers)
 *              belong together.
 * The first members are written by assembly: asm_shared.h. */
struct itm_thread {
	uint32_t depth;
	uint32_t flags;
	int32_t countdown; /* transactions to let pass before the next measured one */
	uint16_t kind;
	uint16_t size;         /* of a data barrier's access; ITM_SIZE_ARGUMENT: `length` has it */
	uintptr_t *slot;       /* where the return address of that entry lies */
	uintptr_t hook_return; /* and what it was */
	uintptr_t address;     /* of the last data barrier */
	uintptr_t source;      /* second address of the last copy */
	uintptr_t user_r15;    /* while the real begin is called */
	struct itm_ring *ring; /* never NULL */
	uint64_t *reads_at;    /* where the next read goes; never NULL */
	uint64_t *reads_end;
	size_t length;                   /* of the last access of the memcpy family */
	uint16_t context;                /* the callers that writes are put on record with; 0: not known */
	AO_t lock_word;                  /* of the address of the last data barrier, just before libitm looked at it */
	const volatile AO_t *lock_table; /* of the attempt under way; NULL: it has no locks that can be seen */
	struct stmlog_thread *thread;

	uintptr_t *site_slot; /* of the outermost begin's return address */
	uintptr_t site;
	uint64_t random;
	uint64_t commits; /* not measured, and not handed over */
	uint64_t cancels;
	uint64_t restarts_mark;         /* libitm's sum of restarts when the last measured transaction ended */
	uint32_t restarts[ITM_REASONS]; /* libitm's counters when the attempt began */

	struct native_cache *cache; /* NULL: no memory */
	struct itm_walk *walk;
	struct tb_frame *trace; /* of the attempt that failed; borrowed from the cache, or from `loose` */
	struct tb_frame *loose; /* owned: a trace the cache would not take, or NULL */
	uint32_t trace_kind;

	uint64_t began;            /* stamp of the attempt under way */
	struct itm_memory *memory; /* what it has read; NULL: no memory */

	uint64_t started_ns; /* when the transaction began, what it waited in begin taken out */
	uint64_t entered;    /* wait.h has these three */
	uint64_t inside;
	uint32_t failures;           /* of the transaction under way */
	uint32_t begin_holder;       /* thread that held the serial lock when begin was called; 0: not known */
	uintptr_t begin_holder_site; /* where that thread's transaction began */

	struct tb_frame *blamed; /* the traceback made of it; owned, or NULL */

	struct itm_contexts *contexts; /* the ring's; NULL: callers are not looked for */
	struct itm_frames *frames;     /* NULL: frame pointers are not followed */
	struct itm_calls *calls;       /* NULL: no function has told that it was entered */
	struct itm_hardware_tries tries;
	struct itm_exploring exploring;
	bool is_ending;  /* the thread's destructors run */
	bool is_deaf;    /* no more functions are to be told of */
	int32_t to_pass; /* the countdown, where begin.S does not count */
	struct itm_sampling sampling;
} __attribute__((aligned(64)));

/* Where reads of threads go that have no list. */
extern uint64_t itm_reads_dummy;

extern __thread struct itm_thread itm_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Where reads of threads go that have no list. */
extern uint64_t itm_reads_dummy;

extern __thread struct itm_thread itm_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
