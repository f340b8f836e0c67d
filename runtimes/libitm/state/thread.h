/* SPDX-License-Identifier: MIT
 *
 * The agent's state for one thread, and for the transaction that the thread is in. Assembly reads and writes the first
 * members (asm_shared.h).
 */
#ifndef ITM_THREAD_H
#define ITM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "asm_shared.h"
#include "libitm_layout.h"
#include "pace.h"
#include "phases.h"
#include "ring.h"

struct native_cache;
struct itm_contexts;
struct itm_memory;
struct itm_waiting;
struct itm_walk;

/* Sampling: which transactions of the thread are measured (sample.h). Invariant: the weights of the measured
 * transactions add up to the number of all transactions so far, less `owed`; on average, and unless `owed` was cut. */
struct itm_sampling {
	uint32_t every;      /* one transaction in this many is sampled */
	uint32_t close_in;   /* of those, one in this many is measured closely, and the others are only timed; 1: all */
	bool is_beside_many; /* its transactions are measured closely in bursts only: other threads have many */
	uint32_t weight;     /* of the transaction that will be measured next */
	uint32_t weight_now; /* of the transaction measured closely, now or last */
	/* How the countdown was drawn: one transaction in `drawn` is sampled, and in a burst (bursts.h) one in
	 * `drawn_close` is measured closely; 0: there was none. */
	uint32_t drawn, drawn_close;
	uint64_t passed; /* transactions up to now, measured or not */
	uint64_t over;   /* those of them that were not measured (counts.h) */

	/* In an off phase (phases.h) nothing is measured. Transactions that are measured later weigh half as much
	 * again, until they have made up for those of the off phase. */
	uint64_t owed; /* transactions still to be made up for */
	bool is_off;
	uint64_t off_passed; /* `passed` when the off phase began */
	int32_t rest;        /* in an off phase: transactions until the clock is read again */
	uint64_t checked_ns; /* when it was read last */

	bool is_timed; /* of the transaction chosen last: it is only timed (stopwatch.h) */

	struct itm_phase_mark mark; /* when the phase, or the interval `every`, changed last */
	struct itm_pace pace;
	/* Of the pace's last check: when it was, and `passed` then. Words read by measured transactions since. */
	uint64_t look_ns, look_passed, reads;
};

/* The stretches of a timed transaction: from begin's call to its first return; from there to its last return; from
 * there to commit's call; and commit. */
enum itm_stretch { ITM_BEGINNING, ITM_RETRYING, ITM_WORKING, ITM_COMMITTING, ITM_STRETCHES };

/* The timed transaction under way (stopwatch.h). In ticks of the time stamp. */
struct itm_stopwatch {
	uint64_t began;     /* directly before libitm's begin */
	uint64_t returned;  /* begin's first return, or the one at `half_from`; 0: not yet, or not known */
	uint64_t restarted; /* begin's last return */
	uint32_t is_next;   /* when the countdown ends, the transaction is timed, and the countdown is the next line */
	int32_t countdown;
	uintptr_t site;      /* where the transaction began */
	double weight;       /* how many transactions it stands for */
	double weight_next;  /* of the transaction that is_next announces */
	uint64_t failed;     /* begin's returns after the first one: attempts that failed or were cancelled; also
			      * of transactions that are not measured */
	uint64_t late_from;  /* after so many, transactions are measured late (late.c) */
	uint64_t half_from;  /* half as many: one that is not measured reads the time stamp there */
	uint64_t look_from;  /* after so many, the transaction that is timed late is looked at again */
	uint64_t before;     /* of `failed`, those that were not timed */
	uint64_t looked;     /* `failed` at the last look: `restarted` is of that time */
	uint64_t committing; /* directly before libitm's commit */
	uint64_t upgrading;  /* waits while it became irrevocable */
	uint64_t off[ITM_STRETCHES]; /* time off the processor */
	uint64_t asleep;             /* sleep until the thread had the serial lock, before another attempt */
	double own_ns;               /* how long it takes on average to report a timed transaction */
	uint64_t sleeps;             /* itm_preemption_sleeps() before a begin that may wait for the serial lock */
};

/* Transactions that are measured late (late.c). */
struct itm_late {
	uint64_t since_ns; /* when `late_from` was chosen last (late_from.h) */
	double cost_ns;    /* what measuring late has taken since */
	double timing_ns;  /* timing alone */
	double lost_ns;    /* what the transactions that were timed late have lost since, up to their ends */
	bool has_asked;    /* the transaction under way starves, and has asked for a burst */
};

/* How long the thread's transactions usually take (preemption.h). */
struct itm_usual {
	double cycle_ns;        /* from one begin to the next; 0: not known yet */
	uint64_t at_ns;         /* when the clock was read last */
	uint64_t off_ns;        /* the thread's time off the processor up to then, since any time in the past */
	uint64_t sleeps;        /* how often the thread has gone to sleep by itself, up to then */
	uint64_t transactions;  /* the thread's transactions up to then */
	uint64_t alone;         /* how many transactions have run alone up to then, of all threads (alone.h) */
	uint64_t stopped_looks; /* how many looks in a row, up to now, were interrupted themselves */

