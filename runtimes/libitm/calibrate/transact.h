/* SPDX-License-Identifier: MIT
 *
 * Transactions made by hand: the calls of libitm's ABI that a compiler would make, so that this program can be built
 * without -fgnu-tm. A function may be called within each transaction, to look at memory.
 */
#ifndef ITM_CALIBRATE_TRANSACT_H
#define ITM_CALIBRATE_TRANSACT_H

#include <stdbool.h>
#include <stdint.h>

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
bool transact_read_locked(const uint64_t *word, unsigned times);
bool transact_write_locked(uint64_t *word, unsigned times);

#endif
