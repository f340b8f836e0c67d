/* SPDX-License-Identifier: MIT */
#include "report_table.h"

#include <stdint.h>
#include <string.h>

#include "fit.h"
#include "report_memory.h"

enum { SEPARATOR = 2 };

struct row {
	struct row *next;
	char *cells[];
};

/* Invariant: widths[i] >= the width of each cell of column i, until fit(). */
struct report_table {
	struct printer printer;
	bool *is_right;
	size_t column_count;
	size_t *widths;
	struct row *first, **end; /* the first row has the names of the columns */
};

/* ---- cells ---- */

static bool is_plain(const struct printer *printer, const char *at)
{
	unsigned char byte = (unsigned char)*at;
	bool is_control = byte < 0x20 || byte == 0x7f;
	return !is_control && (byte < 0x80 || printer->is_utf8) && !(at[0] == '\\' && at[1] == 'x');
}

/* A copy in which \xNN stands for each byte that cannot be shown. */
static char *shown(const struct printer *printer, const char *text)
{
	char *copy = memory_zeroed(strlen(text) + 1, sizeof "\\xNN" - 1), *to = copy;
	for (; *text != '\0'; text++) {
		if (is_plain(printer, text)) {
			*to++ = *text;
			continue;
		}
		unsigned char byte = (unsigned char)*text;
		*to++ = '\\';
		*to++ = 'x';
		*to++ = "0123456789abcdef"[byte >> 4];
		*to++ = "0123456789abcdef"[byte & 15];
	}
	return copy;
}

/* ---- making it ---- */

static struct row *add_row(struct report_table *table)
{
	struct row *row = memory_zeroed(1, sizeof *row + table->column_count * sizeof row->cells[0]);
	*table->end = row;
	table->end = &row->next;
	return row;
}

static void set_cell(struct report_table *table, struct row *row, size_t i, const char *text)
{
	row->cells[i] = shown(&table->printer, text != NULL ? text : "");
	size_t width = fit_width(row->cells[i]);
	if (width > table->widths[i])
		table->widths[i] = width;
}

struct report_table *report_table_create(const struct printer *printer, const struct table_column *columns)
{
	struct report_table *table = memory_zeroed(1, sizeof *table);
	*table = (struct report_table){.printer = *printer, .end = &table->first};
	while (columns[table->column_count].name != NULL)
		table->column_count++;
	table->widths = memory_zeroed(table->column_count, sizeof *table->widths);
	table->is_right = memory_zeroed(table->column_count, sizeof *table->is_right);
	struct row *names = add_row(table);
	for (size_t i = 0; i < table->column_count; i++) {
		set_cell(table, names, i, columns[i].name);
		table->is_right[i] = columns[i].align == TABLE_RIGHT;
	}
	return table;
}

void report_table_row(struct report_table *table, const char *const *cells)
{
	struct row *row = add_row(table);
	for (size_t i = 0; i < table->column_count; i++)
		set_cell(table, row, i, cells[i]);
}

/* ---- printing it ---- */

/* The width of the widest column that can be cut: a left-aligned one that is wider than its name. NULL: there is none.
 */
static size_t *widest(const struct report_table *table)
{
	size_t *found = NULL;
	for (size_t i = 0; i < table->column_count; i++) {
		bool may_shrink = !table->is_right[i] && table->widths[i] > fit_width(table->first->cells[i]);
		if (may_shrink && (found == NULL || table->widths[i] > *found))
			found = &table->widths[i];
	}
	return found;
}

static void fit(struct report_table *table, size_t most)
{
	size_t width = (table->column_count - 1) * SEPARATOR, *column;
	for (size_t i = 0; i < table->column_count; i++)
		width += table->widths[i];
	for (; width > most && (column = widest(table)) != NULL; width--)
		--*column;
}

/* Spaces are printed only if text follows, so that no line ends in spaces. */
static void print_row(const struct report_table *table, const struct row *row)
{
	size_t spaces = 0;
	for (size_t i = 0; i < table->column_count; i++) {
		const char *cell = row->cells[i];
		size_t width = fit_width(cell), shown_width = width < table->widths[i] ? width : table->widths[i];
		size_t rest = table->widths[i] - shown_width;
		spaces += (i > 0 ? SEPARATOR : 0) + (table->is_right[i] ? rest : 0);
		if (width > 0) {
			printer_spaces(&table->printer, spaces);
			table->printer.write(table->printer.arg, cell, fit_bytes(cell, shown_width));
			spaces = 0;
		}
		spaces += table->is_right[i] ? 0 : rest;
		spaces += width == 0 ? shown_width : 0;
	}
	printer_text(&table->printer, "\n");
}

static void free_row(const struct report_table *table, struct row *row)
{
	for (size_t i = 0; i < table->column_count; i++)
		memory_free(row->cells[i]);
	memory_free(row);
}

void report_table_finish(struct report_table **table)
{
	struct row *next;
	bool is_empty = (*table)->first->next == NULL;
	if ((*table)->printer.width != 0)
		fit(*table, (*table)->printer.width);
	for (struct row *row = (*table)->first; row != NULL; row = next) {
		next = row->next;
		if (!is_empty)
			print_row(*table, row);
		free_row(*table, row);
	}
	memory_free((*table)->is_right);
	memory_free((*table)->widths);
	memory_free(*table);
	*table = NULL;
}
