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
bool itm_counters_are_known(const struct native_module *libitm);

/* libitm's own words, all but the last of ml_wt's; NULL: the layout of this libitm is not known. */
struct itm_locks {
	const volatile AO_t *commit_count; /* commits that have written */
	const volatile AO_t *const *table; /* its locks; gone while no transaction runs under it */
	const void *dispatch;              /* itm_dispatch() of a transaction that runs under it */
	const volatile unsigned *serial;   /* not 0: somebody holds the serial lock alone, or is about to */
};
struct itm_locks itm_locks_of(const struct native_module *libitm);

/* What the calling thread's transaction runs under. libitm keeps the pointer scrambled, as the C library keeps its own.
 */
static inline const void *itm_dispatch(void)
{
	const void *dispatch;
	__asm__ volatile("movq %%fs:0x58, %0\n\trorq $17, %0\n\txorq %%fs:0x30, %0" : "=r"(dispatch) : : "cc");
	return dispatch;
}

/* The locks, while the calling thread's transaction is under way and runs under them; else NULL. libitm gives them
 * back when but one thread is left, which is not while a transaction holds the serial lock for reading. */
static inline const volatile AO_t *itm_locks_in_use(const struct itm_locks *locks)
{
	return locks->table != NULL && itm_dispatch() == locks->dispatch ? *locks->table : NULL;
}

/* libitm's struct of the calling thread; NULL before its first transaction. */
static inline const char *itm_transaction(void)
{
	const char *transaction;
	__asm__ volatile("movq %%fs:0x50, %0" : "=r"(transaction));
	return transaction;
}

/* Where a thread's own stands, for others to look at while it lives. */
static inline const char *const volatile *itm_transaction_slot(void)
{
	return (const char *const volatile *)(const volatile void *)((char *)__builtin_thread_pointer() + 0x50);
}

/* The count at which a lock was given back last, of which this is the word; it is free. */
static inline uint64_t itm_lock_version(AO_t word)
{
	return word >> 3;
}

/* Whose transaction() it is that holds a lock, of which this is the word; 0: nobody's. */
static inline uintptr_t itm_lock_holder(AO_t word)
{
	return word >> 63 != 0 ? word << 1 : 0;
}

/* The counters of a transaction(), [ITM_REASONS], by the known layout: they stand 0x108 into it. NULL of NULL. */
static inline const uint32_t *itm_counters_of(const char *transaction)
{
	return transaction == NULL ? NULL : (const uint32_t *)(const void *)(transaction + 0x108);
}

/* The calling thread's, whose struct hangs at %fs:0x50. NULL before the thread's
 * first transaction and after libitm has let go of it. */
static inline const uint32_t *itm_counters(void)
{
	return itm_counters_of(itm_transaction());
}

#endif
