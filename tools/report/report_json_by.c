/* SPDX-License-Identifier: MIT
 * Arrays of the JSON report: the rows of the first screen; sums of losses by pair, aggressor, site, object, label
 * and thread; processes; distributions of transactions, their callers, and those blocked. */
#include <stdio.h>

#include "callers.h"
#include "estimate.h"
#include "json_value.h"
#include "loss_sums.h"
#include "recorded_account.h"
#include "report_json.h"
#include "report_memory.h"
#include "screen.h"
#include "transactions.h"

/* ---- rows of the first screen ---- */

static json_t *frames_of(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	struct report_frames frames = report_frames_of(report, &traceback);
	json_t *array = json_array();
	for (size_t i = 0; i < frames.len; i++)
		json_array_append_new(array, report_json_frame(frames.at[i]));
	memory_free(frames.at);
	return array;
}

static json_t *losers_json(const struct report *report, const struct ranking_row *row)
{
	json_t *array = json_array();
	for (size_t i = 0; i < row->loser_count; i++)
		json_array_append_new(
			array, json_pack("{s:o, s:f, s:o}", "text", string(row->losers[i].text), "share",
				       row->losers[i].part, "frames", frames_of(report, row->losers[i].traceback)));
	return array;
}

static json_t *objects_json(const struct ranking_row *row)
{
	json_t *array = json_array();
	for (size_t i = 0; i < RANKING_OBJECTS_MAX; i++)
		if (row->objects[i] != NULL)
			json_array_append_new(array, string(row->objects[i]));
	return array;
}

static json_t *row_json(const struct report *report, const struct ranking_row *row)
{
	static const char *const kinds[RANKING_KINDS] = {"transaction", "libitm", "unknown"};
	bool has_data = row->data != RANKING_DATA_KINDS;
	json_t *object = json_pack("{s:s, s:o, s:o, s:o}", "kind", kinds[row->kind], "name", string(row->name), "line",
		string(row->line), "frames", frames_of(report, row->traceback));
	report_json_begin(report, object, row->traceback);
	report_json_estimate(object, &row->lost);
	json_object_set_new(object, "share", json_real(row->share));
	json_object_set_new(object, "count", integer(row->count));
	json_object_set_new(object, "may_be_higher", json_boolean(row->may_be_higher));
	json_object_set_new(object, "losers", losers_json(report, row));
	json_object_set_new(object, "how", json_string(ranking_how_name(row->how)));
	json_object_set_new(object, "how_share", json_real(row->how_part));
	json_object_set_new(object, "no_processor_ns", integer(row->off_processor_ns));
	json_object_set_new(object, "call", row->call != NULL ? string(row->call) : json_null());
	json_object_set_new(object, "data", has_data ? json_string(ranking_data_name(row->data)) : json_null());
	json_object_set_new(object, "objects", objects_json(row));
	json_object_set_new(object, "text",
		json_pack("{s:o, s:o, s:o}", "how", string(row->how_text), "data", string(row->data_text), "try",
			string(row->try_text)));
	return object;
}

/* The lines above the first screen. */
static void write_warnings(const struct report *report)
{
	struct screen_warnings warnings = screen_warnings_of(report->recording);
	size_t written = 0;
	report_json_array(report, "warnings");
	for (size_t i = 0; i < SCREEN_WARNINGS; i++) {
		if (warnings.at[i] != NULL)
			report_json_element(report, written++, string(warnings.at[i]));
		memory_free(warnings.at[i]);
	}
	printer_text(report->out, "]");
}

/* What the rows leave of all lost time. */
static json_t *others_json(const struct ranking *ranking)
{
	json_t *object = json_pack("{s:o}", "rows", integer(ranking->small_count));
	report_json_estimate(object, &ranking->small);
	json_object_set_new(object, "preempted_ns", integer(ranking->off_ns));
	json_object_set_new(object, "unmeasured_ns", integer(ranking->unmeasured_ns));
	json_object_set_new(object, "retried_ns", integer(ranking->retried_ns));
	json_object_set_new(object, "retries", integer(ranking->retries));
	return object;
}

void report_json_rows(const struct report *report)
{
	struct ranking ranking = ranking_of(report);
	write_warnings(report);
	report_json_array(report, "rows");
	for (size_t i = 0; i < ranking.len; i++)
		report_json_element(report, i, row_json(report, &ranking.rows[i]));
	printer_text(report->out, "]");
	report_json_member(report, "other_rows", others_json(&ranking));
	report_json_member(report, "wakes", ranking.wakes_text != NULL ? string(ranking.wakes_text) : json_null());
	ranking_fini(&ranking);
}

