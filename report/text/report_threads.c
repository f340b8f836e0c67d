/* SPDX-License-Identifier: MIT
 * Counts and tables of the processes, threads and green threads of a recording. GHC is the only runtime that has green
 * threads, so they are Haskell threads here. */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "number.h"
#include "printer.h"
#include "recorded_account.h"
#include "report.h"
#include "report_memory.h"
#include "saturate.h"
#include "sort.h"
#include "utf8.h"

_Static_assert(STMLOG_PROCESS_ROWS == STMLOG_ACCOUNT_ROWS, "the record of a process has each row");

/* How many rows a table has unless the report is full. */
enum { THREADS_AT_A_GLANCE = 16, GREENS_AT_A_GLANCE = 8 };

/* ---- how many ---- */

uint64_t report_thread_count(const struct recording *recording)
{
	uint64_t count = recording->info.threads_dropped;
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		count += thread->id != 0 && (thread->flags & STMLOG_THREAD_SPARE) == 0;
	}
	return count;
}

char *report_threads_text(const struct recording *recording)
{
	uint64_t threads = report_thread_count(recording), processors = recording->info.processors;
	const char *one = recording_is_haskell(recording) ? "capability" : "thread";
	const char *many = recording_is_haskell(recording) ? "capabilities" : "threads";
	const char *word = threads == 1 ? one : many;
	size_t processes = recording->process_count;
	char *text = processes > 1 ? memory_format("%s processes, %s %s", number_count(processes).text,
					     number_count(threads).text, word)
				   : memory_format("%s %s", number_count(threads).text, word);
	if (processors == 0)
		return text;
	char *whole =
		memory_format("%s on %s processor%s", text, number_count(processors).text, processors == 1 ? "" : "s");
	memory_free(text);
	return whole;
}

/* ---- processes ---- */

static struct process single(const struct recording *recording)
{
	struct recorded_account total = account_total(recording);
	struct process process = {
		symbol_basename(recording->info.program), {.pid = recording->info.pid,
								  .threads = report_thread_count(recording),
								  .attached_ns = total.attached_ns,
								  .commits = total.commits,
								  .aborts = total.aborts}};
	memcpy(process.record.row_ns, recording->row_ns, sizeof recording->row_ns);
	return process;
}

size_t processes_count(const struct recording *recording)
{
	return recording->process_count != 0 ? recording->process_count : 1;
}

struct process processes_at(const struct recording *recording, size_t i)
{
	REQUIRES(i < processes_count(recording));
	if (recording->process_count == 0)
		return single(recording);
	return (struct process){recording_string(recording, recording->processes[i].program), recording->processes[i]};
}

uint64_t process_lost_ns(const struct process *process)
{
	const uint64_t *ns = process->record.row_ns;
	uint64_t waited_ns = saturated_sum(ns[STMLOG_ACCOUNT_PAUSED], ns[STMLOG_ACCOUNT_WAITING]);
	return saturated_sum(ns[STMLOG_ACCOUNT_ABORTED], waited_ns);
}

static const char *program_of(const struct recording *recording, size_t i)
{
	return recording_string(recording, recording->processes[i].program);
}

static char *with_program(char *text, const char *program, size_t count)
{
	const char *between = text[0] != '\0' ? ", " : "";
	char *longer = count > 1 ? memory_format("%s%s%s x%s", text, between, program, number_count(count).text)
				 : memory_format("%s%s%s", text, between, program);
	memory_free(text);
	return longer;
}

char *processes_programs(const struct recording *recording)
{
	enum { ENOUGH = 200 };
	char *text = memory_text("");
	size_t groups = 0, len = recording->process_count;
	for (size_t i = 0, next; i < len && strlen(text) < ENOUGH; i = next, groups++) {
		next = i + 1;
		while (next < len && strcmp(program_of(recording, next), program_of(recording, i)) == 0)
			next++;
		text = with_program(text, program_of(recording, i), next - i);
	}
	if (groups > 1)
		return utf8_cleaned(text);
	memory_free(text);
	return NULL;
}

