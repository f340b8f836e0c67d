/* SPDX-License-Identifier: MIT
 * Computes the shares of an account's rows, rounded by the method of the largest remainder. */
#include "recorded_account.h"

#include "tally_sum.h"

enum { WHOLE = 1000 };

/* The row that rounding down has cut most, of those not rounded up yet. */
static size_t max_cut(const double *rests)
{
	size_t max = 0;
	for (size_t i = 1; i < ACCOUNT_SHARES; i++)
		if (rests[i] > rests[max])
			max = i;
	return max;
}

/* At most WHOLE, so that times of a damaged file never make a NaN or a larger share. */
static double exact_share(uint64_t ns, uint64_t attached_ns)
{
	double share = attached_ns != 0 ? (double)ns / (double)attached_ns * WHOLE : 0;
	return share < WHOLE ? share : WHOLE;
}

struct account_shares account_shares(const struct recording *recording)
{
	struct recorded_account total = account_total(recording);
	struct account_shares shares = {.tenths = {0}};
	double rests[ACCOUNT_SHARES], sum = 0;
	for (size_t i = 0; i < ACCOUNT_SHARES; i++) {
		uint64_t ns = i == ACCOUNT_OPEN ? total.open_ns : recording->row_ns[i];
		double share = exact_share(ns, total.attached_ns);
		shares.tenths[i] = (unsigned)share;
		rests[i] = share - shares.tenths[i];
		sum += rests[i];
	}
	for (unsigned left = (unsigned)(sum + 0.5); left > 0; left--) {
		size_t row = max_cut(rests);
		shares.tenths[row]++;
		rests[row] = -1;
	}
	return shares;
}

unsigned account_lost_tenths(const struct account_shares *shares)
{
	unsigned sum = 0;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		sum += (TALLY_LOSSES & TALLY_ROW(row)) != 0 ? shares->tenths[row] : 0;
	return sum;
}
