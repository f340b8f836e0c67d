/* SPDX-License-Identifier: MIT
 *
 * The record of one thread. A thread gets it at attach. At detach its figures and losses go to the
 * registry, and the record is used again for a later thread.
 */
#ifndef STMLOG_THREAD_H
#define STMLOG_THREAD_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "account.h"
#include "attempts.h"
#include "check.h"
#include "interruption.h"
#include "ledger.h"
#include "origins.h"
#include "places.h"
#include "tries.h"
#include "weigh.h"
#include "windows.h"

#define THREAD_RUNTIME 32

/* The attempts and losses of the transaction under way, up to now. Most transactions commit at the first attempt and
 * lose nothing. Then nothing is stored here, since a store would delay the runtime's next full fence. Invariant: while
 * `is_changed` is false, the other members are as thread_forget_losses() leaves them. */
struct so_far {
	bool is_changed;
	uint64_t tries;          /* its attempts, the present one included */
	uint64_t tries_ns;       /* time of its aborted attempts */
	uint64_t failed_ns;      /* time of stmlog_failed() for the attempt under way; 0: not called */
	uint64_t descheduled_ns; /* off the processor since the last loss, or the transaction's start */
	uint64_t extra_losses;   /* each of its losses stands for so many others, in entries only */
};

/* As long as the kernel's names. */
struct thread_name {
	char text[16];
};

/* The transaction because of which this thread pauses or waits, for snapshots on another thread. Snapshots cannot
 * follow the tracebacks of the interruption, which the owner may free meanwhile; so these are plain words. Partner: the
 * account's word, which changes after them. */
struct in_the_way {
	volatile AO_t thread;
	volatile AO_t grade;
	struct tb_site site; /* of the innermost frame; position 0: not known. Stored and loaded word by word */
};

struct stmlog_thread {
	/* First, as struct stmlog_handle says. */
	struct tb_stack *stack; /* never changes */
	struct stmlog_thread *measured;
	uint32_t left;
	uint64_t aborts;

	/* Hot: used by every hook, and contiguous, so that these are few cache lines. */
	_Alignas(64) struct account account; /* aligned, so that start and commit touch fewer cache lines */
	uint64_t transaction;                /* number of the transaction under way, or of the last one */
	struct tb_site site;    /* where the transaction begins; position 0: not known; snapshots read it, too */
	ptrdiff_t notice_place; /* of the word that shows interruptions (interruption.h) */
	uint64_t look_at_ns;    /* a transaction that starts later makes a reading; UINT64_MAX: none does */
	struct so_far so_far;
	volatile bool is_busy; /* between thread_enter() and thread_leave() */
	bool tells_begins;     /* `site` is mostly that of stmlog_start_at() */
	struct paths *paths;   /* NULL without the option paths=on */
	struct attempts attempts;
	volatile AO_t id;

	/* The pause or wait under way: its cause, and references to its tracebacks. */
	struct stmlog_loss interruption;
	const struct tb_copy *interruption_remote; /* instead of interruption.remote, if not NULL */
	uint64_t descheduled_before_ns;            /* so_far.descheduled_ns before the interruption */
	struct in_the_way in_the_way;              /* the other side of the interruption */

	struct running running; /* losses of the transaction under way, for variances */
	volatile AO_t recorder; /* struct recorder *, for timelines; 0: none yet */

	struct tb_frame *place; /* traceback of the transaction's beginning, a reference; TB_UNKNOWN without paths */

	volatile AO_t tracebacks_unavailable;
	volatile AO_t calls_lost;     /* of hooks, refused by thread_enter() */
	uint64_t lost_before;         /* tb_stack_lost() when the thread attached */
	struct stmlog_timelog *log;   /* for the report; always active */
	uint64_t blocked_transaction; /* the last one that was blocked; 0: none */
	struct thread_name name;
	char runtime[THREAD_RUNTIME]; /* guarded by the registry's lock */
	bool is_lane;                 /* belongs to no OS thread; the name is the runtime's */
	bool is_spare;                /* stmlog_set_spare(); guarded by the registry's lock */
	uint32_t system_id;           /* of the OS thread; 0: not known, or none */

	/* Used by the registry, under its lock. */
	struct stmlog_thread *next;
	struct stmlog_thread **link; /* the pointer in the list that points to this record; NULL: in no list */
	struct stmlog_thread *made;  /* the record that was created before this one */
	size_t logs;                 /* timelogs of this record that the user has created */
	bool is_ended;

