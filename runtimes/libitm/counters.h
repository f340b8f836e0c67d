/* SPDX-License-Identifier: MIT
 *
 * libitm counts each thread's restarts by reason, in a struct of its own. Where it is
 * known to the byte, that is, where the build-id is one that was looked at, the counters
 * are read; nowhere else.
 */
#ifndef ITM_COUNTERS_H
#define ITM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <atomic_ops.h>

#include "modules.h"

/* In libitm's order. */
enum itm_reason {
	ITM_REASON_REALLOCATE,
	ITM_REASON_LOCKED_READ,
	ITM_REASON_LOCKED_WRITE,
	ITM_REASON_VALIDATE_READ,
	ITM_REASON_VALIDATE_WRITE,
	ITM_REASON_VALIDATE_COMMIT,
	ITM_REASON_SERIAL_IRR,
	ITM_REASON_NOT_READONLY,
	ITM_REASON_CLOSED_NESTING,
	ITM_REASON_INIT_METHOD_GROUP,
	ITM_REASONS
};

/* True if the layout below is that of this libitm. */
bool itm_counters_are_known(const struct itm_module *libitm);

/* Where this libitm counts the commits that have written; NULL: its layout is not known. */
const volatile AO_t *itm_commit_count_of(const struct itm_module *libitm);

/* The calling thread's counters, [ITM_REASONS], by the known layout: the thread's
 * struct hangs at %fs:0x50, the counters stand 0x108 into it. NULL before the thread's
 * first transaction and after libitm has let go of it. */
static inline const uint32_t *itm_counters(void)
{
	const char *transaction;
	__asm__("movq %%fs:0x50, %0" : "=r"(transaction));
	return transaction == NULL ? NULL : (const uint32_t *)(const void *)(transaction + 0x108);
}

#endif
