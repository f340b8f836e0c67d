/* SPDX-License-Identifier: MIT
 * A recording as text for the textfile collector of Prometheus. All series have the program's name. As far as possible
 * a program has the same series in each run: each cause is there, even if it is 0; a fixed number of sites and of
 * pairs of them, the costliest, have their own series, and all others share one.
 *
 * A name says of which transactions its metric is: "measured" of those that were measured closely, "unmeasured" of the
 * others, "estimated" of all, by an estimate that is exact if all were measured; otherwise of all, counted. Behind that
 * stands the unit, "seconds", and "total" if it is a counter. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "blame.h"
#include "cause.h"
#include "check.h"
#include "distribution.h"
#include "estimate.h"
#include "export.h"
#include "hardware.h"
#include "loss_sums.h"
#include "memory.h"
#include "number.h"
#include "record_sums.h"
#include "recorded_account.h"
#include "report.h"
#include "transactions.h"
#include "utf8.h"

/* The numbers of sites, and of pairs of them, that have series of their own. */
enum { SITES_MAX = 20, PAIRS_MAX = 20 };

#define OTHERS "(others)"

struct prometheus {
	struct report report;
	struct places *places;
	char *program; /* clean; a label of each series */
	FILE *out;
};

/* A value of seconds. */
static inline struct number seconds_of(uint64_t ns)
{
	return number_decimal(ns, NUMBER_S, 9);
}

#ifdef STMLOG_CHECKS
static bool is_clean(const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	bool is_same = strcmp(clean, text) == 0;
	free(clean);
	return is_same;
}
#endif

static void write_value(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* Writes the head of a metric, before its series. */
static void write_family(const struct prometheus *prometheus, const char *name, const char *type, const char *help)
{
	fprintf(prometheus->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Writes a series. `labels` are names and values in turn, ended by NULL; or NULL. Requires values that are valid UTF-8
 * without control characters. */
static void write_sample(
	const struct prometheus *prometheus, const char *name, const char *const *labels, const char *value)
{
	fprintf(prometheus->out, "%s{program=\"", name);
	write_value(prometheus->out, prometheus->program);
	for (; labels != NULL && *labels != NULL; labels += 2) {
		fprintf(prometheus->out, "\",%s=\"", labels[0]);
		REQUIRES(is_clean(labels[1]));
		write_value(prometheus->out, labels[1]);
	}
	fprintf(prometheus->out, "\"} %s\n", value);
}

/* ---- pairs of places that lose to each other. Losses without another transaction are in no pair ---- */

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
		char *name = i < PAIRS_MAX ? pair_name(prometheus, pairs.rows[i])
					   : memory_format("%s%c%s", OTHERS, BETWEEN, OTHERS);
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
	write_sample(prometheus, metric, (const char *[]){"site", site, "culprit", culprit, NULL}, value);
	free(site);
}

/* Which places lose to which. */
static void write_pairs(const struct prometheus *prometheus)
{
	struct named_sums pairs = pairs_of(prometheus);
	const char *metric = "stmlog_pair_measured_losses_total";
	write_family(prometheus, metric, "counter", "Losses of measured transactions to another one, by both places.");
	for (size_t i = 0; i < pairs.tally.len; i++)
		write_pair(prometheus, metric, named_sums_name(&pairs, pairs.tally.rows[i]),
			number_plain(pairs.tally.rows[i]->sum.count).text);
	metric = "stmlog_pair_estimated_lost_seconds_total";
	write_family(prometheus, metric, "counter", "Time that all transactions lost to other ones, by both places.");
	for (size_t i = 0; i < pairs.tally.len; i++) {
		struct estimate lost = estimate_of(prometheus->report.recording, &pairs.tally.rows[i]->sum);
		write_pair(prometheus, metric, named_sums_name(&pairs, pairs.tally.rows[i]), seconds_of(lost.ns).text);
	}
	named_sums_fini(&pairs);
}

/* ---- histograms of distributions. The bounds are the same in each recording: single numbers, then powers of two
 * less 1. Buckets of the file end at each of them, so that the counts are exact ---- */

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
	struct histogram at[SITES_MAX + 1];
	size_t len;
};

static struct histogram *histogram_of(struct histograms *histograms, char *name)
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
		char *name = i < SITES_MAX ? report_place(&prometheus->report, prometheus->places, all.rows[i].place)
					   : memory_text(OTHERS);
		transaction_record_add(&histogram_of(histograms, name)->record, &all.rows[i].record);
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
	return scale->is_time ? seconds_of(value) : number_plain(value);
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
			write_sample(prometheus, names[0],
				(const char *[]){"site", site, "le", value_of(scale, distribution_bound(i)).text, NULL},
				number_plain(distribution_count(buckets, i + 1)).text);
	}
	struct number count = number_plain(distribution_count(buckets, scale->len));
	write_sample(prometheus, names[0], (const char *[]){"site", site, "le", "+Inf", NULL}, count.text);
	write_sample(prometheus, names[1], (const char *[]){"site", site, NULL}, value_of(scale, sum).text);
	write_sample(prometheus, names[2], (const char *[]){"site", site, NULL}, count.text);
}

