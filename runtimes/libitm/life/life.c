/* SPDX-License-Identifier: MIT
 * Makes the agent ready, attaches and detaches threads, and handles forks and the end of the process. */
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "agent.h"
#include "blame.h"
#include "bursts.h"
#include "counts.h"
#include "entries.h"
#include "filter.h"
#include "libitm_layout.h"
#include "environment.h"
#include "others.h"
#include "pages.h"
#include "plain.h"
#include "preemption.h"
#include "requires.h"
#include "sample.h"
#include "stacks.h"
#include "stamp.h"
#include "stopwatch.h"
#include "thread.h"
#include "wait.h"

/* If a thread could not be attached, it tries again after so many transactions. */
#define TRY_LATER 1000000

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static bool has_key;

/* ---- threads ---- */

static volatile AO_t forking; /* struct itm_thread *, of a thread that forks; 0: none does */

/* Called before the thread enters libitm for the first time, or the last: while another one forks, it stays outside.
 * Not for ever, since the program's fork handlers may wait for this thread. */
static void let_others_fork(void)
{
	enum { YIELDS_MAX = 10000 };
	for (int i = 0; i < YIELDS_MAX && AO_load(&forking) != 0 && AO_load(&forking) != (AO_t)&itm_self; i++)
		sched_yield();
}

/* The library detaches threads by a key of its own, and destructors run in any order. */
static bool is_attached(const struct itm_thread *self)
{
	return self->thread != NULL && stmlog_thread_self() == self->thread;
}

/* What itm_wait_snapshot() has seen lies in front of what itm_blame() needs, since most transactions read and see
 * little: so they share a page. Without memory no culprits are found. */
static void create_evidence(struct itm_thread *self)
{
	char *memory = native_pages_unzeroed(sizeof *self->waiting + itm_blame_size());
	if (memory == NULL)
		return;
	self->waiting = (struct itm_waiting *)(void *)memory;
	*self->waiting = (struct itm_waiting){.has_looked = false};
	itm_blame_create(memory + sizeof *self->waiting);
}

static void destroy_evidence(struct itm_thread *self, struct tb_stack *stack)
{
	itm_blame_destroy(stack);
	native_pages_free(self->waiting, sizeof *self->waiting + itm_blame_size());
	self->waiting = NULL;
}

/* If the library's destructor was first, the frames are released into a stack that is created for that. */
static void release_traces(struct itm_thread *self)
{
	itm_callers_destroy(); /* while the ring is the thread's own */
	bool has_stack = is_attached(self);
	struct tb_stack *own = has_stack ? NULL : tb_stack_create(0);
	struct tb_stack *stack = has_stack ? stmlog_thread_stack(self->thread) : own;
	if (stack != NULL) {
		itm_traces_destroy(stack);
		itm_remote_destroy(self, stack);
		destroy_evidence(self, stack);
	}
	tb_stack_destroy(&own);
}

/* The next transaction comes to the agent, which attaches the thread. */
static void end_countdown(struct itm_thread *self)
{
	self->watch.is_next = 0;
	self->countdown = 0;
}

static void at_thread_exit(void *unused)
{
	(void)unused;
	struct itm_thread *self = &itm_self;
	itm_counts_note(&self->ring->counts, itm_restarts());
	itm_counts_pause(&self->ring->counts);
	self->destructor_has_run = true;
	itm_preemption_end();
	if (is_attached(self))
		itm_sampling_end();
	release_traces(self);
	struct stmlog_thread *own = stmlog_thread_self(); /* NULL: the library has closed it already */
	stmlog_thread_close(&own);                        /* reads the counts in the ring for the last time */
	itm_blame_leave_ring();
	/* A transaction in a later destructor attaches the thread again. */
	self->thread = NULL;
	self->is_exact = 0;
	end_countdown(self);
	let_others_fork();
}

/* Starts the thread's counts. If the thread's destructor has run before, it may not run again: then the thread may end
 * unnoticed, and libitm's struct of it must not be read. */
