/* SPDX-License-Identifier: MIT
 *
 * Transactions by hand: calls of libitm's ABI as a compiler would make them, so that this program need not be one that
 * -fgnu-tm can build. Two threads: with one alone libitm takes no locks. Each of them may look around within.
 */
#ifndef ITM_CALIBRATE_TRANSACT_H
#define ITM_CALIBRATE_TRANSACT_H

#include <stdbool.h>
#include <stdint.h>

/* Entries of the libitm that is looked at. False: it has not got them all. */
bool transact_with(void *library);
const void *transact_begin_entry(void);

/* What is looked at while a transaction is under way; NULL: nothing. */
typedef void transact_look(void *of);

/* A transaction that writes the word. */
void transact_write(uint64_t *word, transact_look *look, void *of);
void transact_read(const uint64_t *word);

/* One that nobody can abort. */
void transact_alone(transact_look *look, void *of);

/* One with another one inside, which is cancelled: libitm has to start anew for that, alone. */
void transact_nested(uint64_t *word);

/* One that meets the word locked so many times, and then gives up. False: it was not locked. */
bool transact_meet_reading(const uint64_t *word, unsigned times);
bool transact_meet_writing(uint64_t *word, unsigned times);

/* begin.S: libitm's own begin, called by another name. It may return again. */
uint32_t transact_begin(uint32_t properties, ...) __attribute__((returns_twice));
extern uint32_t (*transact_real_begin)(uint32_t properties, ...);

#endif
