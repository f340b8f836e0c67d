/* SPDX-License-Identifier: MIT
 *
 * Conflicts by construction: threads 2n and 2n + 1 are a pair, and in each meeting one of them, in turns, stays in its
 * transaction after it has written until the other one, which writes the same, has been restarted for it. The other one
 * begins only when the first has written, so its first attempt cannot commit; and the first commits only when it has
 * seen the second attempt begin. Where that takes longer than 20 ms, for a third thread wants to transact alone and
 * lets nobody begin, or the first one transacts alone by itself, the meeting counts for nothing and is made up for in
 * the next round. So how busy the machine is does not matter, if the rounds are some more than the meetings.
 *
 * Meetings are 0.2 ms apart at least, so that some hundred of them are met by a profiler that does not always look.
 *
 * That takes a method of libitm under which two transactions write at a time: ml_wt. Under the others it fails again
 * and again, which is said on stderr, once, and then nobody waits any more; so it is where the partner does not come at
 * all.
 *
 *     meeting_join(number, threads, meetings);
 *     for each round
 *             meeting_next();
 *             __transaction_atomic
 *             {
 *                     meeting_enter();
 *                     ... writes what both of them write ...
 *                     meeting_hold();
 *             }
 *
 * The first round of all is none, for libitm lets no thread begin its first transaction while another one transacts;
 * the next ones are meetings, until there were `meetings`; in the others these calls do nothing.
 */
#ifndef MEETING_H
#define MEETING_H

#ifdef __cplusplus
extern "C" {
#endif

#define MEETING_PURE __attribute__((transaction_pure))

/* The calling thread is number `number` of `threads`, and its partner has as many rounds. One without a partner, the
 * last of an odd number, meets nobody. Again, by both of a pair: so many meetings more, from the next round on. */
void meeting_join(unsigned number, unsigned threads, unsigned meetings);

/* A round begins. Outside of transactions: waits until the one whose turn it is has written. */
void meeting_next(void);

/* First and last in the transaction. */
MEETING_PURE void meeting_enter(void);
MEETING_PURE void meeting_hold(void);

#ifdef __cplusplus
}
#endif

#endif
