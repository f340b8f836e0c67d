/* SPDX-License-Identifier: MIT
 *
 * What libitm keeps to itself: each thread's restarts by reason, the locks, who holds them. Where
 * that stands is not part of its ABI. `stmlog record` finds it out by experiment (calibrate/) and
 * hands it over, with the build-id of the libitm it is true of; what was not found out, or is
 * told of another libitm, is not known, and is not read.
 */
#ifndef ITM_LIBITM_LAYOUT_H
#define ITM_LIBITM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <atomic_ops.h>

#include "loaded.h"

/* In libitm's order. */
enum itm_reason {
#define REASON(name, contention) ITM_REASON_##name,
#include "reasons.def"
	ITM_REASONS
};

/* Where things stand: in a thread's struct, and from the start of libitm's module. 0: not known, each by itself. */
struct itm_layout {
	uintptr_t counters; /* [ITM_REASONS], in the struct */
	uintptr_t commits;
	uintptr_t locks; /* found only where the hash is that of lock_hash.h */
	uintptr_t dispatch;
	uintptr_t serial;
};

/* Its members, by the names that they have in the variable. */
#define ITM_LAYOUT_MEMBERS(MEMBER) MEMBER(counters) MEMBER(commits) MEMBER(locks) MEMBER(dispatch) MEMBER(serial)

/* The struct is libitm's, and its size with it: no member that anybody may tell us of lies further inside. */
#define ITM_STRUCT_MOST 1024

/* What the environment says of this libitm: "id=BUILD-ID,counters=HEX,...", NULL: nothing. Whoever made the text,
 * what comes of it can be read: it is aligned and lies in libitm's data. */
struct itm_layout itm_layout_read(const char *text, const struct native_module *libitm);
#define ITM_LAYOUT_VARIABLE "STMLOG_LIBITM"

/* Has this file's functions and itm_locks_of() go by it. Before any thread that asks. */
void itm_layout_use(const struct itm_layout *layout);
bool itm_counters_are_known(void);

/* libitm's own words, all but the last of ml_wt's; NULL: not known, each by itself. */
struct itm_locks {
	const volatile AO_t *commit_count; /* commits that have written */
	const volatile AO_t *const *table; /* its locks; gone while no transaction runs under it */
	const void *dispatch;              /* itm_dispatch() of a transaction that runs under it */
	const volatile unsigned *serial;   /* not 0: somebody holds the serial lock alone, or is about to */
};
struct itm_locks itm_locks_of(const struct native_module *libitm);

/* Those of the libitm in use; all NULL until the agent is ready, constant from then on. */
extern struct itm_locks itm_locks __attribute__((visibility("hidden")));

/* From a thread's struct to its counters; for the functions below alone. */
extern uintptr_t itm_counters_offset;

/* What the calling thread's transaction runs under. libitm keeps the pointer scrambled, as the C library keeps its own.
 */
static inline const void *itm_dispatch(void)
{
	const void *dispatch;
	__asm__ volatile("movq %%fs:0x58, %0\n\trorq $17, %0\n\txorq %%fs:0x30, %0" : "=r"(dispatch) : : "cc");
	return dispatch;
}

/* The table last looked at by the function below; stored by any thread, each with what is right. */
extern volatile AO_t itm_table_seen;

/* The table, or NULL where it is none: it cannot be read as a whole, as only a forged layout could have it. */
const volatile AO_t *itm_table_look(const volatile AO_t *table);

/* The locks, while the calling thread's transaction is under way and runs under them; else NULL. libitm gives them
 * back when but one thread is left, which is not while a transaction holds the serial lock for reading. */
static inline const volatile AO_t *itm_locks_in_use(const struct itm_locks *locks)
{
	if (locks->table == NULL || itm_dispatch() != locks->dispatch)
		return NULL;
	const volatile AO_t *table = *locks->table;
	return (AO_t)table == AO_load(&itm_table_seen) ? table : itm_table_look(table);
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

/* The counters of a transaction(), [ITM_REASONS]; where they are known. NULL of NULL. */
static inline const uint32_t *itm_counters_of(const char *transaction)
{
	return transaction == NULL ? NULL : (const uint32_t *)(const void *)(transaction + itm_counters_offset);
}

/* The calling thread's, whose struct hangs at %fs:0x50. NULL before the thread's
 * first transaction and after libitm has let go of it. */
static inline const uint32_t *itm_counters(void)
{
	return itm_counters_of(itm_transaction());
}

#endif