/* ---- the table of threads ---- */

/* Columns that are left out if a recording has no use for them. */
struct optional {
	bool has_runtime; /* threads belong to several runtimes */
	bool has_blocked;
};

/* The cells of a row or the titles, for all columns. */
enum {
	ID,
	NAME,
	RUNTIME,
	ATTACHED,
	COMMITTED,
	ABORTED,
	PAUSED,
	WAITING,
	BLOCKED,
	DESCHEDULED,
	OTHER,
	OUTSIDE,
	COMMITS,
	ABORTS,
	COLUMNS
};

static struct optional optional_of(const struct recording *recording)
{
	struct optional optional = {false, false};
	size_t first = recording->thread_count > 0 && recording->threads[0].id == 0; /* skips the remainder */
	for (size_t i = first; i < recording->thread_count; i++)
		optional.has_runtime |= recording->threads[i].runtime != recording->threads[first].runtime;
	for (size_t i = 0; i < recording->thread_count; i++)
		optional.has_blocked |= recording->threads[i].blocked != 0;
	return optional;
}

static bool is_shown(const struct optional *optional, size_t column)
{
	return (column != RUNTIME || optional->has_runtime) && (column != BLOCKED || optional->has_blocked);
}

static void put_thread_row(
	struct report_table *table, const struct optional *optional, const char *const cells[COLUMNS])
{
	const char *shown[COLUMNS];
	size_t len = 0;
	for (size_t column = 0; column < COLUMNS; column++)
		if (is_shown(optional, column))
			shown[len++] = cells[column];
	report_table_row(table, shown);
}

static void thread_row(
	const struct report *report, struct report_table *table, const struct stmlog_thread_record *thread)
{
	struct recorded_account account = account_of(report->recording, thread);
	struct account_rows rows = account_rows(report->recording, thread);
	struct optional optional = optional_of(report->recording);
	struct number id = number_count(thread->id);
	struct number attached = number_time(account.attached_ns);
	struct number commits = number_count(account.commits), aborts = number_count(account.aborts);
	struct number shares[STMLOG_ACCOUNT_ROWS];
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		shares[row] = number_share(rows.at[row].ns, account.attached_ns);
	const char *name = thread->id != 0 ? recording_string(report->recording, thread->name) : "(all others)";
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	char *runtime = utf8_clean(recording_string(report->recording, thread->runtime), UTF8_HIDE_CONTROLS);
	put_thread_row(table, &optional,
		(const char *const[COLUMNS]){id.text, clean, runtime, attached.text,
			shares[STMLOG_ACCOUNT_COMMITTED].text, shares[STMLOG_ACCOUNT_ABORTED].text,
			shares[STMLOG_ACCOUNT_PAUSED].text, shares[STMLOG_ACCOUNT_WAITING].text,
			shares[STMLOG_ACCOUNT_BLOCKED].text, shares[STMLOG_ACCOUNT_DESCHEDULED].text,
			shares[STMLOG_ACCOUNT_OTHER].text, shares[STMLOG_ACCOUNT_OUTSIDE].text, commits.text,
			aborts.text});
	memory_free(clean);
	memory_free(runtime);
}

