/* SPDX-License-Identifier: MIT
 *
 * libitm's ml_wt guards memory by a table of locks: 32 bytes, a stripe, fall to the lock
 * whose number is a hash of the stripe's. That is how it was in all builds that were tried, gcc 10 to 16;
 * of each libitm it is found out anew, together with where the locks are (calibrate/). Two addresses meet in libitm if
 * and only if they have the same lock.
 */
#ifndef ITM_LOCK_HASH_H
#define ITM_LOCK_HASH_H

#include <stdint.h>

#define ITM_STRIPE_SHIFT 5
#define ITM_STRIPE_BYTES (1u << ITM_STRIPE_SHIFT)
#define ITM_LOCKS 65536u
#define ITM_LOCK_FACTOR 81007u

static inline uintptr_t itm_stripe(uintptr_t address)
{
	return address >> ITM_STRIPE_SHIFT;
}

/* `factor`: ITM_LOCK_FACTOR; any other is for the control experiment only. */
static inline uint32_t itm_lock_of_stripe(uintptr_t stripe, uint32_t factor)
{
	return (uint32_t)stripe * factor >> 16;
}

#endif