/* The histograms. */
static void write_histograms(const struct prometheus *prometheus)
{
	struct histograms *histograms = collect(prometheus);
	write_family(prometheus, attempts_scale.name, "histogram", attempts_scale.help);
	for (size_t i = 0; i < histograms->len; i++) {
		const struct histogram *histogram = &histograms->at[i];
		write_histogram(prometheus, &attempts_scale, histogram->name, histogram->record.by_attempts,
			histogram->record.attempts);
	}
	write_family(prometheus, lost_scale.name, "histogram", lost_scale.help);
	for (size_t i = 0; i < histograms->len; i++) {
		const struct histogram *histogram = &histograms->at[i];
		write_histogram(prometheus, &lost_scale, histogram->name, histogram->record.by_lost_ns,
			histogram->record.lost_ns);
	}
	for (size_t i = 0; i < histograms->len; i++)
		free(histograms->at[i].name);
	free(histograms);
}

/* ---- single figures ---- */

static void write_run(const struct prometheus *prometheus)
{
	const struct recording_info *info = &prometheus->report.recording->info;
	char *runtime = utf8_clean(info->runtime, UTF8_HIDE_CONTROLS);
	char *version = utf8_clean(info->version, UTF8_HIDE_CONTROLS);
	char *method = utf8_clean(info->method, UTF8_HIDE_CONTROLS);
	write_family(prometheus, "stmlog_run_info", "gauge", "The recording that the other metrics are of.");
	write_sample(prometheus, "stmlog_run_info",
		(const char *[]){"runtime", runtime, "version", version, "method", method, NULL}, "1");
	free(method);
	free(version);
	free(runtime);
	write_family(prometheus, "stmlog_run_duration_seconds", "gauge", "How long the run was.");
	write_sample(prometheus, "stmlog_run_duration_seconds", NULL, seconds_of(info->wall_ns).text);
	write_family(prometheus, "stmlog_sample_interval_transactions", "gauge",
		"One transaction in so many was measured closely, where not all were.");
	write_sample(prometheus, "stmlog_sample_interval_transactions", NULL,
		number_plain(account_sample_interval(prometheus->report.recording)).text);
	if (info->processors == 0)
		return;
	write_family(prometheus, "stmlog_processors", "gauge", "How many processors the process might use.");
	write_sample(prometheus, "stmlog_processors", NULL, number_plain(info->processors).text);
}

static void write_hardware(const struct prometheus *prometheus)
{
	struct hardware hardware = hardware_of(&prometheus->report.recording->info);
	const char *name = "stmlog_hardware_attempts_total";
	if (!hardware.is_known)
		return;
	write_family(prometheus, name, "counter", "Attempts begun as hardware transactions.");
	write_sample(prometheus, name, NULL, number_plain(hardware.attempts).text);
	name = "stmlog_hardware_aborts_total";
	write_family(prometheus, name, "counter", "Hardware transactions aborted, measured or not, by cause.");
	for (size_t i = 0; i < HARDWARE_CAUSES; i++)
		write_sample(prometheus, name, (const char *[]){"cause", hardware.causes[i].word, NULL},
			number_plain(hardware.causes[i].aborts).text);
	name = "stmlog_hardware_fallbacks_total";
	write_family(prometheus, name, "counter", "Transactions run without the hardware after all.");
	write_sample(prometheus, name, NULL, number_plain(hardware.fallbacks).text);
}

static void write_row(const struct prometheus *prometheus, const char *name, const char *state, uint64_t ns)
{
	write_sample(prometheus, name, (const char *[]){"state", state, NULL}, seconds_of(ns).text);
}