/* ---- by pair, aggressor and site ---- */

/* A share of the run's time; null: that is not known. */
static json_t *saves_at_max(const struct recording *recording, const struct tally_sum *sum)
{
	uint64_t wall_ns = recording->info.wall_ns;
	return wall_ns != 0 ? json_real((double)blame_bound_ns(recording, sum) / (double)wall_ns) : json_null();
}

static json_t *pair_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	json_t *object = json_object();
	json_object_set_new(object, "local", report_json_place(places, (uint32_t)row->key[0]));
	json_object_set_new(object, "remote", report_json_place(places, (uint32_t)row->key[1]));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "saves_at_most", saves_at_max(report->recording, &row->sum));
	return object;
}

static json_t *aggressor_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	(void)places;
	json_t *object = json_object();
	json_object_set_new(object, "remote", report_json_traceback(report, (uint32_t)row->key[0]));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "victims", integer(row->parts));
	return object;
}

/* Calls tally_drop(). */
static void write_tally(const struct report *report, const char *name, struct tally *tally, struct places *places,
	json_t *(*row_of)(const struct report *report, struct places *places, const struct tally_row *row))
{
	report_json_array(report, name);
	for (size_t i = 0; i < report_listed(report, tally); i++)
		report_json_element(report, i, row_of(report, places, tally->rows[i]));
	tally_drop(tally);
	printer_text(report->out, "]");
}

/* Evicted losses have no place; "evicted" tells them from losses at an unknown place. */
static json_t *site_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	json_t *object = json_object();
	bool is_evicted = row->key[0] == LOSS_SUMS_EVICTED;
	json_object_set_new(
		object, "local", is_evicted ? json_null() : report_json_place(places, (uint32_t)row->key[0]));
	json_object_set_new(object, "evicted", json_boolean(is_evicted));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "culprits", is_evicted ? json_null() : integer(row->parts));
	return object;
}

/* One tally at a time: each may be nearly as large as the recording. */
void report_json_losses(const struct report *report)
{
	const struct recording *recording = report->recording;
	enum tally_sort sort = report->options.sort;
	struct places *places = places_create(recording, report->symbols);
	struct tally tally = blame_pairs(recording, places, sort);
	write_tally(report, "pairs", &tally, places, pair_of);
	tally = blame_aggressors(recording, places, sort);
	write_tally(report, "aggressors", &tally, places, aggressor_of);
	tally = loss_sums_by_site(recording, places, sort);
	write_tally(report, "sites", &tally, places, site_of);
	places_destroy(&places);
}

/* ---- by object and by thread ---- */

/* Losses without a name are of unknown objects, or were evicted. */
static json_t *object_of(const struct report *report, const struct named_sums *objects, const struct tally_row *row)
{
	bool has_name = row->key[0] == NAMED_SUM;
	json_t *object = json_object();
	json_object_set_new(object, "name", has_name ? string(named_sums_name(objects, row)) : json_null());
	json_object_set_new(object, "evicted", json_boolean(row->key[0] == NAMED_SUM_EVICTED));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "false_conflicts", integer(row->sum.false_conflicts));
	return object;
}

void report_json_objects_fought_over(const struct report *report)
{
	struct named_sums objects = object_sums(report);
	report_json_array(report, "objects");
	for (size_t i = 0; i < report_listed(report, &objects.tally); i++)
		report_json_element(report, i, object_of(report, &objects, objects.tally.rows[i]));
	printer_text(report->out, "]");
	named_sums_fini(&objects);
}

static json_t *thread_of(const struct report *report, const struct places *places, const struct loss_sums_thread *row)
{
	json_t *others = json_pack("{s:o, s:o, s:o}", "count", integer(row->led_count), "measured_ns",
		integer(row->led_ns), "least_ns", integer(row->led_min_ns));
	json_t *object = json_pack("{s:o, s:o, s:o}", "id", integer(row->thread->id), "name",
		string(recording_string(report->recording, row->thread->name)), "count", integer(row->sum.count));
	report_json_estimate(object, &row->lost);
	json_object_set_new(object, "longest_ns", integer(row->sum.longest_ns));
	json_object_set_new(object, "descheduled_ns", integer(row->sum.descheduled_ns));
	json_object_set_new(object, "most_at", row->place_ns > 0 ? report_json_place(places, row->place) : json_null());
	json_object_set_new(object, "others", others);
	return object;
}

