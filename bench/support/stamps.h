/* SPDX-License-Identifier: MIT
 *
 * Time stamps that a bench program keeps of its own transactions, so that a profiler's report can be compared with
 * them. Compiled without -DSTAMPS, all of these are empty; bench/support/stamped/stamps.c is linked with -DSTAMPS only.
 *
 *     stamp_before();
 *     __transaction_atomic
 *     {
 *             stamp_first();
 *             ... no return and no goto out of it; __transaction_cancel is right ...
 *             stamp_last();
 *     }
 *     stamp_after();
 *
 * Around a call that makes the transaction irrevocable, stamp_upgrade() comes before the branch that leads to the call,
 * since gcc makes the transaction irrevocable at the beginning of the branch; stamp_irrevocable() is the first
 * statement of the function that is called.
 */
#ifndef BENCH_STAMPS_H
#define BENCH_STAMPS_H

#ifdef STAMPS

#define STAMP_PURE __attribute__((transaction_pure))

/* The calling thread is about to transact: begins its times. To be called once in a thread, before the other calls. */
void stamp_begin(void);

/* The transaction's site is named by the function in which it is. */
#define stamp_before() stamp_before_in(__func__)
void stamp_before_in(const char *function);
STAMP_PURE void stamp_first(void);
STAMP_PURE void stamp_last(void);
void stamp_after(void);

STAMP_PURE void stamp_upgrade(void);
void stamp_irrevocable(void);

/* The calling thread transacts no more: adds its times to the sums. */
void stamp_end(void);

/* Prints the sums of all threads, one "truth_NAME NUMBER" on each line; and for each site, "truth_site NAME" and what
 * it has lost in the rows "aborted" and "paused". */
void stamps_print(void);

#else

#define stamp_begin() ((void)0)
#define stamp_before() ((void)0)
#define stamp_first() ((void)0)
#define stamp_last() ((void)0)
#define stamp_after() ((void)0)
#define stamp_upgrade() ((void)0)
#define stamp_irrevocable() ((void)0)
#define stamp_end() ((void)0)
#define stamps_print() ((void)0)

#endif

#endif
