/* SPDX-License-Identifier: MIT
 * The parts of the export for Prometheus. */
#ifndef EXPORT_PROMETHEUS_H
#define EXPORT_PROMETHEUS_H

#include "export.h"
#include "number.h"
#include "report.h"

/* The numbers of sites, and of pairs of them, that have series of their own. */
enum { PROMETHEUS_SITES = 20, PROMETHEUS_PAIRS = 20 };
#define PROMETHEUS_OTHERS "(others)"

struct prometheus {
	struct report report;
	struct places *places;
	char *program; /* clean; a label of each series */
	FILE *out;
};

/* Writes the head of a metric, before its series. */
void prometheus_family(const struct prometheus *prometheus, const char *name, const char *type, const char *help);

/* Writes a series. `labels` are names and values in turn, ended by NULL; or NULL. Requires values that are valid UTF-8
 * without control characters. */
void prometheus_sample(
	const struct prometheus *prometheus, const char *name, const char *const *labels, const char *value);

/* A value of seconds. */
static inline struct number prometheus_seconds(uint64_t ns)
{
	return number_decimal(ns, NUMBER_S, 9);
}

/* Which places lose to which. */
void prometheus_pairs(const struct prometheus *prometheus);

/* The histograms. */
void prometheus_transactions(const struct prometheus *prometheus);

#endif
