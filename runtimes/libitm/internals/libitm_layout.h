/* SPDX-License-Identifier: MIT
 *
 * What the agent knows of libitm: by which method libitm runs transactions, and where its private data lie: each
 * thread's restarts by reason, the locks and their holders. That is not part of libitm's ABI. `stmlog record` finds it
 * by experiment (calibrate/) and passes it to the agent with the build-id of that libitm. Data whose place was not
 * found are not read, and of a libitm with another build-id none are.
 */
#ifndef ITM_LIBITM_LAYOUT_H
#define ITM_LIBITM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <atomic_ops.h>

#include "asm_shared.h"
#include "loaded.h"
#include "requires.h"

/* ---- the method ---- */

/* libitm's methods: the algorithms by which it may run transactions. */
enum itm_method {
	ITM_METHOD_LOCKS,              /* ml_wt */
	ITM_METHOD_GLOBAL_LOCK,        /* gl_wt */
	ITM_METHOD_SERIAL,             /* serial */
	ITM_METHOD_SERIAL_IRREVOCABLE, /* serialirr */
	ITM_METHOD_SERIAL_ON_WRITE,    /* serialirr_onwrite */
	ITM_METHOD_HARDWARE,           /* htm */
	ITM_METHODS
};

/* Its name, as in ITM_DEFAULT_METHOD and in all outputs. */
const char *itm_method_name(enum itm_method method);

/* The method that libitm will choose: the one in ITM_DEFAULT_METHOD; without that, as soon as a second thread
 * transacts, hardware transactions if the processor has them, otherwise ml_wt. */
enum itm_method itm_method_read(void);

/* Whether transactions of several threads run side by side in software, and wait in the kernel only for the serial
 * lock. */
static inline bool itm_method_is_optimistic(enum itm_method method)
{
	return method == ITM_METHOD_LOCKS || method == ITM_METHOD_GLOBAL_LOCK;
}

/* Whether libitm chooses by itself, for want of a valid ITM_DEFAULT_METHOD. */
bool itm_method_is_default(void);

/* ---- where the private data lie ---- */

/* libitm's reasons for a restart, one row each: its order, its names. libitm counts each.
 *
 * REASON(name, contention)
 *   contention   STMLOG_*: the contention of the cause
 */
/* clang-format off */
#define ITM_RESTART_REASONS(REASON)            \
	REASON(REALLOCATE,        NONE)        \
	REASON(LOCKED_READ,       WRITE_READ)  \
	REASON(LOCKED_WRITE,      WRITE_WRITE) \
	REASON(VALIDATE_READ,     WRITE_READ)  \
	REASON(VALIDATE_WRITE,    WRITE_WRITE) \
	REASON(VALIDATE_COMMIT,   WRITE_READ)  \
	REASON(SERIAL_IRR,        INEVITABLE)  \
	REASON(NOT_READONLY,      NONE)        \
	REASON(CLOSED_NESTING,    NONE)        \
	REASON(INIT_METHOD_GROUP, NONE)
/* clang-format on */

#define ITM_REASON_OF(name, contention) ITM_REASON_##name,
enum itm_reason { ITM_RESTART_REASONS(ITM_REASON_OF) ITM_REASONS };

/* Offsets of the private data: `counters` from libitm's struct of a thread, the others from the start of libitm's
 * module. Each may be 0: not known. */
struct itm_layout {
	uintptr_t counters; /* [ITM_REASONS] */
	uintptr_t commits;
	uintptr_t locks; /* known only if libitm's lock hash is the one below */
	uintptr_t dispatch;
	uintptr_t serial;
};

/* Its members, by their names in ITM_LAYOUT_VARIABLE. */
#define ITM_LAYOUT_MEMBERS(MEMBER) MEMBER(counters) MEMBER(commits) MEMBER(locks) MEMBER(dispatch) MEMBER(serial)

/* The size of libitm's struct of a thread is not known. Members beyond this offset are refused. */
#define ITM_STRUCT_MAX 1024

/* The layout that `text` gives for this libitm: "id=BUILD-ID,counters=HEX,...". All 0 if text is NULL or wrong. Even if
 * the text is forged, the offsets returned are aligned and lie in libitm's writable data. */
struct itm_layout itm_layout_read(const char *text, const struct native_module *libitm);
#define ITM_LAYOUT_VARIABLE "STMLOG_LIBITM"

/* Sets the layout that the functions below use. To be called before any thread calls them. */
void itm_layout_use(const struct itm_layout *layout);
bool itm_counters_are_known(void);

