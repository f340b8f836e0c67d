/* SPDX-License-Identifier: MIT
 *
 * The code of libitm's begin for hardware transactions. It is recognised byte by byte; its operands tell where libitm's
 * serial lock and GTM_begin_transaction() are.
 */
#ifndef ITM_HARDWARE_CODE_H
#define ITM_HARDWARE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first two words of libitm's serial lock. */
struct itm_serial_lock {
	volatile unsigned writers;  /* not 0: a thread holds the lock alone, or is about to */
	volatile unsigned fastpath; /* not 0: transactions are tried in hardware */
};

/* What libitm's begin refers to. */
struct itm_hardware_code {
	const struct itm_serial_lock *lock;
	const void *software_begin; /* GTM_begin_transaction() */
};

/* Length in bytes of the longest begin that is known. */
#define ITM_HARDWARE_CODE_MAX 164

/* Fills in *code from the operands of the instructions at `begin`. False if any instruction differs from the known
 * ones: then it is unknown what this begin does, and it must not be replaced. Requires ITM_HARDWARE_CODE_MAX readable
 * bytes at `begin`. */
bool itm_hardware_code_read(const uint8_t *begin, struct itm_hardware_code *code);

/* For hardware_begin.S. `lock` is NULL where libitm's own begin is used. Constant once the agent is ready. */
extern struct itm_hardware_code itm_hardware __attribute__((visibility("hidden")));

static inline bool itm_hardware_is_watched(void)
{
	return itm_hardware.lock != NULL;
}

#endif
