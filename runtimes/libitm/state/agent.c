/* SPDX-License-Identifier: MIT
 * The agent's state for the process, and whether this agent hooks the data barriers. */
#include "agent.h"

#include <stddef.h>

#include "entries.h"
#include "lock_hash.h"

struct itm_agent itm_agent;

uint32_t itm_lock_factor = ITM_LOCK_FACTOR;

static const volatile unsigned never_held;
const volatile unsigned *itm_serial_word = &never_held;

bool itm_has_barriers(void)
{
	return itm_own_barriers != NULL;
}
