/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"

static void add(struct column *column, uint64_t number)
{
	column->at = memory_grown(column->at, column->len, &column->cap, sizeof *column->at);
	column->at[column->len++] = number;
}

void columns_add_row(struct column *columns, size_t len, const uint64_t *numbers)
{
	for (size_t i = 0; i < len; i++)
		add(&columns[i], numbers[i]);
}

void columns_fini(struct column *columns, size_t len)
{
	for (size_t i = 0; i < len; i++)
		free(columns[i].at);
}

static void write_column(const struct report *report, const struct column *column, size_t from)
{
	printer_text(report->out, "[");
	for (size_t i = from; i < column->len; i++)
		printer_format(report->out, "%s%" PRIu64, i > from ? "," : "", column->at[i]);
	printer_text(report->out, "]");
}

void columns_write(const struct report *report, const char *name, const struct column *columns,
	const char *const *names, size_t len, size_t max)
{
	size_t left_out = columns[0].len > max ? columns[0].len - max : 0;
	printer_format(report->out, ",\n \"%s\": {\"left_out\": %zu", name, left_out);
	for (size_t i = 0; i < len; i++) {
		printer_format(report->out, ",\n  \"%s\": ", names[i]);
		write_column(report, &columns[i], left_out);
	}
	printer_text(report->out, "}");
}
