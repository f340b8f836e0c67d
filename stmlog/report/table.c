/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <libsmartcols/libsmartcols.h>

/* Left to itself the library looks at stdout, whatever the table is written to. */
static void set_width(struct libscols_table *table, int fd)
{
	struct winsize size = {0};
	bool is_terminal = isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
	scols_table_set_termforce(table, is_terminal ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (is_terminal)
		scols_table_set_termwidth(table, size.ws_col);
}

struct libscols_table *table_create(FILE *out, const struct table_column *columns)
{
	scols_init_debug(0);
	struct libscols_table *table = scols_new_table();
	if (table == NULL)
		return NULL;
	scols_table_set_stream(table, out);
	scols_table_set_column_separator(table, "  ");
	scols_table_enable_minout(table, 1);
	set_width(table, fileno(out));
	for (; columns->name != NULL; columns++)
		scols_table_new_column(
			table, columns->name, 0, columns->align == TABLE_RIGHT ? SCOLS_FL_RIGHT : SCOLS_FL_TRUNC);
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