/* Where libitm's words are. The first three belong to ml_wt, the last to all methods. Each may be NULL: not known. */
struct itm_locks {
	const volatile AO_t *commit_count; /* commits of transactions that have written */
	const volatile AO_t *const *table; /* the locks; freed while no transaction runs under ml_wt */
	const void *dispatch;              /* itm_dispatch() of a transaction that runs under ml_wt */
	const volatile unsigned *serial;   /* not 0: a thread holds the serial lock alone, or is about to */
};
struct itm_locks itm_locks_of(const struct native_module *libitm);

/* Those of the libitm in use. All NULL until the agent is ready, constant afterwards. */
extern struct itm_locks itm_locks __attribute__((visibility("hidden")));

/* From libitm's struct of a thread to its counters. For the functions below only. */
extern uintptr_t itm_counters_offset;

/* ---- the dispatch object ---- */

/* libitm's dispatch object of the calling thread's transaction shows the method. libitm keeps the pointer scrambled, as
 * the C library does with its own; the key is the same for all threads. Scrambled, it can only be compared. */
static inline uint64_t itm_dispatch_scrambled(void)
{
	uint64_t scrambled;
	__asm__ volatile("movq %%fs:0x58, %0" : "=r"(scrambled));
	return scrambled;
}

static inline const void *itm_dispatch(void)
{
	uint64_t dispatch = itm_dispatch_scrambled();
	__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(dispatch) : : "cc");
	return (const void *)dispatch;
}

static inline uint64_t itm_scramble(const void *dispatch)
{
	uint64_t scrambled = (uintptr_t)dispatch;
	__asm__("xorq %%fs:0x30, %0\n\trolq $17, %0" : "+r"(scrambled) : : "cc");
	return scrambled;
}

/* ---- the locks of ml_wt ---- */

/* Which lock guards an address: memory is divided into stripes of 32 bytes, and the number of a stripe's lock is a hash
 * of the stripe's number. Two accesses conflict in libitm if and only if they have the same lock. All builds that were
 * tried have this hash, gcc 10 to 16. calibrate/ checks it for each libitm when it looks for the locks. */
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

/* The table that itm_table_look() has found readable last; and one that a transaction has found in its place, or 0. Any
 * thread stores them; all of them store the same. */
extern volatile AO_t itm_table_seen, itm_table_new;

/* Checks once that all of the table can be read, for the layout may be forged. Returns the table, or NULL. Slow. */
const volatile AO_t *itm_table_look(const volatile AO_t *table);

/* Within a transaction: looks at the first table. At a further one the next begin looks, since the system calls may
 * wait for other threads, and others for this transaction: where threads begin and end all the time, there are many.
 * Returns as itm_table_look(). */
const volatile AO_t *itm_table_first(const volatile AO_t *table);

/* Outside of transactions: looks at itm_table_new. libitm may have freed it meanwhile. */
void itm_table_look_at_new(void);

/* The locks, if the calling thread's transaction is under way and runs under ml_wt; otherwise NULL. libitm frees the
 * table when only one thread is left; but not while a transaction is under way, which holds the serial lock shared. */
static inline const volatile AO_t *itm_locks_in_use(const struct itm_locks *locks)
{
	if (locks->table == NULL || itm_dispatch() != locks->dispatch)
		return NULL;
	const volatile AO_t *table = *locks->table;
	return (AO_t)table == AO_load(&itm_table_seen) ? table : itm_table_first(table);
}

/* The commit count at which a lock was last released. `word` is the lock's; the lock is free. */
static inline uint64_t itm_lock_version(AO_t word)
{
	return word >> 3;
}

/* libitm's struct of the thread that holds a lock. `word` is the lock's. 0: the lock is free. */
static inline uintptr_t itm_lock_holder(AO_t word)
{
	return word >> 63 != 0 ? word << 1 : 0;
}

/* ---- libitm's struct of a thread ---- */

/* libitm's struct of the calling thread; NULL before its first transaction. */
static inline const char *itm_transaction(void)
{
	const char *transaction;
	__asm__ volatile("movq %%fs:0x50, %0" : "=r"(transaction));
	return transaction;
}

/* Where the calling thread keeps that pointer. Other threads may read it there while the thread lives. */
static inline const char *const volatile *itm_transaction_slot(void)
{
	return (const char *const volatile *)(const volatile void *)((char *)__builtin_thread_pointer() + 0x50);
}

/* The counters in libitm's struct of a thread, [ITM_REASONS]. NULL for NULL. Requires itm_counters_are_known(). */
static inline const uint32_t *itm_counters_of(const char *transaction)
{
	REQUIRES(itm_counters_are_known());
	return transaction == NULL ? NULL : (const uint32_t *)(const void *)(transaction + itm_counters_offset);
}

/* The calling thread's counters. NULL before the thread's first transaction and after libitm has freed the struct.
 * Requires itm_counters_are_known(). */
static inline const uint32_t *itm_counters(void)
{
	REQUIRES(itm_counters_are_known());
	return itm_counters_of(itm_transaction());
}

#endif
