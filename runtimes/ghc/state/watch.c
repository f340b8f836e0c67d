/* SPDX-License-Identifier: MIT
 * The count of lanes, sleeping transactions and marked TRecs for which the hooks must look closely. */
#include "watch.h"

volatile AO_t watched = WATCH_OTHER; /* until hooks_set() */

bool watch_is_constant;

void watch_always(void)
{
	watch_is_constant = true;
	watch_add(WATCH_LANE);
}
