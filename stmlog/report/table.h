/* SPDX-License-Identifier: MIT
 * Tables of text, by libsmartcols: as wide as they need, or as the terminal if they go to one. */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

struct libscols_table;

struct table_column {
	const char *name; /* NULL ends a row of columns */
	enum { TABLE_LEFT, TABLE_RIGHT } align;
};

/* `columns` ends with a column without a name. */
struct libscols_table *table_create(FILE *out, const struct table_column *columns);

/* As many cells as there are columns; they are copied. */
void table_row(struct libscols_table *table, const char *const *cells);

/* Prints and frees it. */
void table_finish(struct libscols_table **table);

#endif
