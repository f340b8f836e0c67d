/* SPDX-License-Identifier: MIT
 * From sums to estimates, and what is printed of them. */
#include "estimate.h"

#include <stdio.h>

#include <stmlog/stmlog.h>

/* A damaged file may hold any number, or NaN. */
static uint64_t whole(double ns)
{
	if (!(ns > 0))
		return 0;
	return ns < 1.8e19 ? (uint64_t)(ns + 0.5) : UINT64_MAX;
}

struct estimate estimate_of(const struct recording *recording, const struct tally_sum *sum)
{
	struct estimate exact = {sum->lost_ns, sum->lost_ns, sum->lost_ns, sum->lost_ns};
	if (!recording_is_sampled(recording))
		return exact;
	double ns = (double)sum->lost_ns + sum->surplus_ns, half_ns = stmlog_half_width_ns(sum->variance_ns2);
	struct estimate estimate = {whole(ns), whole(ns - half_ns), whole(ns + half_ns), sum->lost_ns};
	/* No less was lost than was measured. */
	if (estimate.low_ns < sum->lost_ns)
		estimate.low_ns = sum->lost_ns;
	return estimate;
}

static struct tally_sum sum_of(uint64_t lost_ns, double estimated_ns, double variance_ns2)
{
	return (struct tally_sum){
		.lost_ns = lost_ns, .surplus_ns = estimated_ns - (double)lost_ns, .variance_ns2 = variance_ns2};
}

static struct tally_sum sum_of_total(const struct recording *recording)
{
	struct recording_sum total = recording_total(recording);
	return sum_of(total.lost_ns, total.estimated_ns, total.variance_ns2);
}

struct estimate estimate_of_total(const struct recording *recording)
{
	struct tally_sum sum = sum_of_total(recording);
	return estimate_of(recording, &sum);
}

struct estimate estimate_of_evicted(const struct recording *recording)
{
	struct tally_sum sum =
		sum_of(recording->evicted_lost_ns, recording->evicted_estimated_ns, recording->evicted_variance_ns2);
	return estimate_of(recording, &sum);
}

/* ---- texts ---- */

static bool is_estimated(const struct recording *recording)
{
	return recording_is_sampled(recording) && recording->has_estimates;
}

struct number estimate_text(const struct recording *recording, const struct tally_sum *sum)
{
	struct estimate estimate = estimate_of(recording, sum);
	struct number out = number_time(estimate.ns), time = out;
	if (is_estimated(recording))
		snprintf(out.text, sizeof out.text, "~ %.20s +- %.20s", time.text,
			number_time(whole(stmlog_half_width_ns(sum->variance_ns2))).text);
	return out;
}

struct number estimate_text_total(const struct recording *recording)
{
	struct tally_sum sum = sum_of_total(recording);
	return estimate_text(recording, &sum);
}

struct number estimate_share(const struct recording *recording, const struct tally_sum *sum)
{
	return number_share(estimate_of(recording, sum).ns, estimate_of_total(recording).ns);
}

struct number estimate_time(const struct recording *recording, uint64_t ns)
{
	struct number out = number_time(ns), time = out;
	if (is_estimated(recording))
		snprintf(out.text, sizeof out.text, "~ %.20s", time.text);
	return out;
}
