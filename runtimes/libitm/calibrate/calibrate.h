/* SPDX-License-Identifier: MIT
 *
 * The parts of which the experiment that finds libitm's private data is made: transactions by hand, copies of libitm's
 * memory, and searches in these.
 */
#ifndef ITM_CALIBRATE_H
#define ITM_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libitm_layout.h"

/* ---- transact.c: transactions by hand ---- */

/* They make the calls of libitm's ABI that a compiler would make, so that this program can be built without -fgnu-tm. A
 * function may be called within each transaction, to look at memory. A second thread makes transactions, too. */

/* Looks up the entries of the libitm to use. False: it does not have them all. */
bool transact_with(void *library);
const void *transact_begin_entry(void);

/* A function that is called, with an argument of the caller's, while a transaction is under way; NULL: none is called.
 */
typedef void transact_callback(void *argument);

/* A transaction that writes the word, and one that reads it. */
void transact_write(uint64_t *word, transact_callback *callback, void *argument);
void transact_read(const uint64_t *word);

/* An irrevocable transaction. */
void transact_irrevocable(transact_callback *callback, void *argument);

/* A transaction whose inner transaction is cancelled: for that libitm has to restart it, alone. */
void transact_nested(uint64_t *word);

/* A transaction that finds the word locked, and restarts, so many times; then it commits without the word. False: the
 * word was not locked. */
bool transact_locked(uint64_t *word, bool writes, unsigned times);

/* libitm's begin, which may return again until the transaction ends. */
uint32_t transact_begin(uint32_t properties, ...) __attribute__((returns_twice));

/* libitm's begin, to be set before the first transact_begin(). */
extern uint32_t (*transact_real_begin)(uint32_t properties, ...);

/* ---- transact.c: the second thread ---- */

/* It makes one transaction at a time, when the caller orders it, and the caller waits for it. Only one thread may call
 * these functions. The second thread ends with the process. */

/* Starts the second thread and has it transact once. To be called first. False: it could not be started. */
bool second_thread_start(void);

/* Has the second thread begin a transaction, write the word in it (word NULL: become irrevocable instead), and call the
 * callback within it (NULL: nothing is called). Returns while the transaction is under way. */
void second_thread_begin(uint64_t *word, transact_callback *callback, void *argument);

/* Has the second thread commit. To be called once after each second_thread_begin(). */
void second_thread_commit(void);

/* ---- search.c: copies ---- */

/* Some of libitm's memory may not be mapped. */

/* Copies memory by way of the kernel; false: not all of it can be read. probe_open() comes first; false: it failed. */
bool probe_open(void);
bool probe_read(void *unused, uintptr_t address, void *to, size_t size);

/* The writable data of the module that has `code`. size 0: the module has none, or more than one part. */
struct probe_data {
	uintptr_t start;
	size_t size;
};
struct probe_data probe_data_of(const void *code);

/* ---- search.c: searches ---- */

/* In copies of memory: for the word that has changed as expected between them. The result of each search is the offset
 * of the only word that fits; SEARCH_NOWHERE: none fits, or several do. */
#define SEARCH_NOWHERE SIZE_MAX

/* [ITM_REASONS] 32-bit counters in a row, of which each has risen by risen[i]. */
size_t search_counters(const void *before, const void *after, size_t size, const uint32_t risen[ITM_REASONS]);

/* A 64-bit word that has risen by `risen`. */
size_t search_risen(const void *before, const void *after, size_t size, uint64_t risen);

/* Copies `size` bytes from `address` of the memory that is searched; false: they cannot be read. `argument`: the one
 * that the caller has given. */
typedef bool search_read(void *argument, uintptr_t address, void *to, size_t size);

/* The words that may be the pointer searched for: at first all, then fewer with each search_narrow_pointers(). Owned by
 * the caller. */
struct search_pointers {
	bool *is_ruled_out; /* [size / 8] */
	size_t size;        /* bytes to search */
};

/* Keeps only pointers p for which the 64-bit word at p + bytes has this value. search_pointer() is the result then. */
void search_narrow_pointers(struct search_pointers *pointers, const void *memory, size_t bytes, uint64_t word,
	search_read *read, void *argument);
size_t search_pointer(const struct search_pointers *pointers);

/* A 32-bit word that has the value values[i] in memory[i], for each i. */
size_t search_values(const void *const *memory, const uint32_t *values, size_t times, size_t size);

#endif
