/* SPDX-License-Identifier: MIT
 *
 * How many things there are for which hooks must look closely. While there is none, no attempt is measured or is about
 * to be, and no transaction sleeps: then the mark of each TRec is 0, and a hook has hardly anything to do.
 */
#ifndef GHC_WATCH_H
#define GHC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

/* In the lower half: lanes that are taken. In the upper half: sleeping transactions, and capabilities of which the next
 * transaction will be measured, or the next TRec may have any mark. The upper half has 1 more as long as the hooks are
 * not set. Any thread; and stubs.S: it looks no further as long as this is 0, and otherwise at what concerns its own
 * capability and its own attempt. */
extern volatile AO_t watched;
extern bool watch_is_constant; /* watch_always() was called */

#define WATCH_LANE ((AO_t)1)
#define WATCH_OTHER ((AO_t)1 << 32)

/* Whether an attempt is measured, or may be. Without one, no attempt looks for a culprit. */
static inline bool watch_has_lanes(void)
{
	return (uint32_t)AO_load(&watched) != 0;
}

/* Whether another attempt than the caller's is measured, or a transaction sleeps, or anything else is counted in the
 * upper half: a transaction that the caller wakes may have to find it. Where all transactions are measured there may
 * always be. */
static inline bool watch_has_others(void)
{
	return watch_is_constant || AO_load(&watched) > WATCH_LANE;
}

static inline void watch_add(AO_t what)
{
	AO_fetch_and_add(&watched, what);
}

/* From now on an attempt may be measured at any time. So the functions below count nothing: all capabilities at once
 * would change the same word for each transaction. */
void watch_always(void);

/* A lane is taken, or not any more. */
static inline void watch_lane(bool is_taken)
{
	if (!watch_is_constant)
		watch_add(is_taken ? WATCH_LANE : -WATCH_LANE);
}

/* A lane is taken, and a flag that is set and counted in the upper half is cleared: both by one atomic addition. */
static inline void watch_lane_for(bool *flag)
{
	if (!watch_is_constant)
		watch_add(WATCH_LANE - WATCH_OTHER);
	*flag = false;
}

/* Sets a flag which is counted in the upper half. */
static inline void watch_set(bool *flag, bool is_set)
{
	if (*flag != is_set && !watch_is_constant)
		watch_add(is_set ? WATCH_OTHER : -WATCH_OTHER);
	*flag = is_set;
}

#endif
