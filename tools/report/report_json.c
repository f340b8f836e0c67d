/* SPDX-License-Identifier: MIT
 * The report as one JSON object. Its names and units are an interface: members may be added, but not changed. */
#include "report_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <stmlog/read.h>

#include "estimate.h"
#include "json_value.h"
#include "recorded_account.h"
#include "report.h"
#include "work.h"

/* ---- the program's own work: the timeline's size, tasks, their waits, and regions ---- */

/* Null of an infinite value, which JSON cannot have. */
static json_t *or_null(double value)
{
	return isinf(value) ? json_null() : json_real(value);
}

/* Null if it is a spread of no values. */
static json_t *spread_object(const struct statistics_spread *spread, size_t count)
{
	if (count == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "min", or_null(spread->min), "p25", or_null(spread->low),
		"median", or_null(spread->median), "p75", or_null(spread->high), "max", or_null(spread->max));
}

static json_t *tag_object(const struct region_tag *tag)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tag", string(tag->tag), "count",
		integer(tag->count), "outermost", integer(tag->outermost), "work", integer(tag->work), "inclusive_ns",
		integer(tag->inclusive_ns), "exclusive_ns", integer(tag->exclusive_ns), "speed", or_null(tag->speed),
		"each_ns", spread_object(&tag->each_ns, tag->ended), "each_speed",
		spread_object(&tag->each_speed, tag->worked));
}

static json_t *tags_of(const struct work *work)
{
	json_t *array = json_array();
	for (size_t i = 0; i < work->tag_count; i++)
		json_array_append_new(array, tag_object(&work->tags[i]));
	return array;
}

static json_t *waits_of(const struct work *work, const struct recording *recording)
{
	json_t *array = json_array();
	size_t len;
	struct task_wait_sum *waits = work_wait_sums(work, recording, &len);
	for (size_t i = 0; i < len; i++) {
		const struct task_wait_sum *wait = &waits[i];
		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "wait", task_wait_names[wait->kind], "word",
				       string(wait->word), "count", integer(wait->count), "abandoned",
				       integer(wait->abandoned), "time_ns", integer(wait->time_ns), "handled_ns",
				       integer(wait->handled_ns)));
	}
	free(waits);
	return array;
}

static json_t *tasks_object(const struct work *work, const struct recording *recording)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "count", integer(work->task_count), "segments",
		integer(work->segment_count), "work_ns", integer(work_time_ns(work)), "longest_chain_ns",
		integer(work_longest_ns(work)), "waits", waits_of(work, recording));
}

static void write_timeline(const struct report *report)
{
	const struct recording *recording = report->recording;
	if (recording->has_timeline)
		report_json_member(report, "timeline",
			json_pack("{s:o, s:o}", "events", integer(recording->event_count), "bytes",
				integer(recording->info.events_bytes)));
}

/* Writes the sums of the program's tasks and regions, if there are any; null if the timeline contradicts itself. */
static void write_sums(const struct report *report)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	bool is_known = work_build(&work, report->recording);
	if (!is_known || work.task_count > 0)
		report_json_member(report, "tasks", is_known ? tasks_object(&work, report->recording) : json_null());
	if (!is_known || work.region_count > 0)
		report_json_member(report, "regions", is_known ? tags_of(&work) : json_null());
	work_fini(&work);
}

/* "timeline", "tasks" and "regions", each only if the recording has some; null if the timeline contradicts itself. */
static void report_json_work(const struct report *report)
{
	write_timeline(report);
	write_sums(report);
}

/* ---- transactions and waits that were under way ---- */

static json_t *frame_of(const struct report *report, uint32_t site)
{
	return site != STMLOG_NO_SITE ? report_json_frame(symbols_site(report->symbols, site)->frames) : json_null();
}

static json_t *open_of(const struct report *report, const struct stmlog_open_record *open)
{
	const char *kind = open_kind_name(open->kind);
	bool is_known = open->other_thread != 0;
	json_t *other = is_known ? json_pack("{s:o, s:o, s:s}", "thread", integer(open->other_thread), "at",
					   frame_of(report, open->other_site), "grade", stmlog_grade_name(open->grade))
				 : json_null();
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "thread", integer(open->thread), "kind",
		kind != NULL ? kind : "?", "open_ns", integer(open->open_ns), "begin", frame_of(report, open->site),
		"because", other);
}

static void write_open(const struct report *report)
{
	report_json_array(report, "open");
	for (size_t i = 0; i < report->recording->open_count; i++)
		report_json_element(report, i, open_of(report, &report->recording->open[i]));
	printer_text(report->out, "]");
}

/* ---- hardware transactions and the machine ---- */

