/* SPDX-License-Identifier: MIT
 *
 * Which lock of libitm's ml_wt guards an address. Memory is divided into stripes of 32 bytes, and the number of a
 * stripe's lock is a hash of the stripe's number. Two accesses conflict in libitm if and only if they have the same
 * lock. All builds that were tried have this hash, gcc 10 to 16. calibrate/ checks it for each libitm when it looks for
 * the locks.
 */
#ifndef ITM_LOCK_HASH_H
#define ITM_LOCK_HASH_H

#include <stdint.h>

#include "asm_shared.h"

#define ITM_STRIPE_SHIFT 5
#define ITM_STRIPE_BYTES (1u << ITM_STRIPE_SHIFT)
#define ITM_LOCKS 65536u

static inline uintptr_t itm_stripe(uintptr_t address)
{
	return address >> ITM_STRIPE_SHIFT;
}

static inline uint32_t itm_lock_of_stripe(uintptr_t stripe)
{
	return (uint32_t)stripe * ITM_LOCK_FACTOR >> 16;
}

#endif