static void begin_counts(struct itm_thread *self)
{
	itm_counts_begin(&self->ring->counts, itm_restarts(),
		has_key && !self->destructor_has_run ? itm_transaction_slot() : NULL);
	if (itm_agent.options.sample != 1 || native_has_no_clock())
		stmlog_read_unmeasured_by(self->thread, itm_counts_read, self->ring);
}

void itm_prepare(void)
{
	struct itm_thread *self = &itm_self;
	REQUIRES(self->thread != NULL);
	if (self->is_prepared)
		return;
	self->is_prepared = true;
	if (self->walk == NULL)
		itm_traces_create();
	create_evidence(self);
}

static volatile AO_t threads_without_clock;

/* The thread may not read the clock any more. If that is within a transaction, its end is not seen. */
static void only_count(struct itm_thread *self)
{
	itm_bursts_leave(self->ring);
	itm_preemption_end();
	self->flags &= ~(uint32_t)(ITM_MEASURED | ITM_STOPWATCH | ITM_TIMED | ITM_FAST_PATH | ITM_LATE);
	self->entered = 0;
	self->is_exact = 0;
	end_countdown(self);
	self->countdown = TRY_LATER;
	self->watch.late_from = self->watch.half_from = UINT64_MAX;
	self->has_no_clock = true;
	self->thread = NULL;
}

static void do_without_clock(struct itm_thread *self)
{
	uint32_t sample = itm_agent.options.sample;
	if (sample == 1) /* with sample=1 no transactions were counted so far */
		begin_counts(self);
	only_count(self);
	if (sample == 1 || sample == NATIVE_SAMPLE_AUTO)
		stmlog_set_sampling(2); /* not all are measured any more */
	AO_fetch_and_add1(&threads_without_clock);
	AO_store(&itm_agent.has_seen, 1);
}

bool itm_attach(void)
{
	struct itm_thread *self = &itm_self;
	int saved = errno;
	if (self->has_no_clock) {
		self->countdown = TRY_LATER;
		return false;
	}
	itm_ready();
	let_others_fork();
	self->thread = stmlog_thread_open(NULL);
	if (self->thread != NULL) {
		bool is_follower = itm_sampling_begin();
		if (has_key)
			pthread_setspecific(thread_key, self);
		itm_blame_join_ring();
		self->is_prepared = false;
		itm_traces_reserve(stmlog_thread_stack(self->thread));
		if (!is_follower)
			itm_prepare();
		begin_counts(self);
		itm_callers_create();
		itm_preemption_begin();
	} else {
		self->countdown = TRY_LATER;
	}
	if (self->thread != NULL && native_has_no_clock())
		do_without_clock(self);
	errno = saved;
	return self->thread != NULL;
}

/* ---- the process ---- */

/* While a single thread transacts, libitm uses none of the methods for several threads, unless ITM_DEFAULT_METHOD says
 * so. */
static enum itm_method method_in_use(void)
{
	return !itm_rings_are_several() && itm_method_is_default() ? ITM_METHOD_SERIAL_IRREVOCABLE : itm_agent.method;
}

static void before_report(void *unused)
{
	(void)unused;
	itm_hardware_set_facts();
	itm_objects_set_facts();
	stmlog_set_word("method", itm_method_name(method_in_use()));
	if (AO_load(&itm_others_cut) != 0)
		stmlog_set_fact("waits_unseen", AO_load(&itm_others_cut));
	if (AO_load(&threads_without_clock) != 0)
		stmlog_set_fact("threads_without_clock", AO_load(&threads_without_clock));
	if (itm_callers_dropped() != 0)
		stmlog_set_fact("contexts_dropped", itm_callers_dropped());
	if (itm_agent.options.sample != 1 && itm_agent.has_totals)
		itm_phases_set_facts();
}

/* Whether a thread holds libitm's serial lock alone, or another one is in a transaction. */
static bool is_libitm_busy(void)
{
	if (itm_locks.serial != NULL && *itm_locks.serial != 0)
		return true;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (ring != itm_self.ring && AO_load(&ring->is_owned) && !(AO_load(&ring->site) & ITM_RING_IS_OVER))
			return true;
	return false;
}