json_t *report_json_hardware(const struct recording_info *info)
{
	if (info->hardware_commits == RECORDING_UNSAID)
		return json_null();
	return json_pack("{s:o, s:o}", "commits", integer(info->hardware_commits), "fallbacks",
		integer(info->hardware_fallbacks));
}

json_t *report_json_method(const struct recording_info *info)
{
	return info->method[0] != '\0' ? string(info->method) : json_null();
}

json_t *report_json_processors(const struct recording_info *info)
{
	return info->processors != 0 ? integer(info->processors) : json_null();
}

/* ---- threads and causes ---- */

/* gcc -fanalyzer does not see that a function has filled the struct that it returns. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

static void add_counts(json_t *object, const struct recorded_account *account)
{
	json_object_set_new(object, "commits", integer(account->commits));
	json_object_set_new(object, "aborts", integer(account->aborts));
	json_object_set_new(object, "pauses", integer(account->pauses));
	json_object_set_new(object, "blocked", integer(account->blocked));
	json_object_set_new(object, "blocked_in_vain", integer(account->blocked_in_vain));
	json_object_set_new(object, "descheduled", integer(account->descheduled));
}

static void add_time(json_t *object, const char *row, const char *suffix, uint64_t ns)
{
	char name[32];
	snprintf(name, sizeof name, "%s%s_ns", row, suffix);
	json_object_set_new(object, name, integer(ns));
}

/* Times that are no part of the account. */
static json_t *unattached_of(const struct recorded_account *account)
{
	return json_pack("{s:o, s:o, s:o}", "count", integer(account->unattached), "in_vain",
		integer(account->unattached_in_vain), "blocked_ns", integer(account->unattached_ns));
}

/* Each row, with its interval if it is an estimate; and the two times that never are. */
static void add_times(
	json_t *object, const struct account_rows *rows, const struct recorded_account *account, bool has_intervals)
{
	json_object_set_new(object, "attached_ns", integer(account->attached_ns));
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		const struct estimate *time = &rows->at[row];
		add_time(object, account_row_name(row), "", has_intervals ? time->ns : time->measured_ns);
		if (has_intervals) {
			add_time(object, account_row_name(row), "_low", time->low_ns);
			add_time(object, account_row_name(row), "_high", time->high_ns);
		}
	}
	json_object_set_new(object, "open_ns", integer(account->open_ns));
}

static json_t *command_of(const struct recording_info *info)
{
	json_t *array = json_array();
	for (size_t i = 0; i < info->args.len; i++)
		json_array_append_new(array, string(info->args.at[i]));
	if (info->args.len == 0)
		json_array_append_new(array, string(info->program));
	return array;
}

/* The members that threads and totals share. If only some transactions were measured they are estimates, and `measured`
 * has the measured times, which add up exactly. */
static void add_accounts(json_t *object, const struct account_rows *rows, const struct recorded_account *measured)
{
	json_t *inner = json_object();
	add_times(object, rows, measured, true);
	add_counts(object, measured);
	json_object_set_new(object, "blocked_unattached", unattached_of(measured));
	add_times(inner, rows, measured, false);
	json_object_set_new(object, "measured", inner);
}

static json_t *thread_of(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct recorded_account measured = account_of(recording, thread);
	struct account_rows rows = account_rows(recording, thread);
	json_t *object = json_object();
	json_object_set_new(object, "id", integer(thread->id));
	json_object_set_new(object, "name", string(recording_string(recording, thread->name)));
	json_object_set_new(object, "runtime",
		thread->runtime != 0 ? string(recording_string(recording, thread->runtime)) : json_null());
	json_object_set_new(object, "system_id", thread->system_id != 0 ? integer(thread->system_id) : json_null());
	json_object_set_new(object, "spare", json_boolean((thread->flags & STMLOG_THREAD_SPARE) != 0));
	add_accounts(object, &rows, &measured);
	return object;
}

static json_t *cost_of(const struct recording *recording, uint64_t count, struct estimate estimate)
{
	json_t *object = json_pack("{s:o}", "count", integer(count));
	report_json_estimate(object, &estimate);
	json_object_set_new(object, "too_few", json_boolean(estimate_is_too_few(recording, count)));
	return object;
}

/* Of each row of losses, what no measured loss explains; and the lines of the first screen about it. */
static json_t *unexplained_of(const struct recording *recording)
{
	struct account_shares shares = account_shares(recording);
	json_t *object = json_object(), *lines = json_array();
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		struct account_unexplained rest = account_unexplained(recording, row);
		if ((TALLY_LOSSES & TALLY_ROW(row)) == 0)
			continue;
		add_time(object, account_row_name(row), "", rest.time.ns);
		add_time(object, account_row_name(row), "_low", rest.time.low_ns);
		add_time(object, account_row_name(row), "_high", rest.time.high_ns);
		char *text = account_unexplained_text(recording, row, shares.tenths[row]);
		if (text != NULL)
			json_array_append_new(lines, string(text));
		free(text);
	}
	json_object_set_new(object, "text", lines);
	return object;
}

