/* SPDX-License-Identifier: MIT
 * Tables of text, as wide as their cells need. Empty columns ("", "0", "0 ns") are left out. If the printer has a
 * width, the table fits it: titles of columns and cells with names continue on further lines, and the names are cut so
 * that two lines are enough, unless the printer's `is_whole` is set (names of places are cut in the middle, others at
 * the end). If that is not enough, the last columns are printed below as a table of their own, which repeats the first
 * columns. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "printer.h"

struct report_table;

/* The alignment of a column: names to the left, numbers to the right; and the meaning (printer.h) with which its cells
 * are marked. */
enum table_kind { TABLE_LEFT, TABLE_RIGHT, TABLE_LOSS, TABLE_CAUSE, TABLE_PLACE, TABLE_CULPRIT };

struct table_column {
	const char *name; /* NULL ends an array of columns */
	enum table_kind kind;
};

/* Copies its arguments. `columns` ends with a column without a name. */
struct report_table *report_table_create(const struct printer *printer, const struct table_column *columns);

/* Adds a row with as many cells as there are columns. Copies them. NULL is an empty cell. */
void report_table_row(struct report_table *table, const char *const *cells);

/* Prints the titles of the columns and the rows, or nothing if there are no rows. Frees the table. */
void report_table_finish(struct report_table **table);

#endif
