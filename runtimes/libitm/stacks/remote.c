/* SPDX-License-Identifier: MIT
 * Keeps the latest tracebacks of other transactions, each at the place that its sites' positions choose. */
#include "remote.h"

#include "requires.h"
#include "thread.h"

static bool is_of(const struct tb_frame *frame, const struct tb_site *sites, size_t len)
{
	for (; len > 0 && tb_is_frame(frame); sites++, len--, frame = tb_down(frame)) {
		struct tb_site site = tb_frame_site(frame);
		if (site.code != sites->code || site.position != sites->position)
			return false;
	}
	return len == 0 && frame == TB_EMPTY;
}

static size_t place_of(const struct tb_site *sites, size_t len)
{
	uintptr_t hash = 0;
	for (size_t i = 0; i < len; i++)
		hash = hash * 31 + sites[i].position;
	return (hash ^ hash >> 7) % ITM_REMOTES;
}

struct tb_frame *itm_remote_traceback(const struct tb_site *sites, size_t len)
{
	struct itm_thread *self = &itm_self;
	REQUIRES(self->thread != NULL);
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	struct tb_frame **kept = &self->remotes[place_of(sites, len)];
	if (*kept != NULL && is_of(*kept, sites, len))
		return *kept;
	if (*kept != NULL)
		tb_unref(stack, *kept);
	*kept = tb_build(stack, sites, len, TB_EMPTY);
	return *kept;
}

void itm_remote_destroy(struct itm_thread *self, struct tb_stack *stack)
{
	for (size_t i = 0; i < ITM_REMOTES; i++) {
		if (self->remotes[i] != NULL)
			tb_unref(stack, self->remotes[i]);
		self->remotes[i] = NULL;
	}
}
