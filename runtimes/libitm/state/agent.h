/* SPDX-License-Identifier: MIT
 *
 * The agent: what stands between a program built with `gcc -fgnu-tm` and libitm.
 * One struct per thread, which the assembly writes and the C reads, and one for the
 * process, written once before the first transaction is let through.
 *
 *   begin.S, hooks.c  what libitm's entries do beside being passed on
 *   barriers.S        the data barriers (not in the light agent)
 *   unwind.c          where an attempt failed
 *   cause.c access.c counters.c   why it failed
 *   ring.c culprit.c blame.c   because of whom
 *   objects.c         over what; objects/ is the library that it asks
 *   callers.c frames.c calls.c functions.c context.c   who called
 *   sample.c pace.c phases.c   which transactions are looked at at all
 *   wait.c            what a transaction waited for
 *   hardware*.[cS] holder.c   tries in hardware, and who makes them fail by running alone
 *   explore.c lines.c   over what they may have failed
 *   agent.c options.c symbols.c real.c exits.S   beginnings and ends
 */
#ifndef ITM_AGENT_H
#define ITM_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "cause.h"
#include "libitm_layout.h"
#include "explore.h"
#include "hardware.h"
#include "asm_shared.h"
#include "loaded.h"
#include "ring.h"
#include "sample.h"

struct native_cache;
struct itm_calls;
struct itm_contexts;
struct itm_culprit;
struct itm_frames;
struct itm_memory;
struct native_step;
struct itm_walk;

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

/* How much of a culprit's stack is put on record. */
enum itm_stacks {
	ITM_STACKS_SITE,   /* the write and where its transaction began */
	ITM_STACKS_FRAMES, /* and who called, by frame pointers */
	ITM_STACKS_FULL,   /* and who called, as functions tell when they are entered and left */
};

/* What the program asked for; options.c. */
struct itm_options {
	uint32_t sample; /* one transaction in so many is measured, 1: all; ITM_SAMPLE_AUTO */
	uint32_t depth;  /* frames of a traceback */
	uint32_t factor; /* of the lock hash, as victims take it: a control experiment sets another one */
	enum itm_stacks stacks;
	struct itm_layout layout; /* of agent.libitm; all 0 where it is not to be used */
};

/* Invariant: constant once itm_ready() has returned, but for pid and has_seen, which
 * change in a forked child, before it has a second thread. */
struct itm_agent {
	struct itm_options options;
	enum itm_method method;
	bool has_counters;   /* libitm's own can be read */
	bool has_totals;     /* all aborts are counted, also those of transactions that are not measured */
	bool has_steady_tsc; /* the processor's time stamp runs at one speed, always */
	double probe_ns;     /* what measuring one transaction costs */
	/* 1: a transaction began in this process. Set by any thread in itm_begin(), read in
	 * itm_leave(); plain, since nothing else is published by it. */
	volatile AO_t has_seen;
	pid_t pid; /* of the process whose memory this is; a vfork child has another */
	struct native_module libitm, self, libc;
	uintptr_t entry; /* of the program: _start */
};
extern struct itm_agent itm_agent;

/* True where data barriers are hooked, false in the light agent. */
bool itm_has_barriers(void);

/* ---- agent.c ---- */

/* Makes the agent ready, once per process. */
void itm_ready(void);

/* Attaches the calling thread; false: it is not recorded. */
bool itm_attach(void);

/* ---- options.c ---- */

/* Requires agent.libitm. */
struct itm_options itm_options_read(void);

/* ---- symbols.c: the real entries ---- */

/* Looks all of them up, in whatever comes after the agent; false: there is no libitm. */
bool itm_resolve(void);

/* The kind of the data barrier whose code starts at `code`; ITM_KIND_NONE: it is none. */
uint32_t itm_kind_of(const void *code);