/* libitm does nothing at a fork: what other threads have locked then is locked in the child for ever, and its
 * transactions hang. The profiler makes transactions longer. So no thread enters libitm anew, and the fork waits for a
 * moment at which none is in libitm; not for long, since there may be no such moment, and since this thread itself may
 * be in a transaction. */
static void wait_for_libitm(void)
{
	enum { LOOKS_MAX = 1000 };
	int saved = errno;
	AO_store(&forking, (AO_t)&itm_self);
	AO_nop_full(); /* before the looks */
	for (int looks = 0; looks < LOOKS_MAX && is_libitm_busy(); looks++)
		sched_yield();
	errno = saved;
}

static void end_fork(void)
{
	AO_store(&forking, 0);
}

/* The child starts with empty counts: those before the fork are the parent's. */
static void after_fork_in_child(void)
{
	struct itm_thread *self = &itm_self;
	if (!native_is_filtered())
		itm_agent.pid = getpid();
	self->is_exact = 0;
	itm_bursts_after_fork();
	AO_store(&itm_agent.has_seen, 0);
	itm_rings_after_fork(self->ring);
	itm_hardware_forget();
	AO_store(&itm_others_cut, 0);
	itm_others_request_stamps(false);
	begin_counts(self);
	itm_phases_forget();
	itm_sampling_begin();
	itm_preemption_begin();
	end_countdown(self);
	if (self->has_no_clock)
		only_count(self);
}

static void at_quick_end(void)
{
	if (AO_load(&itm_agent.has_seen))
		stmlog_flush();
}

/* If the agent is linked into the program, libitm and the agent are in the same module as the program; in a static
 * program so is the C library. Such a module does not show to which of them an address belongs. Its entry stays empty,
 * so that no address is in it. */
static void find_modules(void)
{
	void *begin;
	memcpy(&begin, &itm_real_begin, sizeof begin);
	const struct native_module libitm = native_module_find(begin), self = native_module_find(&itm_agent);
	const struct native_module libc = native_module_find(itm_real("__libc_start_main"));
	if (libitm.start != self.start) {
		itm_agent.libitm = libitm;
		itm_agent.self = self;
	}
	if (libc.start != self.start)
		itm_agent.libc = libc;
	itm_agent.entry = getauxval(AT_ENTRY);
}

/* The cost of measuring a transaction besides the two readings of the clock: the shim, copying libitm's counters, and
 * cache misses. */
#define PROBE_REST_NS 15

static double probe_ns(void)
{
	enum { EVENTS = 1000 };
	return 2.0 * (double)stmlog_probe_cost_ns(EVENTS) / EVENTS + PROBE_REST_NS;
}

/* Under gl_wt libitm also counts restarts when begin only waits and no attempt has failed; under htm it counts no
 * attempt that the processor aborts. */
static bool can_count_all(void)
{
	return itm_agent.has_counters && itm_agent.method != ITM_METHOD_GLOBAL_LOCK &&
	       itm_agent.method != ITM_METHOD_HARDWARE;
}

/* Decides when the program may call libitm's own data barriers. The hooks are needed in each transaction if a fixed one
 * in N is measured; with sample=1, as soon as a second thread transacts. */
static enum itm_bursts_use use_of_bursts(void)
{
	uint32_t sample = itm_agent.options.sample;
	bool can_burst = itm_is_preloaded && itm_agent.method == ITM_METHOD_LOCKS && itm_agent.has_steady_tsc;
	if (!can_burst || (sample != NATIVE_SAMPLE_AUTO && sample != 1))
		return ITM_BURSTS_NONE;
	return sample == 1 ? ITM_BURSTS_ONE : ITM_BURSTS_REGULAR;
}

