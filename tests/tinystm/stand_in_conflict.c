/* SPDX-License-Identifier: MIT
 * TinySTM's conflict tracking, in a file of its own: a test that does not call stand_in_conflict() is linked without
 * it, like a program whose TinySTM was built without CONFLICT_TRACKING. */
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
