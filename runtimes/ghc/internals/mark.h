/* SPDX-License-Identifier: MIT
 *
 * The module's word in each TRec, by which a hook knows whose attempt it is on whatever OS thread it runs. Nested TRecs
 * have the mark of the enclosing one.
 *
 *   0                          the attempt is not measured
 *   the number of a lane       the attempt is measured, and reports to this lane (lane.h)
 *   a slot, plus MARK_SLOT     the transaction was blocked, or is (blocked.h), and this attempt is not measured
 *   failures, plus MARK_FAILED attempts of the transaction have failed (late.h), and this one is not measured either
 */
#ifndef GHC_MARK_H
#define GHC_MARK_H

#include <stdbool.h>
#include <stdint.h>

#define MARK_SLOT 0x80000000u
#define MARK_FAILED 0x40000000u

static inline bool mark_is_slot(uint32_t mark)
{
	return (mark & MARK_SLOT) != 0;
}

static inline bool mark_is_lane(uint32_t mark)
{
	return mark != 0 && (mark & (MARK_SLOT | MARK_FAILED)) == 0;
}

#endif
