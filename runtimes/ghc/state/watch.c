/* SPDX-License-Identifier: MIT
 * Counts what is watched for. */
#include "watch.h"

volatile AO_t watched = WATCH_OTHER; /* until hooks_set() */

bool watch_is_constant;

void watch_always(void)
{
	watch_is_constant = true;
	watch_add(WATCH_LANE);
}