static void write_account(const struct prometheus *prometheus)
{
	const struct recording *recording = prometheus->report.recording;
	struct account_rows rows = account_rows_total(recording);
	struct recorded_account total = account_total(recording);
	const char *name = "stmlog_thread_estimated_seconds_total";
	write_family(prometheus, name, "counter", "Where all time of all threads went.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].ns);
	write_row(prometheus, name, "open", total.open_ns);
	name = "stmlog_thread_estimated_low_seconds";
	write_family(
		prometheus, name, "gauge", "The lower end of the interval of stmlog_thread_estimated_seconds_total.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].low_ns);
	name = "stmlog_thread_estimated_high_seconds";
	write_family(
		prometheus, name, "gauge", "The upper end of the interval of stmlog_thread_estimated_seconds_total.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].high_ns);
}

static void write_counter(const struct prometheus *prometheus, const char *name, uint64_t count, const char *help)
{
	write_family(prometheus, name, "counter", help);
	write_sample(prometheus, name, NULL, number_plain(count).text);
}

static uint64_t unmeasured_aborts(const struct recording *recording)
{
	uint64_t count = 0;
	for (size_t i = 0; i < recording->thread_count; i++)
		count += recording->threads[i].unmeasured_aborts;
	return count;
}

static void write_counts(const struct prometheus *prometheus)
{
	const struct recording *recording = prometheus->report.recording;
	write_counter(prometheus, "stmlog_commits_total", account_total(recording).commits,
		"Transactions committed, measured or not.");
	write_counter(prometheus, "stmlog_measured_commits_total", account_measured_commits(recording),
		"Transactions committed that were measured closely.");
	write_counter(prometheus, "stmlog_unmeasured_aborts_total", unmeasured_aborts(recording),
		"Attempts aborted of transactions that were not measured, as far as they were counted.");
	write_family(prometheus, "stmlog_aborts_counted", "gauge",
		"1: each abort is counted as measured or unmeasured. 0: some unmeasured ones are missing.");
	write_sample(prometheus, "stmlog_aborts_counted", NULL, recording_has_exact_totals(recording) ? "1" : "0");
}

static void write_blocked(const struct prometheus *prometheus)
{
	struct recorded_account total = account_total(prometheus->report.recording);
	write_counter(prometheus, "stmlog_measured_blocked_total", total.blocked,
		"How often measured transactions were blocked after a retry.");
	write_counter(prometheus, "stmlog_measured_blocked_in_vain_total", total.blocked_in_vain,
		"Of stmlog_measured_blocked_total: the transaction blocked once more.");
	write_counter(prometheus, "stmlog_unattached_blocked_total", total.unattached,
		"How often transactions were blocked that had no thread meanwhile.");
	write_counter(prometheus, "stmlog_unattached_blocked_in_vain_total", total.unattached_in_vain,
		"Of stmlog_unattached_blocked_total: the transaction blocked once more.");
	write_family(prometheus, "stmlog_unattached_blocked_seconds_total", "counter",
		"Time blocked without a thread; no part of thread seconds.");
	write_sample(prometheus, "stmlog_unattached_blocked_seconds_total", NULL, seconds_of(total.unattached_ns).text);
}

static void write_not_recorded(const struct prometheus *prometheus)
{
	const struct recording_info *info = &prometheus->report.recording->info;
	const char *name = "stmlog_not_recorded_total";
	write_family(prometheus, name, "counter", "What stmlog could not record, by what it is; 0 where all is there.");
#define STMLOG_INFO_LOSS(key, merge, words, doc) \
	write_sample(prometheus, name, (const char *[]){"kind", #key, NULL}, number_plain(info->key).text);
#include <stmlog/info.def>
}

/* ---- causes ---- */

struct cause {
	uint64_t count;
	uint64_t ns;
};

/* The last row and the last column are for causes of a later version. */
struct causes {
	struct cause at[STMLOG_REASONS + 1][STMLOG_CONTENTIONS + 1];
};

static struct causes causes_of(const struct recording *recording)
{
	struct causes causes = {0};
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		uint32_t reason = total->reason < STMLOG_REASONS ? total->reason : STMLOG_REASONS;
		uint32_t contention = total->contention < STMLOG_CONTENTIONS ? total->contention : STMLOG_CONTENTIONS;
		causes.at[reason][contention].count += total->count;
		causes.at[reason][contention].ns += estimate_of(recording, &sum).ns;
	}
	return causes;
}

static bool is_abort(uint32_t reason)
{
	return cause_is_abort(reason);
}

static bool is_no_abort(uint32_t reason)
{
	return !cause_is_abort(reason);
}

static bool is_any(uint32_t reason)
{
	(void)reason;
	return true;
}

static void write_causes(const struct prometheus *prometheus, const struct causes *causes, const char *name,
	bool (*is_wanted)(uint32_t reason), bool is_time)
{
	for (uint32_t reason = 0; reason <= STMLOG_REASONS; reason++) {
		for (uint32_t contention = 0; contention <= STMLOG_CONTENTIONS; contention++) {
			const struct cause *cause = &causes->at[reason][contention];
			bool is_known = reason < STMLOG_REASONS && contention < STMLOG_CONTENTIONS;
			if (!is_wanted(reason) || (!is_known && cause->count == 0 && cause->ns == 0))
				continue;
			write_sample(prometheus, name,
				(const char *[]){"reason", cause_reason_name(reason), "contention",
					cause_contention_name(contention), NULL},
				is_time ? seconds_of(cause->ns).text : number_plain(cause->count).text);
		}
	}
}

static void write_losses(const struct prometheus *prometheus)
{
	struct causes causes = causes_of(prometheus->report.recording);
	const char *name = "stmlog_measured_aborts_total";
	write_family(prometheus, name, "counter", "Attempts aborted of measured transactions, by cause.");
	write_causes(prometheus, &causes, name, is_abort, false);
	name = "stmlog_measured_pauses_and_waits_total";
	write_family(prometheus, name, "counter", "Pauses and waits of measured transactions, by cause.");
	write_causes(prometheus, &causes, name, is_no_abort, false);
	name = "stmlog_estimated_lost_seconds_total";
	write_family(prometheus, name, "counter", "Time that all transactions lost, by cause.");
	write_causes(prometheus, &causes, name, is_any, true);
}

/* ---- sites ---- */

/* By name, because two series must not have the same labels. */
static struct named_sums sites_of(const struct prometheus *prometheus)
{
	const struct recording *recording = prometheus->report.recording;
	struct tally sites = loss_sums_by_site(recording, prometheus->places, TALLY_LOST);
	struct named_sums sums = named_sums_make(recording, sites.len);
	for (size_t i = 0; i < sites.len; i++) {
		bool is_evicted = sites.rows[i]->key[0] == LOSS_SUMS_EVICTED, is_named = i < SITES_MAX;
		char *name = is_evicted ? memory_text("(evicted)")
			     : is_named ? report_place(&prometheus->report, prometheus->places,
						  (uint32_t)sites.rows[i]->key[0])
					: memory_text(OTHERS);
		named_sums_add(&sums, NAMED_SUM, name, &sites.rows[i]->sum);
		free(name);
	}
	tally_group(&sums.tally, TALLY_LOST);
	tally_drop(&sites);
	return sums;
}

static void write_sites(const struct prometheus *prometheus)
{
	struct named_sums sites = sites_of(prometheus);
	const char *name = "stmlog_site_measured_losses_total";
	write_family(prometheus, name, "counter",
		"Aborts, pauses and waits of measured transactions, by where they happened.");
	for (size_t i = 0; i < sites.tally.len; i++)
		write_sample(prometheus, name,
			(const char *[]){"site", named_sums_name(&sites, sites.tally.rows[i]), NULL},
			number_plain(sites.tally.rows[i]->sum.count).text);
	name = "stmlog_site_estimated_lost_seconds_total";
	write_family(prometheus, name, "counter", "Time that all transactions lost, by where it was lost.");
	for (size_t i = 0; i < sites.tally.len; i++) {
		struct estimate lost = estimate_of(prometheus->report.recording, &sites.tally.rows[i]->sum);
		write_sample(prometheus, name,
			(const char *[]){"site", named_sums_name(&sites, sites.tally.rows[i]), NULL},
			seconds_of(lost.ns).text);
	}
	named_sums_fini(&sites);
}

void export_prometheus(const struct export *export)
{
	const struct recording_info *info = &export->recording->info;
	struct prometheus prometheus = {.report = export_report(export), .out = export->out};
	prometheus.places = places_create(export->recording, export->symbols);
	prometheus.program = utf8_clean(symbol_basename(info->program), UTF8_HIDE_CONTROLS);
	write_run(&prometheus);
	write_hardware(&prometheus);
	write_account(&prometheus);
	write_counts(&prometheus);
	write_blocked(&prometheus);
	write_not_recorded(&prometheus);
	write_losses(&prometheus);
	write_sites(&prometheus);
	write_pairs(&prometheus);
	write_histograms(&prometheus);
	free(prometheus.program);
	places_destroy(&prometheus.places);
}
