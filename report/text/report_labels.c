/* SPDX-License-Identifier: MIT
 * The program's labels of data (label.h), table by table, with the part that each has of the losses of its table. */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"
#include "sort.h"
#include "utf8.h"

/* "account" of "account 17". */
static char *table_of(const char *text)
{
	char *table = memory_text(text), *to = table;
	for (; *text != '\0'; text++)
		if (*text < '0' || *text > '9')
			*to++ = *text;
	while (to > table && to[-1] == ' ')
		to--;
	*to = '\0';
	return table;
}

static int by_table(const void *left, const void *right)
{
	const struct report_label *a = left, *b = right;
	int order = sort_numbers(b->table_ns, a->table_ns);
	order = order != 0 ? order : strcmp(a->table, b->table);
	order = order != 0 ? order : sort_numbers(b->record->estimated_ns, a->record->estimated_ns);
	return order != 0 ? order : strcmp(a->record->text, b->record->text);
}

/* The number behind the last label of the table that begins with `from`. */
static size_t end_of_table(const struct report_labels *labels, size_t from)
{
	size_t end = from;
	while (end < labels->len && strcmp(labels->at[end].table, labels->at[from].table) == 0)
		end++;
	return end;
}

struct report_labels report_labels_make(const struct recording *recording)
{
	struct report_labels labels = {memory_zeroed(recording->label_count, sizeof *labels.at), 0};
	for (size_t i = 0; i < recording->label_count; i++)
		if (recording->labels[i].size == 0)
			labels.at[labels.len++] =
				(struct report_label){&recording->labels[i], table_of(recording->labels[i].text), 0};
	qsort(labels.at, labels.len, sizeof *labels.at, by_table);
	for (size_t from = 0, end; from < labels.len; from = end) {
		end = end_of_table(&labels, from);
		uint64_t ns = 0;
		for (size_t i = from; i < end; i++)
			ns += labels.at[i].record->estimated_ns;
		for (size_t i = from; i < end; i++)
			labels.at[i].table_ns = ns;
	}
	qsort(labels.at, labels.len, sizeof *labels.at, by_table);
	return labels;
}

void report_labels_fini(struct report_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		memory_free(labels->at[i].table);
	memory_free(labels->at);
}

static void add_row(struct report_table *table, const struct report_label *label)
{
	char *name = utf8_cleaned(memory_text(label->record->text));
	struct number share = number_share(label->record->estimated_ns, label->table_ns);
	struct number lost = number_time(label->record->estimated_ns), count = number_count(label->record->count);
	report_table_row(table, (const char *const[]){name, share.text, lost.text, count.text});
	memory_free(name);
}

void report_labels(const struct report *report)
{
	static const struct table_column columns[] = {
		{"label", TABLE_LEFT}, {"share", TABLE_RIGHT}, {"lost", TABLE_LOSS}, {"count", TABLE_RIGHT}, {0}};
	struct report_labels labels = report_labels_make(report->recording);
	for (size_t from = 0, end; from < labels.len; from = end) {
		end = end_of_table(&labels, from);
		size_t shown = end - from < report->options.top ? end - from : report->options.top;
		printer_bold(report->out, "Labels: ");
		printer_name(report->out, labels.at[from].table);
		printer_text(report->out, "\n");
		struct report_table *table = report_table_create(report->out, columns);
		for (size_t i = from; i < from + shown; i++)
			add_row(table, &labels.at[i]);
		report_table_finish(&table);
		report_rest(report, end - from - shown, "--top=N");
		printer_text(report->out, "\n");
	}
	report_labels_fini(&labels);
}
