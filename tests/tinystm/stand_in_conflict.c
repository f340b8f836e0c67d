/* SPDX-License-Identifier: MIT
 * In a file of its own: a program that calls none of its functions is linked without it, and so without tracking. */
#include "stand_in.h"

#include <stddef.h>

static void (*callback)(struct stm_tx *me, struct stm_tx *other);

int stm_set_conflict_cb(void (*on_conflict)(struct stm_tx *me, struct stm_tx *other))
{
	callback = on_conflict;
	return 1;
}

void stand_in_conflict(struct stm_tx *other)
{
	if (callback != NULL)
		callback(stand_in_self(), other);
}
