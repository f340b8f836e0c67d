/* SPDX-License-Identifier: MIT
 *
 * The code of libitm's begin where it uses hardware transactions: recognised byte by byte, for what it refers to.
 */
#ifndef ITM_HARDWARE_CODE_H
#define ITM_HARDWARE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of libitm's serial lock, the first two words. */
struct itm_serial_lock {
	volatile unsigned writers;  /* not 0: somebody holds the lock alone, or is about to */
	volatile unsigned fastpath; /* not 0: transactions are tried in hardware */
};

/* What libitm's begin refers to. */
struct itm_hardware_code {
	const struct itm_serial_lock *lock;
	const void *software_begin; /* GTM_begin_transaction() */
};

/* Length of the longest begin that is known, in bytes: so many are looked at. */
#define ITM_HARDWARE_CODE_MOST 164

/* Reads from the instructions of a begin what they refer to. False where any of them is another than expected: then
 * what begin does is not known, and it must be left alone. Requires ITM_HARDWARE_CODE_MOST bytes at `begin`. */
bool itm_hardware_code_read(const uint8_t *begin, struct itm_hardware_code *code);

/* What our begin goes by; `lock` is NULL where libitm's own is in its place. Constant once the agent is ready. */
extern struct itm_hardware_code itm_hardware __attribute__((visibility("hidden")));

static inline bool itm_hardware_is_watched(void)
{
	return itm_hardware.lock != NULL;
}

#endif