static void print_thread_table(const struct report *report, const struct table_column *columns)
{
	const struct recording *recording = report->recording;
	size_t count = recording->thread_count;
	size_t shown = report->options.is_full || count <= THREADS_AT_A_GLANCE ? count : THREADS_AT_A_GLANCE;
	printer_bold(report->out, "Threads\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		thread_row(report, table, &recording->threads[i]);
	report_table_finish(&table);
	if (shown < count)
		printer_format(report->out, "... %zu more (--full)\n", count - shown);
}

void report_threads(const struct report *report)
{
	static const struct table_column all[COLUMNS] = {{"id", TABLE_RIGHT}, {"name", TABLE_LEFT},
		{"runtime", TABLE_LEFT}, {"attached", TABLE_RIGHT}, {"committed", TABLE_RIGHT},
		{"aborted", TABLE_RIGHT}, {"paused", TABLE_RIGHT}, {"waiting", TABLE_RIGHT}, {"blocked", TABLE_RIGHT},
		{"descheduled", TABLE_RIGHT}, {"other", TABLE_RIGHT}, {"outside", TABLE_RIGHT},
		{"commits", TABLE_RIGHT}, {"aborts", TABLE_RIGHT}};
	struct table_column columns[COLUMNS + 1] = {{0}};
	struct optional optional = optional_of(report->recording);
	size_t len = 0;
	for (size_t column = 0; column < COLUMNS; column++)
		if (is_shown(&optional, column))
			columns[len++] = all[column];
	print_thread_table(report, columns);
	if (recording_is_sampled(report->recording))
		printer_text(report->out, "shares are estimates; --json has the interval of each\n");
}

/* ---- green threads ---- */

/* `17 "reader"`, `17`, or of several threads `"reader"`. */
static char *green_name(const struct stmlog_green_record *green)
{
	char *label = utf8_clean(green->label, UTF8_HIDE_CONTROLS);
	char *quoted = label[0] != '\0' ? memory_format("\"%s\"", label) : memory_text("");
	char *name = green->id != 0 ? memory_format("%" PRIu64 "%s%s", green->id, label[0] != '\0' ? " " : "", quoted)
				    : memory_text(quoted);
	memory_free(quoted);
	memory_free(label);
	return name;
}

char *report_green(const struct report *report, uint16_t number)
{
	const struct stmlog_green_record *green = recording_green(report->recording, number);
	char *name = green != NULL ? green_name(green) : NULL;
	char *text = name != NULL ? memory_format(" (Haskell %s)", name) : memory_text("");
	memory_free(name);
	return text;
}

/* Threads that lose and those because of which others lose come first. */
static uint64_t by_loss(const void *element, unsigned rank, const void *arg)
{
	const struct stmlog_green_record *green = *(const struct stmlog_green_record *const *)element;
	(void)rank;
	(void)arg;
	return UINT64_MAX - (green->estimated_ns + green->led_estimated_ns);
}

/* The records that have any loss. Returns how many there are. */
static size_t greens_sorted(const struct recording *recording, const struct stmlog_green_record **rows)
{
	size_t len = 0;
	for (size_t i = 0; i < recording->green_count; i++)
		if ((recording->green[i].count | recording->green[i].led_count) != 0)
			rows[len++] = &recording->green[i];
	sort(rows, len, sizeof *rows, by_loss, 1, NULL);
	return len;
}

static void add_green_row(struct report_table *table, const struct stmlog_green_record *green)
{
	char *name = green_name(green);
	struct number lost = number_time(green->estimated_ns), count = number_count(green->count);
	struct number led = number_time(green->led_estimated_ns), led_count = number_count(green->led_count);
	const char *cells[] = {name, lost.text, count.text, led.text, led_count.text};
	report_table_row(table, cells);
	memory_free(name);
}

void report_greens(const struct report *report)
{
	static const struct table_column columns[] = {{"thread", TABLE_LEFT}, {"lost", TABLE_LOSS},
		{"count", TABLE_RIGHT}, {"made others lose", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	const struct stmlog_green_record **rows = memory_zeroed(recording->green_count, sizeof *rows);
	size_t len = greens_sorted(recording, rows);
	size_t shown = report->options.is_full || len <= GREENS_AT_A_GLANCE ? len : GREENS_AT_A_GLANCE;
	if (len != 0)
		printer_bold(report->out, "Haskell threads\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		add_green_row(table, rows[i]);
	report_table_finish(&table);
	report_rest(report, len - shown, "--full");
	if (len != 0)
		printer_text(report->out, recording_is_sampled(recording)
						  ? "counts are of measured conflicts, times are estimates\n\n"
						  : "\n");
	memory_free(rows);
}