/* Tenths of a percent of the attached time, which add up as they are. */
static json_t *per_mille_of(const struct recording *recording)
{
	struct account_shares shares = account_shares(recording);
	json_t *object = json_object();
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		json_object_set_new(object, account_row_name(row), integer(shares.tenths[row]));
	json_object_set_new(object, "open", integer(shares.tenths[ACCOUNT_OPEN]));
	json_object_set_new(object, "lost", integer(account_lost_tenths(&shares)));
	return object;
}

/* The parts of the row `other` that have a word. */
static json_t *own_work_of(const struct recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < recording->own_work_count; i++) {
		const struct stmlog_own_work_record *work = &recording->own_work[i];
		json_array_append_new(array, json_pack("{s:o, s:o, s:o}", "word", string(work->word), "count",
						     integer(work->count), "measured_ns", integer(work->ns)));
	}
	return array;
}

static json_t *totals_of(const struct recording *recording)
{
	struct recorded_account measured = account_total(recording);
	struct account_rows rows = account_rows_total(recording);
	json_t *object = json_object();
	add_accounts(object, &rows, &measured);
	json_object_set_new(object, "own_work", own_work_of(recording));
	json_object_set_new(
		object, "lost", cost_of(recording, recording_total(recording).count, estimate_of_total(recording)));
	json_object_set_new(object, "explained",
		cost_of(recording, recording_total(recording).count, estimate_of_explained(recording)));
	json_object_set_new(object, "per_mille", per_mille_of(recording));
	json_object_set_new(object, "unexplained", unexplained_of(recording));
	json_object_set_new(object, "descheduled_known", json_boolean(recording->info.descheduled_known != 0));
	json_object_set_new(object, "residual_ns", json_integer(account_residual(&measured)));
	json_object_set_new(object, "exact", json_boolean(recording_has_exact_totals(recording)));
	json_object_set_new(object, "commits_known", json_boolean(recording->info.commits_known != 0));
	if (recording->info.waits_estimated != 0)
		json_object_set_new(object, "waits_estimated", json_true());
	return object;
}

static json_t *causes_of(const struct recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		json_t *object = json_pack("{s:s, s:s, s:o}", "reason", stmlog_reason_name(total->reason), "contention",
			stmlog_contention_name(total->contention), "count", integer(total->count));
		report_json_lost(object, recording, &sum);
		json_array_append_new(array, object);
	}
	return array;
}

/* One side of an entry; only the remote side has a grade. */
static json_t *side_of(
	const struct report *report, uint32_t reference, const char *grade, uint32_t thread, uint16_t green)
{
	json_t *object = report_json_traceback(report, reference);
	if (grade != NULL)
		json_object_set_new(object, "grade", string(grade));
	json_object_set_new(object, "thread", integer(thread));
	json_object_set_new(object, "haskell", report_json_green(recording_green(report->recording, green)));
	return object;
}

/* The other side, with the call that made its transaction irrevocable. */
static json_t *remote_of(const struct report *report, const struct stmlog_entry_record *entry)
{
	json_t *object = side_of(
		report, entry->remote, stmlog_grade_name(entry->grade), entry->remote_thread, entry->remote_green);
	const struct symbol_frame *call = report_unsafe_call(report, entry);
	if (call != NULL)
		json_object_set_new(object, "calls",
			json_pack("{s:o, s:o, s:o}", "function", string(call->function), "file", string(call->file),
				"line", integer(call->line)));
	return object;
}

static void add_figures(json_t *object, const struct stmlog_entry_record *entry)
{
#define PLAIN(name) json_object_set_new(object, #name, integer(entry->name));
#define OTHER(name)
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) JSON(name)
#include <stmlog/figures.def>
#undef PLAIN
#undef OTHER
}

static json_t *entry_of(const struct report *report, const struct stmlog_entry_record *entry)
{
	json_t *object = json_pack("{s:s, s:s, s:o}", "reason", stmlog_reason_name(entry->reason), "contention",
		stmlog_contention_name(entry->contention), "detail",
		string(recording_string(report->recording, entry->detail)));
	struct tally_sum sum = tally_sum_of(entry);
	report_json_lost(object, report->recording, &sum);
	add_figures(object, entry);
	json_object_set_new(
		object, "local", side_of(report, entry->local, NULL, entry->local_thread, entry->local_green));
	json_object_set_new(object, "remote", remote_of(report, entry));
	json_object_set_new(object, "objects", report_json_objects(report, entry));
	json_object_set_new(object, "wasted", report_json_wasted(report->recording, entry->wasted, entry->wasted_ns));
	if (report_is_estimated_wait(report, entry))
		json_object_set_new(object, "estimated", json_true());
	return object;
}

