/* SPDX-License-Identifier: MIT
 * The agent's state for the process, and whether this agent hooks the data barriers. */
#include "agent.h"

#include <stddef.h>

#include "lock_hash.h"

struct itm_agent itm_agent;

uint32_t itm_lock_factor = ITM_LOCK_FACTOR;

static const volatile unsigned never_held;
const volatile unsigned *itm_serial_word = &never_held;

/* Defined by barriers.S alone. */
extern const char itm_barriers_hooked __attribute__((weak, visibility("hidden")));

bool itm_has_barriers(void)
{
	return &itm_barriers_hooked != NULL;
}
