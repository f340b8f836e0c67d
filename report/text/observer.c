/* SPDX-License-Identifier: MIT
 * Computes the observer effect from the rates of aborts in phases with measuring and without. */
#include "observer.h"

#include <stmlog/read.h>

/* An abort is counted in the phases of two threads, so the variance is that of half as many cases. */
#define SHARED 2

static double ratio(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

/* All phases of one kind, and sums over them. */
struct phases {
	uint64_t count, ns, transactions, aborts, aborts_square, aborts_us, us_square;
};

#define PHASES_OF(info, kind)                                                                                          \
	((struct phases){(info)->kind##_phases, (info)->kind##_ns, (info)->kind##_transactions, (info)->kind##_aborts, \
		(info)->kind##_aborts_square, (info)->kind##_aborts_us, (info)->kind##_us_square})

static bool are_enough(const struct phases *phases)
{
	return phases->count >= OBSERVER_MIN_PHASES && phases->aborts >= OBSERVER_MIN_ABORTS && phases->ns != 0;
}

/* The variance of the rate of aborts, relative to the square of the rate: a ratio estimate over the phases (Cochran
 * 1977). */
static double relative_variance(const struct phases *phases)
{
	double count = (double)phases->count, aborts = (double)phases->aborts;
	double rate = aborts / ((double)phases->ns / 1000);
	double squares = (double)phases->aborts_square - 2 * rate * (double)phases->aborts_us +
			 rate * rate * (double)phases->us_square;
	return squares > 0 ? SHARED * squares * count / (count - 1) / (aborts * aborts) : 0;
}

struct observer observer_of(const struct recording_info *info)
{
	struct observer observer = {.is_known = false};
	struct phases on = PHASES_OF(info, on), off = PHASES_OF(info, off);
	if (!are_enough(&on) || !are_enough(&off))
		return observer;
	double reach = 1 + stmlog_half_width_ns(relative_variance(&on) + relative_variance(&off));
	observer.effect = ratio(on.aborts, on.ns) / ratio(off.aborts, off.ns);
	observer.low = observer.effect / reach;
	observer.high = observer.effect * reach;
	observer.is_known = reach <= OBSERVER_WIDEST;
	observer.is_in_bursts = !observer.is_known;
	if (on.transactions != 0 && off.transactions != 0)
		observer.per_transaction = ratio(on.aborts, on.transactions) / ratio(off.aborts, off.transactions);
	return observer;
}
