/* SPDX-License-Identifier: MIT
 * Distributions as histograms for Prometheus. The bounds are the same in each recording: single numbers, then powers of
 * two less 1. Buckets of the file end at each of them, so that the counts are exact. */
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "export_prometheus.h"
#include "memory.h"
#include "record_sums.h"
#include "transactions.h"

/* The buckets of the file that end at a bound: `first_single` to `last_single`, then each fourth from `first_power` on,
 * which ends before a power of two. The last bucket of the file has no end. */
struct scale {
	const char *name;
	const char *help;
	size_t len;
	size_t first_single;
	size_t last_single;
	size_t first_power;
	bool is_time;
};

static const struct scale attempts_scale = {
	"stmlog_measured_transaction_attempts",
	"Attempts until a measured transaction committed, by where it began.",
	STMLOG_ATTEMPT_BUCKETS,
	1,
	7,
	11,
	false,
};

/* The first bounds are 0 and 1,023 ns. */
static const struct scale lost_scale = {
	"stmlog_measured_transaction_lost_seconds",
	"Time that a measured transaction lost until it committed, by where it began.",
	STMLOG_LOST_BUCKETS,
	0,
	0,
	35,
	true,
};

/* Of one site. */
struct histogram {
	char *name;
	struct stmlog_transaction_record record;
};

struct histograms {
	struct histogram at[PROMETHEUS_SITES + 1];
	size_t len;
};

static struct histogram *of_name(struct histograms *histograms, char *name)
{
	for (size_t i = 0; i < histograms->len; i++) {
		if (strcmp(histograms->at[i].name, name) != 0)
			continue;
		free(name);
		return &histograms->at[i];
	}
	histograms->at[histograms->len].name = name;
	return &histograms->at[histograms->len++];
}

/* By name, because two series must not have the same labels. The caller frees it and the names. */
static struct histograms *collect(const struct prometheus *prometheus)
{
	struct transactions all = transactions_make(prometheus->report.recording, prometheus->places, TALLY_LOST);
	struct histograms *histograms = memory_zeroed(1, sizeof *histograms);
	for (size_t i = 0; i < all.len; i++) {
		char *name = i < PROMETHEUS_SITES
				     ? report_place(&prometheus->report, prometheus->places, all.rows[i].place)
				     : memory_text(PROMETHEUS_OTHERS);
		transaction_record_add(&of_name(histograms, name)->record, &all.rows[i].record);
	}
	transactions_fini(&all);
	return histograms;
}

static bool ends_here(const struct scale *scale, size_t bucket)
{
	if (bucket + 1 == scale->len)
		return false;
	return (bucket >= scale->first_single && bucket <= scale->last_single) ||
	       (bucket >= scale->first_power && (bucket - scale->first_power) % 4 == 0);
}

static struct number value_of(const struct scale *scale, uint64_t value)
{
	return scale->is_time ? prometheus_seconds(value) : number_plain(value);
}

static void write_histogram(const struct prometheus *prometheus, const struct scale *scale, const char *site,
	const uint64_t *buckets, uint64_t sum)
{
	const char *suffixes[] = {"_bucket", "_sum", "_count"};
	char names[3][64];
	for (size_t i = 0; i < 3; i++)
		snprintf(names[i], sizeof names[i], "%s%s", scale->name, suffixes[i]);
	for (size_t i = 0; i < scale->len; i++) {
		if (ends_here(scale, i))
			prometheus_sample(prometheus, names[0],
				(const char *[]){"site", site, "le", value_of(scale, distribution_bound(i)).text, NULL},
				number_plain(distribution_count(buckets, i + 1)).text);
	}
	struct number count = number_plain(distribution_count(buckets, scale->len));
	prometheus_sample(prometheus, names[0], (const char *[]){"site", site, "le", "+Inf", NULL}, count.text);
	prometheus_sample(prometheus, names[1], (const char *[]){"site", site, NULL}, value_of(scale, sum).text);
	prometheus_sample(prometheus, names[2], (const char *[]){"site", site, NULL}, count.text);
}

void prometheus_transactions(const struct prometheus *prometheus)
{
	struct histograms *histograms = collect(prometheus);
	prometheus_family(prometheus, attempts_scale.name, "histogram", attempts_scale.help);
	for (size_t i = 0; i < histograms->len; i++) {
		const struct histogram *one = &histograms->at[i];
		write_histogram(prometheus, &attempts_scale, one->name, one->record.by_attempts, one->record.attempts);
	}
	prometheus_family(prometheus, lost_scale.name, "histogram", lost_scale.help);
	for (size_t i = 0; i < histograms->len; i++) {
		const struct histogram *one = &histograms->at[i];
		write_histogram(prometheus, &lost_scale, one->name, one->record.by_lost_ns, one->record.lost_ns);
	}
	for (size_t i = 0; i < histograms->len; i++)
		free(histograms->at[i].name);
	free(histograms);
}
