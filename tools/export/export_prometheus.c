/* SPDX-License-Identifier: MIT
 * A recording as text for the textfile collector of Prometheus. All series have the program's name. As far as possible
 * a program has the same series in each run: each cause is there, even if it is 0; a fixed number of sites and of
 * pairs of them, the costliest, have their own series, and all others share one.
 *
 * A name says of which transactions its metric is: "measured" of those that were measured closely, "unmeasured" of the
 * others, "estimated" of all, by an estimate that is exact if all were measured; otherwise of all, counted. Behind that
 * stands the unit, "seconds", and "total" if it is a counter. */
#include <stdlib.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "estimate.h"
#include "export_prometheus.h"
#include "hardware.h"
#include "loss_sums.h"
#include "memory.h"
#include "recorded_account.h"
#include "utf8.h"

/* ---- single figures ---- */

static void write_run(const struct prometheus *prometheus)
{
	const struct recording_info *info = &prometheus->report.recording->info;
	char *runtime = utf8_clean(info->runtime, UTF8_HIDE_CONTROLS);
	char *version = utf8_clean(info->version, UTF8_HIDE_CONTROLS);
	char *method = utf8_clean(info->method, UTF8_HIDE_CONTROLS);
	prometheus_family(prometheus, "stmlog_run_info", "gauge", "The recording that the other metrics are of.");
	prometheus_sample(prometheus, "stmlog_run_info",
		(const char *[]){"runtime", runtime, "version", version, "method", method, NULL}, "1");
	free(method);
	free(version);
	free(runtime);
	prometheus_family(prometheus, "stmlog_run_duration_seconds", "gauge", "How long the run was.");
	prometheus_sample(prometheus, "stmlog_run_duration_seconds", NULL, prometheus_seconds(info->wall_ns).text);
	prometheus_family(prometheus, "stmlog_sample_interval_transactions", "gauge",
		"One transaction in so many was measured closely, where not all were.");
	prometheus_sample(
		prometheus, "stmlog_sample_interval_transactions", NULL, number_plain(info->sample_every).text);
	if (info->processors == 0)
		return;
	prometheus_family(prometheus, "stmlog_processors", "gauge", "How many processors the process might use.");
	prometheus_sample(prometheus, "stmlog_processors", NULL, number_plain(info->processors).text);
}

static void write_hardware(const struct prometheus *prometheus)
{
	struct hardware hardware = hardware_of(&prometheus->report.recording->info);
	const char *name = "stmlog_hardware_attempts_total";
	if (!hardware.is_known)
		return;
	prometheus_family(prometheus, name, "counter", "Attempts begun as hardware transactions.");
	prometheus_sample(prometheus, name, NULL, number_plain(hardware.attempts).text);
	name = "stmlog_hardware_aborts_total";
	prometheus_family(prometheus, name, "counter", "Hardware transactions aborted, measured or not, by cause.");
	for (size_t i = 0; i < HARDWARE_CAUSES; i++)
		prometheus_sample(prometheus, name, (const char *[]){"cause", hardware.causes[i].word, NULL},
			number_plain(hardware.causes[i].aborts).text);
	name = "stmlog_hardware_fallbacks_total";
	prometheus_family(prometheus, name, "counter", "Transactions run without the hardware after all.");
	prometheus_sample(prometheus, name, NULL, number_plain(hardware.fallbacks).text);
}

static void write_row(const struct prometheus *prometheus, const char *name, const char *state, uint64_t ns)
{
	prometheus_sample(prometheus, name, (const char *[]){"state", state, NULL}, prometheus_seconds(ns).text);
}

