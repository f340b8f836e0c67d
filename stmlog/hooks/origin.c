/* SPDX-License-Identifier: MIT
 * The hooks that return origins. */
#include <stmlog/agent.h>

#include "clock.h"
#include "loss.h"

/* Returns the thread's cache of origins. */
static inline struct origin_cache *origins_of(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(thread->origins.base == 0))
		origin_cache_open(&thread->origins, stmlog_thread_id(thread));
	return &thread->origins;
}

static __attribute__((noinline)) struct tb_frame *begin_of(struct stmlog_thread *thread)
{
	return origin_begin(origins_of(thread), thread->stack, thread->site);
}

/* With an empty shadow stack only the runtime can know where the transaction has begun: by that place reports call the
 * transaction. */
static inline struct tb_frame *top_of(struct stmlog_thread *thread)
{
	struct tb_frame *top = tb_current(thread->stack);
	return STMLOG_UNLIKELY(top == TB_EMPTY && thread->tells_begins) ? begin_of(thread) : top;
}

/* Without a site and with an empty shadow stack, the place is where the hook was called. */
static __attribute__((noinline)) uint64_t look_up(
	struct stmlog_thread *thread, struct tb_site site, struct tb_frame *top, uint64_t attempt, const void *caller)
{
	struct origin_cache *origins = origins_of(thread);
	if (site.position == 0 && tb_current(thread->stack) != TB_EMPTY)
		return origin_of(origins, thread->stack, attempt, top);
	return origin_at(origins, thread->stack, attempt, site.position != 0 ? site : tb_address_site(caller), top);
}

static inline uint64_t origin_in_attempt(struct stmlog_thread *thread, struct tb_site site, const void *caller)
{
	struct origin_cache *origins = &thread->origins;
	struct tb_frame *top = top_of(thread);
	uint64_t attempt = attempts_current(&thread->attempts);
	const struct origin_entry *first =
		site.position == 0 ? origin_first(origins, top) : origin_first_at(origins, site, top);
	return STMLOG_LIKELY(first != NULL) ? origin_with(first->word, attempt)
					    : look_up(thread, site, top, attempt, caller);
}

__attribute__((always_inline)) static inline uint64_t origin_if_in_attempt(struct stmlog_thread *thread,
	struct tb_site site, const void *caller, bool becomes_inevitable, const char *mistake)
{
	uint64_t origin = 0;
	if (!thread_enter(thread))
		return 0;
	if (!thread_is_in(thread, ATTEMPT_STATE)) {
		thread_misuse(thread, mistake);
	} else {
		if (becomes_inevitable && timeline_is_on())
			loss_event_inevitable(thread);
		origin = origin_in_attempt(thread, site, caller);
	}
	thread_leave(thread);
	return origin;
}

/* ---- what origins cost ---- */

/* A thread may make millions of origins between two clock readings. So one in TIMED_EVERY is timed: by three readings,
 * since two that follow each other tell what a reading takes. It is none of a thread's first ones, which are slower.
 * One during which the thread was interrupted says nothing of the others. */
enum { TIMED_EVERY = 4096, TIMED_MAX_NS = 20000 };

static void add_timed(struct stmlog_thread *thread, uint64_t reading_ns, uint64_t both_ns)
{
	if (both_ns > TIMED_MAX_NS)
		return;
	uint64_t ns = both_ns > reading_ns ? both_ns - reading_ns : 0;
	AO_store(&thread->origins_timed_ns, AO_load(&thread->origins_timed_ns) + ns);
	AO_store(&thread->origins_timed, AO_load(&thread->origins_timed) + 1);
}

/* Calls the hook again, so that the code that is timed is the code that all the others run. */
static __attribute__((cold, noinline)) uint64_t origin_timed(
	struct stmlog_thread *thread, struct tb_site site, const void *caller)
{
	if (site.position == 0 && tb_top_site(thread->stack).position == 0)
		site = tb_address_site(caller);
	uint64_t first_ns = clock_now_ns(), began_ns = clock_now_ns();
	uint64_t origin = stmlog_origin_on(thread, site);
	add_timed(thread, began_ns - first_ns, clock_now_ns() - began_ns);
	return origin;
}

uint64_t stmlog_origin_on(struct stmlog_thread *thread, struct tb_site site)
{
	const AO_t made = AO_load(&thread->origins_made) + 1;
	AO_store(&thread->origins_made, made);
	if (STMLOG_UNLIKELY(made % TIMED_EVERY == TIMED_EVERY / 64))
		return origin_timed(thread, site, __builtin_return_address(0));
	return origin_if_in_attempt(thread, site, __builtin_return_address(0), false,
		"stmlog_origin without an attempt under way, or within a wait");
}

uint64_t stmlog_became_inevitable_on(struct stmlog_thread *thread, struct tb_site site)
{
	return origin_if_in_attempt(thread, site, __builtin_return_address(0), true,
		"stmlog_became_inevitable without an attempt under way, or within a wait");
}

uint64_t stmlog_origin_at_on(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	if (!thread_enter(thread))
		return 0;
	uint64_t origin = origin_of(origins_of(thread), thread->stack, attempts_current(&thread->attempts), traceback);
	thread_leave(thread);
	return origin;
}
