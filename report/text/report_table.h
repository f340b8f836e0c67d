/* SPDX-License-Identifier: MIT
 * Tables of text, as wide as their cells need. Columns without anything in them ("", "0", "0 ns") are left out. Where
 * the printer has a width, a table fits it: names of columns and cells with names go on in further lines (they are cut
 * so that two are enough, unless the printer is_whole: names of places within, others behind them), and if that is not
 * enough, the last columns follow below, behind the first ones once more. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "printer.h"

struct report_table;

/* Whether a column is of names or of numbers, which are right-aligned; and the meaning that its cells are marked with.
 */
enum table_kind { TABLE_LEFT, TABLE_RIGHT, TABLE_LOSS, TABLE_CAUSE, TABLE_PLACE, TABLE_CULPRIT };

struct table_column {
	const char *name; /* NULL ends a row of columns */
	enum table_kind kind;
};

/* Copies both. `columns` ends with a column without a name. */
struct report_table *report_table_create(const struct printer *printer, const struct table_column *columns);

/* As many cells as there are columns; they are copied. NULL is an empty one. */
void report_table_row(struct report_table *table, const char *const *cells);

/* Prints and frees it: the names of the columns and the rows; nothing where there are no rows. */
void report_table_finish(struct report_table **table);

#endif