static void write_account(const struct prometheus *prometheus)
{
	const struct recording *recording = prometheus->report.recording;
	struct account_rows rows = account_rows_total(recording);
	struct recorded_account total = account_total(recording);
	const char *name = "stmlog_thread_estimated_seconds_total";
	prometheus_family(prometheus, name, "counter", "Where all time of all threads went.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].ns);
	write_row(prometheus, name, "open", total.open_ns);
	name = "stmlog_thread_estimated_low_seconds";
	prometheus_family(
		prometheus, name, "gauge", "The lower end of the interval of stmlog_thread_estimated_seconds_total.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].low_ns);
	name = "stmlog_thread_estimated_high_seconds";
	prometheus_family(
		prometheus, name, "gauge", "The upper end of the interval of stmlog_thread_estimated_seconds_total.");
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		write_row(prometheus, name, account_row_name(row), rows.at[row].high_ns);
}

static void write_counter(const struct prometheus *prometheus, const char *name, uint64_t count, const char *help)
{
	prometheus_family(prometheus, name, "counter", help);
	prometheus_sample(prometheus, name, NULL, number_plain(count).text);
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
	prometheus_family(prometheus, "stmlog_aborts_counted", "gauge",
		"1: each abort is counted as measured or unmeasured. 0: some unmeasured ones are missing.");
	prometheus_sample(prometheus, "stmlog_aborts_counted", NULL, recording_has_exact_totals(recording) ? "1" : "0");
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
	prometheus_family(prometheus, "stmlog_unattached_blocked_seconds_total", "counter",
		"Time blocked without a thread; no part of thread seconds.");
	prometheus_sample(prometheus, "stmlog_unattached_blocked_seconds_total", NULL,
		prometheus_seconds(total.unattached_ns).text);
}

static void write_not_recorded(const struct prometheus *prometheus)
{
	const struct recording_info *info = &prometheus->report.recording->info;
	const char *name = "stmlog_not_recorded_total";
	prometheus_family(
		prometheus, name, "counter", "What stmlog could not record, by what it is; 0 where all is there.");
#define STMLOG_INFO_LOSS(key, merge, words, doc) \
	prometheus_sample(prometheus, name, (const char *[]){"kind", #key, NULL}, number_plain(info->key).text);
#include <stmlog/info.def>
}

/* ---- causes ---- */

struct cause {
	uint64_t count;
	uint64_t ns;
};

/* The last row and the last column are for causes of a later version. */
struct causes {
	struct cause of[STMLOG_REASONS + 1][STMLOG_CONTENTIONS + 1];
};

static struct causes causes_of(const struct recording *recording)
{
	struct causes causes = {0};
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		uint32_t reason = total->reason < STMLOG_REASONS ? total->reason : STMLOG_REASONS;
		uint32_t contention = total->contention < STMLOG_CONTENTIONS ? total->contention : STMLOG_CONTENTIONS;
		causes.of[reason][contention].count += total->count;
		causes.of[reason][contention].ns += estimate_of(recording, &sum).ns;
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
	bool (*is_of)(uint32_t reason), bool is_time)
{
	for (uint32_t reason = 0; reason <= STMLOG_REASONS; reason++) {
		for (uint32_t contention = 0; contention <= STMLOG_CONTENTIONS; contention++) {
			const struct cause *cause = &causes->of[reason][contention];
			bool is_known = reason < STMLOG_REASONS && contention < STMLOG_CONTENTIONS;
			if (!is_of(reason) || (!is_known && cause->count == 0 && cause->ns == 0))
				continue;
			prometheus_sample(prometheus, name,
				(const char *[]){"reason", cause_reason_name(reason), "contention",
					cause_contention_name(contention), NULL},
				is_time ? prometheus_seconds(cause->ns).text : number_plain(cause->count).text);
		}
	}
}

static void write_losses(const struct prometheus *prometheus)
{
	struct causes causes = causes_of(prometheus->report.recording);
	const char *name = "stmlog_measured_aborts_total";
	prometheus_family(prometheus, name, "counter", "Attempts aborted of measured transactions, by cause.");
	write_causes(prometheus, &causes, name, is_abort, false);
	name = "stmlog_measured_pauses_and_waits_total";
	prometheus_family(prometheus, name, "counter", "Pauses and waits of measured transactions, by cause.");
	write_causes(prometheus, &causes, name, is_no_abort, false);
	name = "stmlog_estimated_lost_seconds_total";
	prometheus_family(prometheus, name, "counter", "Time that all transactions lost, by cause.");
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
		bool is_evicted = sites.rows[i]->key[0] == LOSS_SUMS_EVICTED, is_named = i < PROMETHEUS_SITES;
		char *name = is_evicted ? memory_text("(evicted)")
			     : is_named ? report_place(&prometheus->report, prometheus->places,
						  (uint32_t)sites.rows[i]->key[0])
					: memory_text(PROMETHEUS_OTHERS);
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
	prometheus_family(prometheus, name, "counter",
		"Aborts, pauses and waits of measured transactions, by where they happened.");
	for (size_t i = 0; i < sites.tally.len; i++)
		prometheus_sample(prometheus, name,
			(const char *[]){"site", named_sums_name(&sites, sites.tally.rows[i]), NULL},
			number_plain(sites.tally.rows[i]->sum.count).text);
	name = "stmlog_site_estimated_lost_seconds_total";
	prometheus_family(prometheus, name, "counter", "Time that all transactions lost, by where it was lost.");
	for (size_t i = 0; i < sites.tally.len; i++) {
		struct estimate lost = estimate_of(prometheus->report.recording, &sites.tally.rows[i]->sum);
		prometheus_sample(prometheus, name,
			(const char *[]){"site", named_sums_name(&sites, sites.tally.rows[i]), NULL},
			prometheus_seconds(lost.ns).text);
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
	prometheus_pairs(&prometheus);
	prometheus_transactions(&prometheus);
	free(prometheus.program);
	places_destroy(&prometheus.places);
}
