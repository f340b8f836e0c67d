/* SPDX-License-Identifier: MIT
 *
 * Meeting points within transactions, for programs in which one transaction waits for another by construction: it stays
 * inside until the others have come to the place where they will have to wait, and a little longer. But no longer than
 * MEET_MAX times that: some methods of libitm let only one transaction in, and then the others cannot come.
 *
 * Compiled without -fgnu-tm. All functions may be called within transactions.
 */
#ifndef MEET_H
#define MEET_H

#ifdef __cplusplus
extern "C" {
#endif

#define MEET_PURE __attribute__((transaction_pure))

enum { MEET_MAX = 20 };

/* A thread says that it has come to a place, in this round; the words count up. */
MEET_PURE void meet_say(unsigned *word, unsigned round);

/* Waits until a thread has said so. Not within a transaction: waits for ever. */
void meet_await(const unsigned *word, unsigned round);

/* Stays until `count` threads have said so, from `words` on, and `us` microseconds longer. */
MEET_PURE void meet_stay(const unsigned *words, unsigned count, unsigned round, unsigned us);

#ifdef __cplusplus
}
#endif

#endif
