/* SPDX-License-Identifier: MIT
 * Tables of text, as wide as their cells need. In a terminal, columns of names are cut so that a table fits. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "printer.h"

struct report_table;

struct table_column {
	const char *name; /* NULL ends a row of columns */
	enum { TABLE_LEFT, TABLE_RIGHT } align;
};

/* Copies both. `columns` ends with a column without a name. */
struct report_table *report_table_create(const struct printer *printer, const struct table_column *columns);

/* As many cells as there are columns; they are copied. NULL is an empty one. */
void report_table_row(struct report_table *table, const char *const *cells);

/* Prints and frees it: the names of the columns and the rows; nothing where there are no rows. */
void report_table_finish(struct report_table **table);

#endif
