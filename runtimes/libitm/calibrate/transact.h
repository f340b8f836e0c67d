/* SPDX-License-Identifier: MIT
 *
 * Transactions made by hand: the calls of libitm's ABI that a compiler would make, so that this program can be built
 * without -fgnu-tm. A function may be called within each transaction, to look at memory. A second thread makes
 * transactions, too.
 */
#ifndef ITM_CALIBRATE_TRANSACT_H
#define ITM_CALIBRATE_TRANSACT_H

#include <stdbool.h>
#include <stdint.h>

#include "libitm_layout.h"

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

/* ---- begin.S ---- */

/* libitm's begin, which may return again until the transaction ends. */
uint32_t transact_begin(uint32_t properties, ...) __attribute__((returns_twice));

/* libitm's begin, to be set before the first transact_begin(). */
extern uint32_t (*transact_real_begin)(uint32_t properties, ...);

/* ---- the second thread ---- */

/* It makes one transaction at a time, when the caller orders it, and the caller waits for it. Only one thread may call
 * these functions. The second thread ends with the process. */

/* Starts the second thread and has it transact once. To be called first. False: it could not be started. */
bool second_thread_start(void);

/* Has the second thread begin a transaction, write the word in it (word NULL: become irrevocable instead), and call the
 * callback within it (NULL: nothing is called). Returns while the transaction is under way. */
void second_thread_begin(uint64_t *word, transact_callback *callback, void *argument);

/* Has the second thread commit. To be called once after each second_thread_begin(). */
void second_thread_commit(void);

/* ---- experiment.c ---- */

/* Finds where a libitm keeps the data that the agent would like to read: by transactions that must change them. */

/* Fills in *layout. Each place is searched for twice, with different numbers of transactions; a place that is not found
 * both times is 0. Returns false if nothing can be found here. Requires transact_with(), and before that
 * ITM_DEFAULT_METHOD=ml_wt in the environment. */
bool experiment(struct itm_layout *layout);

#endif