void report_json_by_thread(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct places *places = places_create(recording, report->symbols);
	struct loss_sums_thread *rows = loss_sums_by_thread(recording, places, report->options.sort);
	report_json_array(report, "by_thread");
	for (size_t i = 0; i < recording->thread_count && i < report->options.top; i++)
		report_json_element(report, i, thread_of(report, places, &rows[i]));
	printer_text(report->out, "]");
	free(rows);
	places_destroy(&places);
}

json_t *report_json_green(const struct stmlog_green_record *green)
{
	if (green == NULL)
		return json_null();
	return json_pack("{s:o, s:o}", "id", green->id != 0 ? integer(green->id) : json_null(), "label",
		green->label[0] != '\0' ? string(green->label) : json_null());
}

void report_json_haskell_threads(const struct report *report)
{
	const struct recording *recording = report->recording;
	report_json_array(report, "haskell_threads");
	for (size_t i = 0; i < recording->green_count; i++) {
		const struct stmlog_green_record *green = &recording->green[i];
		json_t *object = report_json_green(green);
		json_object_set_new(object, "count", integer(green->count));
		json_object_set_new(object, "estimated_ns", integer(green->estimated_ns));
		json_object_set_new(object, "others",
			json_pack("{s:o, s:o}", "count", integer(green->led_count), "estimated_ns",
				integer(green->led_estimated_ns)));
		report_json_element(report, i, object);
	}
	printer_text(report->out, "]");
}

/* ---- transactions ---- */

/* A histogram, [[bound, count]...]: `count` values are at most `bound` and above the bound before. The last bound is
 * null: its values may be any above the bound before. */
static json_t *buckets_of(const uint64_t *buckets, size_t len)
{
	json_t *array = json_array();
	for (size_t i = 0; i < len; i++)
		if (buckets[i] != 0)
			json_array_append_new(
				array, json_pack("[o, o]", i + 1 < len ? integer(distribution_bound(i)) : json_null(),
					       integer(buckets[i])));
	return array;
}

static json_t *attempts_of(const struct stmlog_transaction_record *record)
{
	struct transactions_summary attempts = transactions_attempts(record);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "sum", integer(record->attempts), "p50", integer(attempts.median),
		"p99", integer(attempts.p99), "most", integer(attempts.max), "buckets",
		buckets_of(record->by_attempts, STMLOG_ATTEMPT_BUCKETS));
}

static json_t *lost_of(const struct stmlog_transaction_record *record)
{
	struct transactions_summary lost = transactions_lost_ns(record);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "sum_ns", integer(record->lost_ns), "p50_ns",
		integer(lost.median), "p99_ns", integer(lost.p99), "longest_ns", integer(lost.max), "buckets",
		buckets_of(record->by_lost_ns, STMLOG_LOST_BUCKETS));
}

/* null: they are not known of any attempt. */
static json_t *reads_of(const struct stmlog_transaction_record *record)
{
	if (record->reads_known == 0)
		return json_null();
	return json_pack("{s:o, s:o}", "sum", integer(record->reads), "attempts", integer(record->reads_known));
}

static json_t *transactions_object(const struct places *places, const struct transactions_row *row)
{
	const struct stmlog_transaction_record *record = &row->record;
	double estimated_ns = record->estimated_committed_ns;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "begin", report_json_place(places, row->place),
		"commits", integer(record->commits), "estimated_commits",
		estimated_ns > 0 ? integer(estimate_whole(record->estimated_commits)) : json_null(), "committed_ns",
		estimated_ns > 0 ? integer(estimate_whole(estimated_ns)) : json_null(), "measured_ns",
		integer(record->committed_ns), "attempts", attempts_of(record), "lost", lost_of(record), "reads",
		reads_of(record));
}

void report_json_transactions(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct transactions all = transactions_make(report->recording, places, report->options.sort);
	report_json_array(report, "transactions");
	for (size_t i = 0; i < all.len && i < report->options.top; i++)
		report_json_element(report, i, transactions_object(places, &all.rows[i]));
	printer_text(report->out, "]");
	transactions_fini(&all);
	places_destroy(&places);
}

/* ---- transactions by their callers ---- */

/* The rows from `from` to before `to` that are part of no other row there, each with its own parts. */
static json_t *callers_of(const struct callers *callers, size_t from, size_t to)
{
	json_t *array = json_array();
	for (size_t i = from; i < to; i = callers_next(callers, i)) {
		const struct callers_row *row = &callers->rows[i];
		uint64_t commits = estimate_whole(row->commits), aborts = estimate_whole(row->aborts);
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "place",
						     report_json_place_of(row->frame, PLACE_UNKNOWN), "commits",
						     integer(commits), "attempts", integer(commits + aborts), "aborts",
						     integer(aborts), "measured_commits", integer(row->measured),
						     "callers", callers_of(callers, i + 1, callers_next(callers, i))));
	}
	return array;
}

