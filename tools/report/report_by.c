/* SPDX-License-Identifier: MIT
 * The tables of losses by place, by pair of places, by object, by thread, by cause and by process, and of
 * transactions by place and caller. */
#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/causes.h>

#include "callers.h"
#include "estimate.h"
#include "loss_sums.h"
#include "memory.h"
#include "number.h"
#include "printer.h"
#include "recorded_account.h"
#include "report.h"
#include "report_views.h"
#include "saturate.h"
#include "sort.h"
#include "utf8.h"

/* ---- places ---- */

static char *site_name(const struct report *report, const struct places *places, uint64_t key)
{
	return key != LOSS_SUMS_EVICTED ? report_spot(report, places, (uint32_t)key) : memory_text("(evicted)");
}

static void site_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	bool is_evicted = row->key[0] == LOSS_SUMS_EVICTED;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), culprits = number_count(row->parts);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {name, lost.text, share.text, count.text, is_evicted ? "-" : longest.text,
		is_evicted ? "-" : wasted.text, is_evicted ? "-" : culprits.text, is_evicted ? "-" : descheduled.text};
	report_table_row(table, cells);
}

void report_sites(const struct report *report)
{
	static const struct table_column columns[] = {{"where", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT},
		{"culprits", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct tally sites = loss_sums_by_site(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &sites);
	report_heading(report, "Where time was lost:", &sites, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *name = site_name(report, places, sites.rows[i]->key[0]);
		site_row(report, table, name, sites.rows[i]);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &sites, shown, "place", "places");
	tally_drop(&sites);
	places_destroy(&places);
}

/* ---- objects: what was lost over each, and how much of that by false conflicts ---- */

static void object_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_sum *sum)
{
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), false_conflicts = number_count(sum->false_conflicts);
	struct number false_share = number_share(sum->false_conflicts, sum->count);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {
		name, lost.text, share.text, count.text, false_conflicts.text, false_share.text, descheduled.text};
	report_table_row(table, cells);
}

void report_by_object(const struct report *report)
{
	static const struct table_column columns[] = {{"object", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"false", TABLE_RIGHT}, {"of count", TABLE_RIGHT},
		{"descheduled", TABLE_RIGHT}, {0}};
	struct named_sums objects = object_sums(report);
	size_t shown = report_shown(report, &objects.tally);
	report_heading(report, "What was fought over:", &objects.tally, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = objects.tally.rows[i];
		char *name = utf8_clean(named_sums_name(&objects, row), UTF8_HIDE_CONTROLS);
		object_row(report, table, name, &row->sum);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &objects.tally, shown, "object", "objects");
	printer_text(report->out, "counts are what is known of each at least, and times are shared out by them\n");
	named_sums_fini(&objects);
}

/* ---- threads ---- */

static char *thread_name(const struct report *report, const struct stmlog_thread_record *thread)
{
	if (thread->id == 0)
		return memory_text("(all others)");
	return utf8_clean(recording_string(report->recording, thread->name), UTF8_HIDE_CONTROLS);
}

static void thread_row(const struct report *report, struct report_table *table, const struct places *places,
	const struct loss_sums_thread *row)
{
	char *name = thread_name(report, row->thread);
	char *place = row->place_ns > 0 ? report_spot(report, places, row->place) : memory_text("-");
	uint64_t all_ns = estimate_of_total(report->recording).ns;
	struct number id = number_count(row->thread->id), lost = estimate_number(&row->lost);
	struct number share = number_share(row->lost.ns, all_ns), count = number_count(row->sum.count);
	struct number descheduled = number_time(row->sum.descheduled_ns);
	struct number longest = number_time(row->sum.longest_ns), led = number_time(row->led_ns);
	struct number min = number_time(row->led_min_ns);
	const char *cells[] = {id.text, name, lost.text, share.text, count.text, longest.text, descheduled.text, place,
		min.text, led.text};
	report_table_row(table, cells);
	free(place);
	free(name);
}

void report_by_thread(const struct report *report)
{
	static const struct table_column columns[] = {{"id", TABLE_RIGHT}, {"thread", TABLE_LEFT}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT},
		{"most at", TABLE_PLACE}, {"others, at least", TABLE_RIGHT}, {"their entries", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	struct places *places = places_create(recording, report->symbols);
	struct loss_sums_thread *rows = loss_sums_by_thread(recording, places, report->options.sort);
	size_t count = recording->thread_count;
	size_t shown = report->options.top < count ? report->options.top : count;
	printer_bold(report->out, "Who lost:");
	printer_format(report->out, " %zu of %zu threads, evicted losses included\n", shown, count);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		thread_row(report, table, places, &rows[i]);
	report_table_finish(&table);
	report_rest(report, count - shown, "--top=N");
	printer_text(report->out, "an entry knows the threads of its longest loss: 'longest' and 'most at' are of\n"
				  "the entries that so name the thread; others lost 'at least' the longest of\n"
				  "those that name it as the culprit, of all in these\n");
	free(rows);
	places_destroy(&places);
}

/* ---- causes, whatever the place ---- */

/* Counts and times are from the totals, which are complete; only the entries have the other members. */
static struct tally causes_of(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct tally causes = tally_make(recording, recording->total_count + recording->entry_count);
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		tally_add(&causes, total->reason, total->contention, &sum);
	}
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		sum.count = sum.lost_ns = 0;
		sum.surplus_ns = sum.variance_ns2 = 0;
		tally_add(&causes, entry->reason, entry->contention, &sum);
	}
	tally_group(&causes, report->options.sort);
	return causes;
}

