/* SPDX-License-Identifier: MIT
 * The pairs of places that lose to each other, for Prometheus: the costliest have series of their own, and all others
 * share one. Losses without another transaction are in no pair. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "estimate.h"
#include "export_prometheus.h"
#include "loss_sums.h"
#include "memory.h"

/* Between the two names of a pair, which have no control characters. */
enum { BETWEEN = '\n' };

/* The caller frees it. */
static char *pair_name(const struct prometheus *prometheus, const struct tally_row *pair)
{
	char *site = report_place(&prometheus->report, prometheus->places, (uint32_t)pair->key[0]);
	char *culprit = report_place(&prometheus->report, prometheus->places, (uint32_t)pair->key[1]);
	char *name = memory_format("%s%c%s", site, BETWEEN, culprit);
	free(culprit);
	free(site);
	return name;
}

/* By name, because two series must not have the same labels. */
static struct named_sums pairs_of(const struct prometheus *prometheus)
{
	const struct recording *recording = prometheus->report.recording;
	struct tally pairs = blame_pairs(recording, prometheus->places, TALLY_LOST);
	struct named_sums sums = named_sums_make(recording, pairs.len);
	for (size_t i = 0; i < pairs.len; i++) {
		char *name = i < PROMETHEUS_PAIRS
				     ? pair_name(prometheus, pairs.rows[i])
				     : memory_format("%s%c%s", PROMETHEUS_OTHERS, BETWEEN, PROMETHEUS_OTHERS);
		named_sums_add(&sums, NAMED_SUM, name, &pairs.rows[i]->sum);
		free(name);
	}
	tally_group(&sums.tally, TALLY_LOST);
	tally_drop(&pairs);
	return sums;
}

static void write_pair(const struct prometheus *prometheus, const char *metric, const char *name, const char *value)
{
	const char *culprit = strchr(name, BETWEEN) + 1;
	char *site = memory_format("%.*s", (int)(culprit - 1 - name), name);
	prometheus_sample(prometheus, metric, (const char *[]){"site", site, "culprit", culprit, NULL}, value);
	free(site);
}

void prometheus_pairs(const struct prometheus *prometheus)
{
	struct named_sums pairs = pairs_of(prometheus);
	const char *metric = "stmlog_pair_measured_losses_total";
	prometheus_family(
		prometheus, metric, "counter", "Losses of measured transactions to another one, by both places.");
	for (size_t i = 0; i < pairs.tally.len; i++)
		write_pair(prometheus, metric, named_sums_name(&pairs, pairs.tally.rows[i]),
			number_plain(pairs.tally.rows[i]->sum.count).text);
	metric = "stmlog_pair_estimated_lost_seconds_total";
	prometheus_family(
		prometheus, metric, "counter", "Time that all transactions lost to other ones, by both places.");
	for (size_t i = 0; i < pairs.tally.len; i++) {
		struct estimate lost = estimate_of(prometheus->report.recording, &pairs.tally.rows[i]->sum);
		write_pair(prometheus, metric, named_sums_name(&pairs, pairs.tally.rows[i]),
			prometheus_seconds(lost.ns).text);
	}
	named_sums_fini(&pairs);
}