void report_json_callers(const struct report *report)
{
	struct callers callers = callers_make(report->recording, report->symbols);
	report_json_array(report, "by_transaction");
	for (size_t i = 0, next, shown = 0; i < callers.len && shown < report->options.top; i = next, shown++) {
		json_t *one = callers_of(&callers, i, next = callers_next(&callers, i));
		report_json_element(report, shown, json_incref(json_array_get(one, 0)));
		json_decref(one);
	}
	printer_text(report->out, "]");
	callers_fini(&callers);
}

/* ---- blocked ---- */

static json_t *waited_for(const struct report *report, const struct blocked_row *row)
{
	uint64_t address = row->waits != NULL ? blocked_address(row->waits) : 0;
	char *name = address != 0 ? report_object_of(report, row->waits, address) : NULL;
	json_t *value = name != NULL ? string(name) : json_null();
	free(name);
	return value;
}

/* null: none is known. */
static json_t *waker_of(struct places *places, const struct blocked_row *row)
{
	struct blocked_waker waker = blocked_waker(places, row);
	return waker.count == 0 ? json_null()
				: json_pack("{s:o, s:o, s:o}", "begin", report_json_place(places, waker.place), "count",
					  integer(waker.count), "of", integer(row->record.wakes_known));
}

static json_t *blocked_object(const struct report *report, struct places *places, const struct blocked_row *row)
{
	const struct stmlog_blocked_record *record = &row->record;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "begin", report_json_place(places, row->place),
		"count", integer(record->count), "in_vain", integer(record->in_vain), "blocked_ns",
		integer(estimate_whole(record->estimated_ns)), "measured_ns", integer(record->blocked_ns), "longest_ns",
		integer(record->longest_ns));
	uint32_t waits = row->waits != NULL ? places_innermost(places, row->waits->local) : PLACE_UNKNOWN;
	uint32_t woken = row->woken != NULL ? places_innermost(places, row->woken->remote) : PLACE_UNKNOWN;
	json_object_set_new(object, "waits_at", report_json_place(places, waits));
	json_object_set_new(object, "object", waited_for(report, row));
	json_object_set_new(object, "woken_by", report_json_place(places, woken));
	json_object_set_new(object, "waker", waker_of(places, row));
	json_object_set_new(object, "for_ever", integer(record->for_ever));
	return object;
}

void report_json_blocked(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct blocked all = blocked_make(report->recording, places);
	report_json_array(report, "blocked");
	for (size_t i = 0; i < all.len && i < report->options.top; i++)
		report_json_element(report, i, blocked_object(report, places, &all.rows[i]));
	printer_text(report->out, "]");
	blocked_fini(&all);
	places_destroy(&places);
}

/* ---- labels of data ---- */

void report_json_labels(const struct report *report)
{
	struct report_labels labels = report_labels_make(report->recording);
	report_json_array(report, "labels");
	for (size_t i = 0; i < labels.len; i++) {
		const struct report_label *label = &labels.at[i];
		const struct stmlog_label_record *sum = label->record;
		double share = label->table_ns != 0 ? (double)sum->estimated_ns / (double)label->table_ns : 0;
		report_json_element(report, i,
			json_pack("{s:o, s:o, s:o, s:o, s:f}", "text", string(sum->text), "table", string(label->table),
				"count", integer(sum->count), "estimated_ns", integer(sum->estimated_ns), "share",
				share));
	}
	printer_text(report->out, "]");
	report_labels_fini(&labels);
}

/* ---- processes ---- */

static json_t *process_json(const struct process *process)
{
	const struct stmlog_process_record *record = &process->record;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pid",
		record->pid != 0 ? integer(record->pid) : json_null(), "program", string(process->program), "threads",
		integer(record->threads), "commits", integer(record->commits), "aborts", integer(record->aborts),
		"attached_ns", integer(record->attached_ns), "lost_ns", integer(process_lost_ns(process)));
	for (size_t row = 0; row < STMLOG_PROCESS_ROWS; row++) {
		char name[32];
		snprintf(name, sizeof name, "%s_ns", account_row_name(row));
		json_object_set_new(object, name, integer(record->row_ns[row]));
	}
	return object;
}

void report_json_processes(const struct report *report)
{
	report_json_array(report, "processes");
	for (size_t i = 0; i < processes_count(report->recording); i++) {
		struct process process = processes_at(report->recording, i);
		report_json_element(report, i, process_json(&process));
	}
	printer_text(report->out, "]");
}
