/* SPDX-License-Identifier: MIT
 *
 * A long transaction whose attempts fail as often as is wanted, whatever else the machine does. When an attempt has
 * read its words, it waits for a rival: a thread that runs short transactions writes one of these words, and answers.
 * Then the attempt writes all of its words, and is certain to fail: either the rival still has the word, or it has
 * committed after the attempt has read the word. When no more attempts are to fail, nobody writes the words.
 *
 *     rivals_expect(failures);
 *     __transaction_atomic
 *     {
 *             ... reads ...
 *             rivals_await();
 *             ... writes all that it has read ...
 *     }
 *
 * and in the other threads
 *
 *     if (rivals_is_called())
 *             __transaction_atomic
 *             {
 *                     ... writes a word that was read ...
 *                     rivals_answer();
 *             }
 *     else
 *             __transaction_atomic { ... only reads ... }
 *
 * They only read otherwise, because under libitm's ml_wt a commit that has written waits for all attempts that began
 * before it: a thread that waits for the long transaction would not answer. For the same reason the answer comes before
 * the commit. If no rival answers within 20 ms, the transaction waits for no more of them: the other threads may have
 * ended. One thread at a time runs long transactions.
 */
#ifndef RIVALS_H
#define RIVALS_H

#include <stdbool.h>

#define RIVALS_PURE __attribute__((transaction_pure))

/* So many attempts of the next transaction are to fail. */
void rivals_expect(unsigned failures);

/* Spins, as if it worked: the thread does not give the processor up. */
RIVALS_PURE void rivals_await(void);

/* How many attempts since rivals_expect() have had an answer: all of them have failed. */
unsigned rivals_met(void);

/* Whether the calling thread is to be the rival of an attempt; true once for each attempt that waits. */
bool rivals_is_called(void);
RIVALS_PURE void rivals_answer(void);

#endif
