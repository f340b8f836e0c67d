/* SPDX-License-Identifier: MIT
 * The processes of a run: the table of report --by=process, and the JSON report's array. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "estimate.h"
#include "json_value.h"
#include "memory.h"
#include "number.h"
#include "recorded_account.h"
#include "report_json.h"
#include "report_table.h"
#include "report_views.h"
#include "saturate.h"
#include "sort.h"
#include "utf8.h"

/* ---- the table ---- */

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

static void print_row(const struct report *report, struct report_table *table, const struct process *process)
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
		print_row(report, table, &processes[i]);
	report_table_finish(&table);
	report_rest(report, count - shown, "--top=N");
	printer_text(report->out, "'of its time' is the lost share of a process's time on processors\n");
	free(processes);
}

/* ---- JSON ---- */

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
