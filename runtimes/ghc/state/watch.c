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

void watch_lane(bool is_taken)
{
	if (!watch_is_constant)
		watch_add(is_taken ? WATCH_LANE : -WATCH_LANE);
}

void watch_lane_for(bool *flag)
{
	if (!watch_is_constant)
		watch_add(WATCH_LANE - WATCH_OTHER);
	*flag = false;
}

void watch_set(bool *flag, bool is_set)
{
	if (*flag != is_set && !watch_is_constant)
		watch_add(is_set ? WATCH_OTHER : -WATCH_OTHER);
	*flag = is_set;
}
