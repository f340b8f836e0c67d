/* SPDX-License-Identifier: MIT
 * What the hooks of a transaction's beginning (attempts.c) and of all other entries (hooks.c) have in common. */
#ifndef ITM_HOOKS_H
#define ITM_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "hardware_code.h"
#include "ring.h"
#include "sample.h"
#include "stamp.h"
#include "thread.h"

static inline void itm_hook_note(struct itm_thread *self, uint16_t kind, uintptr_t *slot)
{
	self->kind = kind;
	self->slot = slot;
	self->hook_return = *slot;
}

/* What it has written is not in anybody's way any more. */
static inline void itm_hook_end_writes(struct itm_thread *self)
{
	if (itm_ring_has_writes(self->ring))
		itm_ring_end(self->ring, itm_stamp());
}

/* A transaction in hardware has no undo actions: libitm would keep them for the thread's next one in software. */
static inline bool itm_hook_is_in_hardware(const struct itm_thread *self)
{
	return itm_hardware_is_watched() && !(self->flags & ITM_IN_SOFTWARE);
}

static inline void itm_hook_ended(struct itm_thread *self)
{
	self->depth = 0;
	self->flags = 0;
	if (itm_agent.options.sample != 1)
		self->restarts_mark = itm_restarts();
}

#endif
