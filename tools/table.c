/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <unistd.h>

#include <libsmartcols/libsmartcols.h>

struct libscols_table *table_create(FILE *out, const struct table_column *columns)
{
	scols_init_debug(0);
	struct libscols_table *table = scols_new_table();
	if (table == NULL)
		return NULL;
	scols_table_set_stream(table, out);
	scols_table_set_column_separator(table, "  ");
	scols_table_enable_minout(table, 1);
	scols_table_set_termforce(table, isatty(fileno(out)) ? SCOLS_TERMFORCE_AUTO : SCOLS_TERMFORCE_NEVER);
	for (; columns->name != NULL; columns++)
		scols_table_new_column(table, columns->name, 0, columns->align == TABLE_RIGHT ? SCOLS_FL_RIGHT : 0);
	return table;
}

void table_row(struct libscols_table *table, const char *const *cells)
{
	struct libscols_line *line = table != NULL ? scols_table_new_line(table, NULL) : NULL;
	if (line == NULL)
		return;
	for (size_t i = 0; i < scols_table_get_ncols(table); i++)
		scols_line_set_data(line, i, cells[i]);
}

void table_finish(struct libscols_table **table)
{
	if (*table != NULL) {
		scols_print_table(*table);
		scols_unref_table(*table);
	}
	*table = NULL;
}