	/* Large members, last. An open handle has written one page of the record, up to the ledger's pending groups; so
	 * it has its stack in it, for as many levels as there is room. A deeper stack has memory of its own. Further
	 * pages are written when the thread loses something or commits, which is the second one, or asks for an origin:
	 * until then a lane needs little memory. */
	/* Measured: behind `own_log` a transaction with four origins took 2 ns more. */
	_Alignas(64) struct {
		struct tb_stack stack;
		struct tb_level levels[13];
	} shadow;
	struct stmlog_timelog own_log;
	struct ledger ledger;
	struct tries distribution; /* of transactions */
	struct window window;      /* in which it is measured, if the runtime leaves that to the library */
	/* Calls of stmlog_origin(); how many of them were timed, and how long these took. */
	volatile AO_t origins_made, origins_timed, origins_timed_ns;
	struct origin_cache origins; /* its `base` is 0 before the first origin */
};

_Static_assert(offsetof(struct stmlog_thread, stack) == offsetof(struct stmlog_handle, stack) &&
		       offsetof(struct stmlog_thread, measured) == offsetof(struct stmlog_handle, measured) &&
		       offsetof(struct stmlog_thread, left) == offsetof(struct stmlog_handle, left) &&
		       offsetof(struct stmlog_thread, aborts) == offsetof(struct stmlog_handle, aborts),
	"inline functions read them");

_Static_assert(offsetof(struct stmlog_thread, ledger.pending.items) <= 4096, "an open lane has written one page");
/* Compilers add to the count and the time of a loss as one vector. If a cache line ended between them, the next loss
 * would wait for the store: 10 ns. With this size and offset no line ends there in any of the seven groups. */
#ifdef __x86_64__
_Static_assert(sizeof(struct pending_item) % 64 == 24 &&
		       offsetof(struct stmlog_thread, ledger.pending.items) % 64 == 40 &&
		       offsetof(struct group, entry.count) == 40,
	"a group's count and lost_ns are in one cache line");
#endif
_Static_assert(offsetof(struct stmlog_thread, distribution.others) <= 8192, "losses and commits share the second page");

static inline bool thread_is_in(const struct stmlog_thread *thread, enum account_slot state)
{
	return STMLOG_LIKELY(account_state(&thread->account) == state);
}

/* Neither in a pause nor in a wait. */
static inline bool thread_may_wait(const struct stmlog_thread *thread)
{
	return account_state(&thread->account) <= ATTEMPT_STATE;
}

/* ---- one hook at a time ----
 *
 * A signal handler may call hooks, and may have interrupted a hook of the same handle. Then that hook has changed the
 * record, its stack and its recorder only in part. So all functions that change these for their thread do it between
 * thread_enter() and thread_leave(), and a hook that finds the handle busy only counts itself.
 *
 * The flag needs no atomic instruction, because only the thread and its handlers use it: a handler that runs between
 * the test and the store finds the flag clear, and has cleared it again when it returns. So the state of the account
 * may change until the store, and is read after it. */

/* Out of line: rare. */
void thread_count_lost_call(struct stmlog_thread *thread);

/* Makes the handle busy: from here on all its hooks are lost. */
static inline void thread_stay_busy(struct stmlog_thread *thread)
{
	thread->is_busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* against a handler on this thread */
}

/* Returns false, and counts the call, if the handle is busy: then the caller does nothing, and does not leave. */
static inline bool thread_enter(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(thread->is_busy)) {
		thread_count_lost_call(thread);
		return false;
	}
	thread_stay_busy(thread);
	return true;
}

static inline void thread_leave(struct stmlog_thread *thread)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* against a handler on this thread */
	thread->is_busy = false;
}

/* Counts a call that the state of the handle does not allow (misuse.h). `what` begins with the name of the function.
 * For an idle lane, in which no hook is allowed, reports that instead of the text after the name. */
void thread_misuse(const struct stmlog_thread *thread, const char *what);

/* Requires: within a hook. */
static inline void thread_count_unavailable_traceback(struct stmlog_thread *thread)
{
	REQUIRES(thread->is_busy);
	AO_store(&thread->tracebacks_unavailable, AO_load(&thread->tracebacks_unavailable) + 1);
}

/* For each change of these members: notes that they are changed. */
static inline struct so_far *thread_change_so_far(struct stmlog_thread *thread)
{
	thread->so_far.is_changed = true;
	return &thread->so_far;
}

/* For the next transaction, which has lost nothing yet. */
void thread_forget_losses(struct stmlog_thread *thread);

/* ---- create and destroy ---- */

/* Creates a record with its stack, its timelog of `capacity` groups, and its tables. NULL: no memory. */
struct stmlog_thread *thread_create(size_t capacity);

/* Gives back memory that the next thread with this record will need only if it loses something. Requires that the
 * record's thread has been detached. */
void thread_shrink(struct stmlog_thread *thread);

/* Requires that the record's thread has been detached. */
void thread_destroy(struct stmlog_thread **thread);

/* Returns the name of the calling thread; behind a filter of system calls, `before`. */
struct thread_name thread_read_name(struct thread_name before);

/* Sets the calling thread's handle, for stmlog_thread_self(); NULL: it has none. */
void thread_set_self(struct stmlog_thread *thread);

#endif