static void cause_row(const struct report *report, struct report_table *table, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number each = number_time(sum->count != 0 ? sum->lost_ns / sum->count : 0);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {stmlog_reason_name((uint32_t)row->key[0]), stmlog_contention_name((uint32_t)row->key[1]),
		lost.text, share.text, count.text, each.text, longest.text, wasted.text, descheduled.text};
	report_table_row(table, cells);
}

void report_causes(const struct report *report)
{
	static const struct table_column columns[] = {{"reason", TABLE_CAUSE}, {"contention", TABLE_LEFT},
		{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"each", TABLE_RIGHT},
		{"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct tally causes = causes_of(report);
	size_t shown = report_shown(report, &causes);
	printer_bold(report->out, "Causes\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		cause_row(report, table, causes.rows[i]);
	report_table_finish(&table);
	report_ends(report, &causes, shown, "cause", "causes");
	if (report->recording->evicted_count > 0)
		printer_format(report->out,
			"'longest', 'for nothing' and 'descheduled' are without the %s losses evicted\n",
			number_count(report->recording->evicted_count).text);
	tally_drop(&causes);
}

/* ---- pairs of places: who aborts whom ---- */

static void pair_row(const struct report *report, struct report_table *table, const struct places *places,
	const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	char *local = report_spot(report, places, (uint32_t)row->key[0]);
	char *remote = report_spot(report, places, (uint32_t)row->key[1]);
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	uint64_t bound_ns = blame_bound_ns(report->recording, sum);
	struct number bound = number_share(bound_ns, report->recording->info.wall_ns);
	const char *cells[] = {local, remote, lost.text, share.text, count.text, longest.text, wasted.text,
		descheduled.text, bound.text};
	report_table_row(table, cells);
	free(remote);
	free(local);
}

void report_pairs(const struct report *report)
{
	static const struct table_column columns[] = {{"where", TABLE_PLACE}, {"lost to", TABLE_CULPRIT},
		{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT},
		{"for nothing", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {"saves at most", TABLE_RIGHT}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct tally pairs = blame_pairs(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &pairs);
	report_heading(report, "Who aborts whom:", &pairs, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		pair_row(report, table, places, pairs.rows[i]);
	report_table_finish(&table);
	report_ends(report, &pairs, shown, "pair", "pairs");
	if (shown > 0)
		printer_text(report->out,
			"'saves at most': of the run's time, without this conflict; a bound, since\n"
			"threads lose at the same time as others work, and what is let through may meet\n"
			"the next conflict\n");
	tally_drop(&pairs);
	places_destroy(&places);
}

/* ---- processes ---- */

static uint64_t costliest_first(const void *element, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return UINT64_MAX - process_lost_ns(element);
}

/* The caller frees them. */
static struct process *sorted_processes(const struct recording *recording)
{
	size_t count = processes_count(recording);
	struct process *processes = memory_zeroed(count, sizeof *processes);
	for (size_t i = 0; i < count; i++)
		processes[i] = processes_at(recording, i);
	sort(processes, count, sizeof *processes, costliest_first, 1, NULL);
	return processes;
}

static void process_row(const struct report *report, struct report_table *table, const struct process *process)
{
	const struct stmlog_process_record *record = &process->record;
	uint64_t lost_ns = process_lost_ns(process);
	struct estimate lost = {.ns = lost_ns, .is_exact = !recording_is_sampled(report->recording)};
	struct number threads = number_count(record->threads), commits = number_count(record->commits);
	struct number aborts = number_count(record->aborts), time = estimate_point(&lost);
	uint64_t off_ns = record->row_ns[STMLOG_ACCOUNT_DESCHEDULED];
	struct number share = number_share(lost_ns, saturated_difference(record->attached_ns, off_ns));
	char *pid = record->pid != 0 ? memory_format("%" PRIu64, record->pid) : memory_text("-");
	char *program = utf8_clean(process->program, UTF8_HIDE_CONTROLS);
	const char *cells[] = {pid, program, threads.text, commits.text, aborts.text, time.text, share.text};
	report_table_row(table, cells);
	free(program);
	free(pid);
}

void report_by_process(const struct report *report)
{
	static const struct table_column columns[] = {{"pid", TABLE_RIGHT}, {"program", TABLE_LEFT},
		{"threads", TABLE_RIGHT}, {"commits", TABLE_RIGHT}, {"aborts", TABLE_RIGHT}, {"lost", TABLE_LOSS},
		{"of its time", TABLE_RIGHT}, {0}};
	struct process *processes = sorted_processes(report->recording);
	size_t count = processes_count(report->recording);
	size_t shown = report->options.top < count ? report->options.top : count;
	printer_bold(report->out, "Processes:");
	printer_format(report->out, " %zu of %zu, the costliest first\n", shown, count);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		process_row(report, table, &processes[i]);
	report_table_finish(&table);
	report_rest(report, count - shown, "--top=N");
	printer_text(report->out, "'of its time' is the lost share of a process's time on processors\n");
	free(processes);
}

/* ---- transactions: how often those of each place commit and abort, and by which callers they begin ---- */

/* "1,234", or "~ 1,234" if it is an estimate. */
static char *count_text(const struct callers *callers, double count)
{
	bool is_estimate = callers->has_callers && !callers->is_exact;
	return memory_format("%s%s", is_estimate ? "~ " : "", number_count(estimate_whole(count)).text);
}

/* Aborted attempts for each commit, as "0.42"; "-" without commits. */
static char *ratio_text(double aborts, double commits)
{
	return commits >= 0.5 ? memory_format("%.2f", aborts / commits) : memory_text("-");
}

static void add_row(
	const struct callers *callers, struct report_table *table, const char *name, const struct callers_row *row)
{
	char *commits = count_text(callers, row->commits), *aborts = count_text(callers, row->aborts);
	char *attempts = count_text(callers, row->commits + row->aborts);
	char *ratio = ratio_text(row->aborts, row->commits);
	bool has_measured = callers->has_callers && !callers->is_exact;
	struct number measured = number_count(row->measured);
	const char *cells[] = {name, commits, attempts, aborts, ratio, has_measured ? measured.text : NULL};
	report_table_row(table, cells);
	free(commits);
	free(attempts);
	free(aborts);
	free(ratio);
}

/* A caller stands further to the right than the row that it is a part of. */
static char *callers_name_of(const struct report *report, const struct callers_row *row)
{
	enum { INDENT = 2, MAX_INDENT = 24 };
	unsigned indent = row->level * INDENT < MAX_INDENT ? row->level * INDENT : MAX_INDENT;
	const char *otherwise = row->level > 0 ? "(no further caller)" : place_fixed_name(PLACE_UNKNOWN);
	char *spot = row->frame != NULL ? utf8_cleaned(report_spot_of(report, row->frame)) : memory_text(otherwise);
	char *name = memory_format("%*s%s%s", (int)indent, "", row->level > 0 ? "from " : "", spot);
	free(spot);
	return name;
}

/* Prints the first rows of each level within the range. Returns how many of all levels were left out. */
static size_t add_rows(
	const struct report *report, struct report_table *table, const struct callers *callers, size_t from, size_t to)
{
	size_t left_out = 0;
	for (size_t row = from, shown = 0; row < to; row = callers_next(callers, row), shown++) {
		if (shown == report->options.top)
			return left_out + to - row;
		char *name = callers_name_of(report, &callers->rows[row]);
		add_row(callers, table, name, &callers->rows[row]);
		free(name);
		left_out += add_rows(report, table, callers, row + 1, callers_next(callers, row));
	}
	return left_out;
}

static void print_heading(const struct report *report, const struct callers *callers)
{
	printer_bold(report->out, "Transactions");
	printer_text(report->out, " and the callers in which they differ; ratio: aborted attempts for each commit\n");
	if (!callers->has_callers)
		printer_format(report->out,
			"those%s that have committed; 'stmlog record --paths' keeps their callers\n",
			callers->is_exact ? "" : " measured");
	else if (!callers->is_exact)
		printer_text(report->out, "~ is an estimate from those measured; the sums of all are exact\n");
}

static void print_table(const struct report *report, const struct callers *callers)
{
	static const struct table_column columns[] = {{"begin at", TABLE_LEFT}, {"commits", TABLE_RIGHT},
		{"attempts", TABLE_RIGHT}, {"aborted", TABLE_RIGHT}, {"ratio", TABLE_RIGHT}, {"measured", TABLE_RIGHT},
		{0}};
	struct report_table *table = report_table_create(report->out, columns);
	size_t left_out = add_rows(report, table, callers, 0, callers->len);
	struct callers exact = {.is_exact = true};
	struct callers_row sum = {.commits = callers->commits, .aborts = callers->aborts};
	for (size_t row = 0; row < callers->len; row = callers_next(callers, row))
		sum.measured += callers->rows[row].measured;
	exact.has_callers = callers->has_callers;
	add_row(&exact, table, "all", &sum);
	report_table_finish(&table);
	report_rest(report, left_out, "--top=N");
}

void report_by_transaction(const struct report *report)
{
	struct callers callers = callers_make(report->recording, report->symbols);
	if (callers.len != 0) {
		print_heading(report, &callers);
		print_table(report, &callers);
	} else {
		printer_text(report->out, "No transaction was measured\n");
	}
	callers_fini(&callers);
}
