/* SPDX-License-Identifier: MIT
 * Losses as results of Google Benchmark, for tools that compare such results. A "benchmark" is a cause at one place
 * because of another place. Its iterations are the committed transactions, and its time is the lost time for each of
 * them, so that runs of different lengths can be compared. cpu_time is the same as real_time. */
#include <stdlib.h>
#include <time.h>

#include "cause.h"
#include "estimate.h"
#include "export.h"
#include "json_value.h"
#include "loss_sums.h"
#include "memory.h"
#include "recorded_account.h"
#include "report.h"
#include "report_json.h"
#include "utf8.h"

/* Only the costliest keys are written. */
enum { MAX_KEYS = 50 };

struct benchmark {
	struct report report;
	FILE *out;
	struct places *places;
	struct recorded_account total;
	uint64_t iterations; /* at least 1 */
	size_t written;
};

static void write_value(const struct benchmark *benchmark, json_t *value)
{
	json_value_write(benchmark->out, value, 0);
}

/* A result without counters. */
static json_t *result(const struct benchmark *benchmark, const char *name, uint64_t ns)
{
	double each_ns = (double)ns / (double)benchmark->iterations;
	return json_pack("{s:o, s:o, s:s, s:i, s:i, s:o, s:o, s:f, s:f, s:s}", "name", string(name), "run_name",
		string(name), "run_type", "iteration", "repetitions", 1, "repetition_index", 0, "threads",
		integer(report_thread_count(benchmark->report.recording)), "iterations", integer(benchmark->iterations),
		"real_time", each_ns, "cpu_time", each_ns, "time_unit", "ns");
}

static void write_result(struct benchmark *benchmark, json_t *object)
{
	fputs(benchmark->written++ > 0 ? ",\n  " : "\n  ", benchmark->out);
	write_value(benchmark, object);
}

static void write_totals(struct benchmark *benchmark)
{
	const struct recording *recording = benchmark->report.recording;
	struct estimate all = estimate_of_total(recording);
	json_t *lost = result(benchmark, "total/lost", all.ns);
	json_object_set_new(lost, "losses", integer(recording_total(recording).count));
	json_object_set_new(lost, "aborts", integer(benchmark->total.aborts));
	json_object_set_new(lost, "commits", integer(benchmark->total.commits));
	report_json_estimate(lost, &all);
	write_result(benchmark, lost);
	write_result(benchmark, result(benchmark, "total/wall", recording->info.wall_ns));
	write_result(benchmark, result(benchmark, "total/committed", benchmark->total.committed_ns));
}

/* "self-abort/write-read/audit bank.c:85 < transfer bank.c:61": the same in each run. */
static char *key_name(const struct benchmark *benchmark, const struct stmlog_entry_record *entry)
{
	const struct report *report = &benchmark->report;
	char *local = report_place(report, benchmark->places, places_innermost(benchmark->places, entry->local));
	char *remote = report_place(report, benchmark->places, places_innermost(benchmark->places, entry->remote));
	char *name = memory_format("%s/%s/%s < %s", cause_reason_name(entry->reason),
		cause_contention_name(entry->contention), local, remote);
	free(remote);
	free(local);
	return name;
}

static void write_key(struct benchmark *benchmark, const char *name, const struct tally_sum *sum)
{
	struct estimate estimate = estimate_of(benchmark->report.recording, sum);
	json_t *object = result(benchmark, name, estimate.ns);
	json_object_set_new(object, "losses", integer(sum->count));
	report_json_estimate(object, &estimate);
	json_object_set_new(object, "longest_ns", integer(sum->longest_ns));
	write_result(benchmark, object);
}

static void write_keys(struct benchmark *benchmark)
{
	const struct recording *recording = benchmark->report.recording;
	struct named_sums keys = named_sums_make(recording, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct tally_sum sum = tally_sum_of(&recording->entries[i]);
		char *name = key_name(benchmark, &recording->entries[i]);
		named_sums_add(&keys, NAMED_SUM, name, &sum);
		free(name);
	}
	tally_group(&keys.tally, TALLY_LOST);
	for (size_t i = 0; i < keys.tally.len && i < MAX_KEYS; i++)
		write_key(benchmark, named_sums_name(&keys, keys.tally.rows[i]), &keys.tally.rows[i]->sum);
	named_sums_fini(&keys);
}

static json_t *context_of(const struct benchmark *benchmark)
{
	const struct recording_info *info = &benchmark->report.recording->info;
	time_t began = (time_t)(info->unix_ns / 1000000000);
	struct tm parts;
	char date[64] = "";
	if (gmtime_r(&began, &parts) == NULL || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", &parts) == 0)
		date[0] = '\0';
	const char *time = benchmark->total.commits != 0 ? "lost for each commit" : "lost in the run";
	json_t *context = json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:s}", "date", date, "executable",
		string(info->program), "library_build_type", "release", "stmlog_version", string(info->version),
		"runtime", string(info->runtime), "method", report_json_method(info), "sample_every",
		integer(account_sample_interval(benchmark->report.recording)), "times", time);
	if (info->processors != 0) /* Google Benchmark's own name for it */
		json_object_set_new(context, "num_cpus", integer(info->processors));
	return context;
}

void export_benchmark(const struct export *export)
{
	struct benchmark benchmark = {.report = export_report(export), .out = export->out};
	benchmark.places = places_create(export->recording, export->symbols);
	benchmark.total = account_estimate_total(export->recording);
	benchmark.iterations = benchmark.total.commits != 0 ? benchmark.total.commits : 1;
	fputs("{\"context\": ", export->out);
	write_value(&benchmark, context_of(&benchmark));
	fputs(",\n \"benchmarks\": [", export->out);
	write_totals(&benchmark);
	write_keys(&benchmark);
	fputs("]}\n", export->out);
	places_destroy(&benchmark.places);
}