/* Decides all that stays constant, by the options of the open library and by agent.libitm. */
static void decide(void)
{
	itm_agent.options = itm_options_read(&itm_agent.libitm);
	itm_layout_use(&itm_agent.options.layout);
	itm_agent.has_counters = itm_counters_are_known();
	itm_locks = itm_locks_of(&itm_agent.libitm);
	itm_agent.has_totals = can_count_all();
	itm_agent.has_steady_tsc = itm_ticks_prepare();
	itm_agent.processors = stmlog_processors();
	if (itm_agent.has_steady_tsc)
		itm_stopwatch_prepare();
	if (itm_locks.serial != NULL && itm_method_is_optimistic(itm_agent.method))
		itm_serial_word = itm_locks.serial;
	itm_plain_prepare();
	itm_bursts_prepare(use_of_bursts(), itm_agent.processors);
	itm_agent.probe_ns = probe_ns();
}

static void set_facts(void)
{
	stmlog_set_fact("counters_known", itm_agent.has_totals);
	stmlog_set_fact("waits_estimated", itm_agent.has_steady_tsc && itm_agent.method != ITM_METHOD_HARDWARE);
	stmlog_set_fact("descheduled_known", itm_preemption_is_watched());
	stmlog_set_sampling(itm_agent.options.sample == NATIVE_SAMPLE_AUTO ? 1 : itm_agent.options.sample);
	if (itm_agent.method == ITM_METHOD_LOCKS)
		stmlog_set_fact("stripe_bytes", ITM_STRIPE_BYTES);
}

static void make_ready(void)
{
	struct stmlog_setup setup = {.runtime = "libitm", .before_report = before_report, .find_open = itm_open_find};
	itm_agent.pid = getpid();
	itm_agent.options.sample = 1;
	if (!itm_resolve()) {
		native_warn("a transaction begins, but there is no libitm.so.1 to run it");
		return;
	}
	find_modules();
	itm_objects_use(&setup);
	itm_agent.method = itm_method_read();
	/* Before the library's own key: destructors run in the order of creation, in practice. */
	has_key = pthread_key_create(&thread_key, at_thread_exit) == 0;
	/* Handlers before a fork run in the reverse order: of the agent's, this one comes last. */
	pthread_atfork(wait_for_libitm, end_fork, end_fork);
	int error = stmlog_open(&setup);
	if (error == -ENOMEM)
		native_warn("nothing is recorded: there was no memory for it");
	if (error != 0)
		return;
	decide();
	set_facts();
	pthread_atfork(itm_bursts_before_fork, itm_bursts_after_fork, after_fork_in_child);
	(void)at_quick_exit(at_quick_end); /* without memory the recording of a quick_exit() is lost */
}

void itm_ready(void)
{
	pthread_once(&once, make_ready);
}

static void do_without(enum native_forbidden forbidden)
{
	if (forbidden == NATIVE_NO_CALLS) {
		itm_bursts_disable();
		stmlog_set_fact("descheduled_known", 0);
	} else if (itm_self.thread != NULL) {
		do_without_clock(&itm_self);
	} else if (itm_real("_ITM_beginTransaction") != NULL) {
		itm_attach();
	}
}

/* Programs without libitm, such as the shells that LD_PRELOAD reaches, are left alone. A transaction makes the agent
 * ready by itself if it runs earlier than this, or if a plugin loads libitm later. */
__attribute__((constructor)) static void at_load(void)
{
	int saved = errno;
	itm_leave_prepare();
	itm_filter_prepare(do_without);
	if (itm_real("_ITM_beginTransaction") != NULL)
		itm_ready();
	errno = saved;
}

/* The library closes when the agent is unloaded or the process ends; its handles are invalid afterwards. The priority
 * matters for an agent that is linked into the program: the program's own destructors, which may transact, run before.
 */
__attribute__((destructor(101))) static void at_unload(void)
{
	int saved = errno;
	itm_preemption_end();
	release_traces(&itm_self);
	stmlog_close();
	itm_self.thread = NULL;
	itm_self.is_exact = 0;
	errno = saved;
}