	/* Sleep that was presumed since the last look. The next look tells how much of it was sleep. */
	struct {
		bool is_begun; /* the next two members are as above, at that look */
		uint64_t off_ns;
		uint64_t sleeps;
		uint64_t wait_ns;                      /* not reported yet; 0: there is none */
		struct stmlog_timed_transaction timed; /* its transaction without it, not reported yet either */
		double attempts_per_timed; /* how many failed attempts each timed one of that transaction stands for */
	} presumed;
};

/* An entry in a thread's list of reads, as the read barriers make it. */
struct itm_read {
	uint64_t access; /* address and size (asm_shared.h) */
	uintptr_t site;  /* the barrier's return address */
};

/* How many tracebacks of other transactions are kept (stacks.h). */
#define ITM_REMOTES 8

/* Invariants:  depth == 0  <=>  the thread is outside all transactions;
 *              depth > 0  =>  depth is libitm's nesting; except from the start of a rollback to the undo action, or the
 *              return of begin, that it leads to;
 *              ITM_MEASURED is set  =>  stmlog_start() was called, on `thread`; if the library was closed since,
 *              `thread` is NULL;
 *              kind, size, address and slot are of the same entry, and so is hook_return, if the entry is no data
 *              barrier; but while slot has ITM_SLOT_OF_READ, that entry is the read at reads_at, and kind, size and
 *              address are of an earlier one (itm_blame_note_read()). */
struct itm_thread {
	uint32_t depth;
	uint32_t flags;
	int32_t countdown;               /* transactions to pass on before the next one that is measured */
	uint16_t kind;                   /* the entry of libitm that was called last */
	uint16_t size;                   /* of a data barrier's access; ITM_SIZE_ARGUMENT: `length` has it */
	uintptr_t *slot;                 /* where the return address of that entry lies */
	uintptr_t hook_return;           /* that return address */
	uintptr_t address;               /* of the last data barrier */
	uintptr_t source;                /* second address of the last copy */
	uintptr_t user_r15;              /* the user's r15, while the real begin runs */
	struct itm_ring *ring;           /* never NULL */
	struct itm_read *reads_at;       /* the last read in the list, or the place before the first; never NULL */
	struct itm_read *reads_limit;    /* reads_end; NULL: reads take their longer way (itm_blame_see_words()) */
	size_t length;                   /* of the last access of the memcpy family */
	uint16_t context;                /* the callers that are recorded with writes; 0: not known */
	uint32_t is_exact;               /* the next transaction may begin on the fast path (attempts.c) */
	AO_t lock_word;                  /* the lock of `address`, directly before libitm looked at it; 0: not seen */
	const volatile AO_t *word_table; /* libitm's locks, if barriers keep their words; NULL: they do not */
	volatile uint64_t *critical;     /* 0 there: the thread was interrupted (preemption.h); never NULL */
	struct itm_read *reads_end;
	struct itm_stopwatch watch;
	struct stmlog_thread *thread;

	uintptr_t *site_slot;            /* where the return address of the outermost begin lies */
	uintptr_t site;                  /* that return address */
	const volatile AO_t *lock_table; /* libitm's locks, of the attempt under way; NULL: they cannot be seen */
	const char *published_struct;    /* libitm's struct of the thread, as the ring names it; NULL: not yet */
	uint64_t started_ns;             /* when the transaction began, after waits in begin */
	uint64_t entered;                /* for wait.h */
	uint64_t commit_ticks;           /* for wait.h */
	uint32_t failures;               /* failed attempts of the transaction under way */
	uint64_t random;
	uint32_t restarts[ITM_REASONS]; /* libitm's restart counters when the attempt began */

	bool is_prepared;           /* there is memory for transactions that are measured closely */
	struct native_cache *cache; /* of tracebacks; NULL: no memory */
	struct itm_walk *walk;
	struct tb_frame *trace; /* traceback of the attempt that failed; borrowed from the cache, or from `loose` */
	struct tb_frame *loose; /* owned: a traceback that the cache did not take; or NULL */
	uint32_t trace_kind;    /* the kind of access of `trace` */

	uint64_t began;            /* the stamp (stamp.h) when the attempt under way began */
	struct itm_memory *memory; /* its reads, and the last culprit (blame.c); NULL: no memory */

	struct itm_waiting *waiting; /* for wait.h; NULL: no memory */

	struct tb_frame *remotes[ITM_REMOTES]; /* of other transactions, the latest; owned, or NULL */
	struct tb_frame *blamed;               /* the culprit's traceback; owned, or NULL */

	struct itm_contexts *contexts; /* the ring's; NULL: callers are not recorded */
	bool destructor_has_run;       /* the agent's destructor has run once */
	bool has_no_clock;             /* its transactions are only counted (process_calls.c); `thread` is NULL then */
	struct itm_sampling sampling;
	struct itm_usual usual;
	struct itm_late late;
} __attribute__((aligned(64)));

/* Where the reads of threads go that have no list. It is never read. */
extern struct itm_read itm_reads_dummy;

/* Not 0. `critical` points to it where interruptions are not seen. Never written. */
extern volatile uint64_t itm_never_interrupted;

extern __thread struct itm_thread itm_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