typedef uint32_t itm_begin_function(uint32_t, ...);
extern itm_begin_function *itm_real_begin;
extern void (*itm_real_commit)(void);
extern void (*itm_real_commit_eh)(void *);
extern void (*itm_real_abort)(uint32_t);
extern void (*itm_real_change_mode)(uint32_t);
extern void *(*itm_real_clone_or_irrevocable)(void *);
extern void (*itm_real_add_undo)(void (*)(void *), void *);
extern void (*itm_real_add_commit)(void (*)(void *), uint64_t, void *);

/* ---- hooks.c: called by begin.S ---- */
bool itm_begin(uintptr_t *slot, uint32_t properties);
void itm_begin_returned(uint32_t result);
void itm_arm(void);

/* ---- sample.c ---- */

/* The calling thread begins, as far as sampling goes. */
void itm_sampling_begin(void);

/* The transaction that begins: when, if it is to be measured; 0 if not. The thread's weight is set. */
uint64_t itm_choose(void);

/* Draws how many transactions to let pass. */
int32_t itm_draw(void);

/* Restarts of the calling thread up to now, libitm's and those of tries in hardware; 0 where they cannot be read. */
uint64_t itm_restarts(void);

/* Hands what was not measured since the last time to the library. */
void itm_hand_over(void);

/* How many of all that was handed over as aborted the program itself had cancelled: libitm does not count those. */
void itm_tell_cancels(void);
void itm_forget_cancels(void);

/* ---- unwind.c ---- */

/* The calling thread's storage for tracebacks; without memory there are none. */
void itm_traces_create(void);
void itm_traces_destroy(struct tb_stack *stack);

/* Finds where the attempt that is being rolled back was: sets trace and trace_kind.
 * `slot` is where the undo action's own return address lies. */
void itm_trace(uintptr_t *slot);

/* The user's stack from `slot` outwards, as the unwinder finds it: how many steps, up to main or a
 * thread's start, at most options.depth of them; they last until the next walk or trace. */
size_t itm_walk_steps(const uintptr_t *slot, const struct native_step **steps);

/* The traceback of the stack from the return address in `slot` outwards, which is that of the entry noted last or of
 * the outermost begin; borrowed until the next one is made. */
struct tb_frame *itm_trace_from(uintptr_t *slot);

/* Within the hook of a commit: the traceback of where the transaction began; borrowed as above. */
struct tb_frame *itm_trace_begin(void);

/* ---- blame.c ---- */

/* For barriers.S: the factor of the hash of libitm's locks. */
extern uint32_t itm_lock_factor;

/* The calling thread's record of what it reads and writes; without memory it leaves none. */
void itm_blame_create(void);
void itm_blame_destroy(struct tb_stack *stack);

/* An attempt begins, which is measured. */
void itm_blame_begin(void);

/* The thread's list of reads, which ends at reads_at; NULL: it has none. */
const uint64_t *itm_blame_reads(const struct itm_thread *self);

/* The list is empty. Requires that there is one. */
void itm_blame_forget_reads(struct itm_thread *self);

/* The attempt fails, and libitm's locks are still there: who holds the one that it has run into? */
void itm_blame_look(void);

/* Fills in whom the attempt was lost to and over what, as far as that can be found out. If that takes
 * time, it is not the attempt's: stmlog_failed() is called first. */
void itm_blame(enum itm_reason reason, struct stmlog_loss *loss);

/* ---- objects.c ---- */

/* Lets reports ask for blocks of memory, where those are remembered. */
void itm_objects_use(struct stmlog_setup *setup);

/* Tells what of them is not. */
void itm_objects_tell(void);

/* ---- leave.c ---- */

/* Looks up the real functions, so that leaving later needs nothing from the loader. */
void itm_leave_prepare(void);

/* The arguments of a call that exits.S has stopped: six registers, then rax, the return
 * address, and what was passed on the stack. */
struct itm_leave_call {
	char *registers[6];
	char *others[2];
	char *stack[];
};

/* Called by exits.S; returns the real function, whose arguments are in `call` then. */
void *itm_leave(uint32_t index, struct itm_leave_call *call);

#endif