/* Of `commits`, how many were measured, and how many timed. */
static json_t *sample_of(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	return json_pack("{s:o, s:b, s:o, s:o, s:o}", "every", integer(account_sample_interval(recording)), "exact",
		(int)!recording_is_sampled(recording), "commits", integer(account_total(recording).commits), "timed",
		integer(info->timed_commits), "measured", integer(account_measured_commits(recording)));
}

/* NULL becomes null: not known. */
static json_t *real(const double *value)
{
	return value != NULL ? json_real(*value) : json_null();
}

static json_t *probe_of(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	struct recorded_account total = account_total(recording);
	double share = total.attached_ns != 0 ? (double)recording_probes_ns(info) / (double)total.attached_ns : 0.0;
	struct observer observer = observer_of(info);
	const double *effect = observer.is_known ? &observer.effect : NULL;
	const double *low = observer.is_known || observer.is_in_bursts ? &observer.low : NULL;
	const double *high = observer.is_known || observer.is_in_bursts ? &observer.high : NULL;
	const double *per_transaction = observer.is_known ? &observer.per_transaction : NULL;
	return json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "events",
		integer(info->probe_events), "cost_ns", integer(info->probe_cost_ns), "origins", integer(info->origins),
		"origins_cost_ns", integer(info->origins_cost_ns), "share", share, "observer_effect", real(effect),
		"observer_effect_low", real(low), "observer_effect_high", real(high), "per_transaction",
		real(per_transaction), "phases_on", integer(info->on_phases), "phases_off", integer(info->off_phases));
}

static json_t *losses_of(const struct recording_info *info)
{
	json_t *object = json_object();
#define STMLOG_INFO_LOSS(key, merge, name, doc) json_object_set_new(object, #key, integer(info->key));
#include <stmlog/info.def>
	return object;
}

static void write_threads(const struct report *report)
{
	const struct recording *recording = report->recording;
	report_json_array(report, "threads");
	for (size_t i = 0; i < recording->thread_count; i++)
		report_json_element(report, i, thread_of(recording, &recording->threads[i]));
	printer_text(report->out, "]");
}

static void write_entries(const struct report *report)
{
	report_json_array(report, "entries");
	struct tally sorted = report_sorted(report);
	for (size_t i = 0; i < report_listed(report, &sorted); i++)
		report_json_element(report, i, entry_of(report, &report->recording->entries[sorted.rows[i]->key[0]]));
	tally_drop(&sorted);
	printer_text(report->out, "]");
}

json_t *report_json_ending(const struct recording_info *info)
{
	return json_pack("{s:b, s:o}", "snapshot", info->snapshot != 0, "signal",
		info->killed_by != 0 ? integer(info->killed_by) : json_null());
}

void report_json(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct recording_info *info = &recording->info;
	struct tally_sum evicted = tally_sum_of_evicted(recording);
	printer_text(report->out, "{\"stmlog\": ");
	report_json_value(
		report, json_pack("{s:i, s:o}", "format", STMLOG_FILE_VERSION, "version", string(info->version)));
	report_json_member(report, "command", command_of(info));
	report_json_member(report, "runtime", string(info->runtime));
	report_json_member(report, "method", report_json_method(info));
	report_json_member(report, "processors", report_json_processors(info));
	report_json_member(report, "ending", report_json_ending(info));
	report_json_member(report, "clock", string(info->clock));
	report_json_member(report, "runs", integer(info->runs));
	report_json_member(report, "wall_ns", integer(info->wall_ns));
	report_json_processes(report);
	write_threads(report);
	report_json_member(report, "totals", totals_of(recording));
	report_json_member(report, "causes", causes_of(recording));
	write_entries(report);
	report_json_rows(report);
	report_json_losses(report);
	report_json_objects_fought_over(report);
	report_json_labels(report);
	report_json_by_thread(report);
	report_json_haskell_threads(report);
	report_json_transactions(report);
	report_json_callers(report);
	report_json_blocked(report);
	report_json_member(report, "blocked_spurious",
		info->blocked_spurious != RECORDING_UNSAID ? integer(info->blocked_spurious) : json_null());
	write_open(report);
	report_json_member(report, "evicted", cost_of(recording, evicted.count, estimate_of(recording, &evicted)));
	report_json_member(report, "wasted", report_json_wasted(recording, info->wasted_aborts, info->wasted_ns));
	report_json_member(report, "undecided", integer(info->undecided_aborts));
	report_json_member(report, "hardware", report_json_hardware(&report->recording->info));
	report_json_member(report, "probe", probe_of(recording));
	report_json_member(report, "sample", sample_of(recording));
	report_json_member(report, "losses", losses_of(info));
	report_json_work(report);
	printer_text(report->out, "}\n");
}
