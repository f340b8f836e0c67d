/* SPDX-License-Identifier: MIT
 * Prints the table of threads. */
#include "recorded_account.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"
#include "utf8.h"

enum { AT_A_GLANCE = 16 };

/* Columns that are left out if a recording has no use for them. */
struct optional {
	bool has_runtime; /* threads belong to several runtimes */
	bool has_blocked;
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

static bool is_shown(const struct optional *optional, size_t column)
{
	return (column != RUNTIME || optional->has_runtime) && (column != BLOCKED || optional->has_blocked);
}

static void put_row(struct report_table *table, const struct optional *optional, const char *const cells[COLUMNS])
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
	put_row(table, &optional,
		(const char *const[COLUMNS]){id.text, clean, runtime, attached.text,
			shares[STMLOG_ACCOUNT_COMMITTED].text, shares[STMLOG_ACCOUNT_ABORTED].text,
			shares[STMLOG_ACCOUNT_PAUSED].text, shares[STMLOG_ACCOUNT_WAITING].text,
			shares[STMLOG_ACCOUNT_BLOCKED].text, shares[STMLOG_ACCOUNT_DESCHEDULED].text,
			shares[STMLOG_ACCOUNT_OTHER].text, shares[STMLOG_ACCOUNT_OUTSIDE].text, commits.text,
			aborts.text});
	memory_free(clean);
	memory_free(runtime);
}

static void print_table(const struct report *report, const struct table_column *columns)
{
	const struct recording *recording = report->recording;
	size_t count = recording->thread_count;
	size_t shown = report->options.is_full || count <= AT_A_GLANCE ? count : AT_A_GLANCE;
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
	print_table(report, columns);
	if (recording_is_sampled(report->recording))
		printer_text(report->out, "shares are estimates; --json has the interval of each\n");
}
