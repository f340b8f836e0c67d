/* SPDX-License-Identifier: MIT
 * The hooks that return origins. */
#include <stmlog/agent.h>

#include "loss.h"

/* Returns the thread's cache of origins. */
static inline struct origin_cache *origins_of(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(thread->origins.base == 0))
		origin_cache_open(&thread->origins, stmlog_thread_id(thread));
	return &thread->origins;
}

/* Without a site and with an empty shadow stack, the place is where the hook was called. */
static __attribute__((noinline)) uint64_t look_up(
	struct stmlog_thread *thread, struct tb_site site, uint64_t attempt, const void *caller)
{
	struct origin_cache *origins = origins_of(thread);
	struct tb_frame *place = tb_current(thread->stack);
	if (site.position == 0 && place != TB_EMPTY)
		return origin_of(origins, thread->stack, attempt, place);
	return origin_at(origins, thread->stack, attempt, site.position != 0 ? site : tb_address_site(caller));
}

static inline uint64_t origin_in_attempt(struct stmlog_thread *thread, struct tb_site site, const void *caller)
{
	struct origin_cache *origins = &thread->origins;
	const struct tb_frame *top = tb_current(thread->stack);
	uint64_t attempt = attempts_current(&thread->attempts);
	const struct origin_entry *first =
		site.position == 0 ? origin_first(origins, top) : origin_first_at(origins, site, top);
	return STMLOG_LIKELY(first != NULL) ? origin_with(first->word, attempt)
					    : look_up(thread, site, attempt, caller);
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

uint64_t stmlog_origin_on(struct stmlog_thread *thread, struct tb_site site)
{
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
