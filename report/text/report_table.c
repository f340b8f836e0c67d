/* SPDX-License-Identifier: MIT
 * Collects the cells of a table, chooses the widths of its columns, and prints it as side-by-side columns in as many
 * blocks as the width needs. */
#include "printer.h"

#include <string.h>

#include "report_memory.h"
#include "utf8.h"

/* A column of names shrinks to at least MIN_NAME columns of text, and its cells are cut after CELL_LINES lines. */
enum { SEPARATOR = 2, MIN_NAME = 12, CELL_LINES = 2 };

struct row {
	struct row *next;
	char *cells[];
};

/* Columns that are printed side by side: the key columns, and the columns from `first` up to but without `end`. */
struct block {
	size_t first, end;
};

/* Invariant: widths[i] >= the width of each cell of column i, until the table is shrunk. The first `keys` columns
 * identify a row. */
struct report_table {
	struct printer printer;
	enum table_kind *kinds;
	size_t column_count, keys;
	size_t *widths;
	size_t *cells;            /* the width of the widest cell of each column, apart from its name */
	struct row *first, **end; /* the first row has the names of the columns */
};

/* ---- making a table ---- */

static bool column_is_number(const struct report_table *table, size_t column)
{
	return table->kinds[column] == TABLE_RIGHT || table->kinds[column] == TABLE_LOSS;
}

static struct row *table_add_row(struct report_table *table)
{
	struct row *row = memory_zeroed(1, sizeof *row + table->column_count * sizeof row->cells[0]);
	*table->end = row;
	table->end = &row->next;
	return row;
}

static void set_cell(struct report_table *table, struct row *row, size_t i, const char *text)
{
	row->cells[i] = utf8_clean(text != NULL ? text : "", UTF8_HIDE_CONTROLS);
	size_t width = fit_width(row->cells[i]);
	if (width > table->widths[i])
		table->widths[i] = width;
	if (row != table->first && width > table->cells[i])
		table->cells[i] = width;
}

struct report_table *report_table_create(const struct printer *printer, const struct table_column *columns)
{
	struct report_table *table = memory_zeroed(1, sizeof *table);
	*table = (struct report_table){.printer = *printer, .end = &table->first};
	while (columns[table->column_count].name != NULL)
		table->column_count++;
	table->widths = memory_zeroed(table->column_count, sizeof *table->widths);
	table->cells = memory_zeroed(table->column_count, sizeof *table->cells);
	table->kinds = memory_zeroed(table->column_count, sizeof *table->kinds);
	struct row *names = table_add_row(table);
	for (size_t i = 0; i < table->column_count; i++) {
		set_cell(table, names, i, columns[i].name);
		table->kinds[i] = columns[i].kind;
	}
	while (table->keys < table->column_count && (table->keys == 0 || !column_is_number(table, table->keys)))
		table->keys++;
	if (table->keys < table->column_count && table->keys == 1 && column_is_number(table, 0))
		table->keys += !column_is_number(table, 1);
	return table;
}

void report_table_row(struct report_table *table, const char *const *cells)
{
	struct row *row = table_add_row(table);
	for (size_t i = 0; i < table->column_count; i++)
		set_cell(table, row, i, cells[i]);
}

/* ---- which columns ---- */

/* Whether the cell is "", "-", "0", "0 ns" or "0.0 %". */
static bool cell_is_nothing(const char *cell)
{
	size_t zeros = strspn(cell, "0.");
	return cell[0] == '\0' || strcmp(cell, "-") == 0 || (zeros > 0 && (cell[zeros] == '\0' || cell[zeros] == ' '));
}

static bool says_nothing(const struct report_table *table, size_t column)
{
	for (const struct row *row = table->first->next; row != NULL; row = row->next)
		if (!cell_is_nothing(row->cells[column]))
			return false;
	return true;
}

static void move_column(struct report_table *table, size_t to, size_t from)
{
	for (struct row *row = table->first; row != NULL; row = row->next) {
		char *cell = row->cells[to];
		row->cells[to] = row->cells[from];
		row->cells[from] = cell;
	}
	table->kinds[to] = table->kinds[from];
	table->widths[to] = table->widths[from];
	table->cells[to] = table->cells[from];
}

/* Removes the columns behind the keys that are empty in all rows. Moves their cells to the end, where they are freed
 * later. Returns the number of columns before. */
static size_t drop_empty(struct report_table *table)
{
	size_t all = table->column_count, kept = table->keys;
	for (size_t i = table->keys; i < all; i++)
		if (!says_nothing(table, i))
			move_column(table, kept++, i);
	table->column_count = kept;
	return all;
}

/* ---- how wide ---- */

/* The width of the key columns and the block. */
static size_t block_width(const struct report_table *table, const struct block *block)
{
	size_t width = 0;
	for (size_t i = 0; i < table->keys; i++)
		width += (i > 0 ? SEPARATOR : 0) + table->widths[i];
	for (size_t i = block->first; i < block->end; i++)
		width += SEPARATOR + table->widths[i];
	return width;
}

/* The block that begins with column `first`: as many columns as there is room for, but at least one. */
static struct block block_from(const struct report_table *table, size_t first, size_t max)
{
	struct block block = {first, first < table->column_count ? first + 1 : first};
	while (block.end < table->column_count) {
		struct block more = {first, block.end + 1};
		if (max != 0 && block_width(table, &more) > max)
			break;
		block = more;
	}
	return block;
}

/* The columns of the first `len` bytes. */
static size_t cell_width(const char *text, size_t len)
{
	size_t width = 0;
	for (size_t at = 0, columns; at < len; width += columns)
		at += fit_character(text + at, &columns);
	return width;
}

static size_t cell_longest_word(const char *text)
{
	size_t max = 0;
	while (*text != '\0') {
		size_t len = strcspn(text, " -");
		len += text[len] == '-';
		size_t width = cell_width(text, len);
		max = width > max ? width : max;
		text += len + (text[len] == ' ');
	}
	return max;
}

/* The least width of a column: a line of a cell is broken at words only. */
static size_t min_width(const struct report_table *table, size_t column)
{
	size_t min = cell_longest_word(table->first->cells[column]), cell = table->cells[column];
	if (!column_is_number(table, column))
		cell = cell < MIN_NAME ? cell : MIN_NAME;
	return cell > min ? cell : min;
}

/* The width of the column that is to shrink next: the widest of those whose title is wider than their cells, because a
 * title may have several lines; otherwise the widest column of names. NULL: no column can shrink. */
static size_t *table_widest(const struct report_table *table)
{
	size_t *found = NULL;
	bool has_wide_name = false;
	for (size_t i = 0; i < table->column_count; i++) {
		size_t *width = &table->widths[i];
		bool is_wide_name = *width > table->cells[i];
		if (*width <= min_width(table, i) || (has_wide_name && !is_wide_name))
			continue;
		if (found == NULL || is_wide_name != has_wide_name || *width > *found)
			found = width;
		has_wide_name = is_wide_name;
	}
	return found;
}

static void shrink(struct report_table *table, size_t max)
{
	const struct block all = {table->keys, table->column_count};
	size_t width = block_width(table, &all), *column;
	for (; width > max && (column = table_widest(table)) != NULL; width--)
		--*column;
}

static size_t block_count(const struct report_table *table, size_t max)
{
	size_t count = 0, first = table->keys;
	do {
		first = block_from(table, first, max).end;
		count++;
	} while (first < table->column_count);
	return count;
}

static bool all_fit(const struct report_table *table, size_t max)
{
	size_t first = table->keys;
	while (first < table->column_count) {
		struct block block = block_from(table, first, max);
		if (block_width(table, &block) > max)
			return false;
		first = block.end;
	}
	return true;
}

/* Widens a column by one, up to `wish`. Returns false if the table would then not fit into as many blocks. */
static bool widen_column(struct report_table *table, size_t column, size_t wish, size_t blocks, size_t max)
{
	if (table->widths[column] >= wish)
		return false;
	table->widths[column]++;
	bool has_room = all_fit(table, max) && block_count(table, max) == blocks;
	table->widths[column] -= !has_room;
	return has_room;
}

/* If several blocks are needed anyway, widens the cells of names as far as they need, and then the titles of columns.
 */
static void table_widen(struct report_table *table, size_t max)
{
	size_t blocks = block_count(table, max);
	bool is_wider = blocks > 1;
	while (is_wider) {
		is_wider = false;
		for (size_t i = 0; i < table->keys; i++)
			is_wider |= widen_column(table, i, table->cells[i], blocks, max);
	}
	for (size_t i = table->keys; i < table->column_count && blocks > 1; i++)
		while (widen_column(table, i, fit_width(table->first->cells[i]), blocks, max))
			;
}

/* ---- printing a table ---- */

/* Prints the part of a cell that fits on a line, and returns the rest. */
static const char *print_piece(const struct report_table *table, size_t column, const char *cell, bool is_last)
{
	static const enum printer_meaning marks[] = {[TABLE_LOSS] = PRINTER_LOSS,
		[TABLE_CAUSE] = PRINTER_CAUSE,
		[TABLE_PLACE] = PRINTER_PLACE,
		[TABLE_CULPRIT] = PRINTER_CULPRIT};
	size_t width = table->widths[column], len = fit_part(cell, width);
	bool is_cut = is_last && cell[len] != '\0', is_marked = marks[table->kinds[column]] != PRINTER_PLAIN;
	char *text = memory_text(cell);
	if (is_cut)
		fit_cut(text, width);
	else
		text[len] = '\0';
	if (is_marked)
		printer_marked(&table->printer, marks[table->kinds[column]], text);
	else
		printer_text(&table->printer, text);
	memory_free(text);
	cell += is_cut ? strlen(cell) : len;
	return cell + strspn(cell, " ");
}

/* Prints one line of a row: the next piece of each cell. Spaces are printed only if text follows, so that no line ends
 * in spaces. Returns whether text is left. */
static bool table_print_line(
	const struct report_table *table, const struct block *block, const char **cells, bool is_last)
{
	size_t spaces = 0;
	bool is_more = false;
	for (size_t i = 0; i < block->end; i++) {
		if (i >= table->keys && i < block->first)
			continue;
		const char *cell = cells[i];
		size_t len = fit_part(cell, table->widths[i]);
		size_t width = is_last && cell[len] != '\0' ? table->widths[i] : cell_width(cell, len);
		size_t rest = table->widths[i] > width ? table->widths[i] - width : 0;
		spaces += (i > 0 ? SEPARATOR : 0) + (column_is_number(table, i) ? rest : 0);
		if (width > 0) {
			printer_spaces(&table->printer, spaces);
			cells[i] = print_piece(table, i, cell, is_last);
			spaces = 0;
		}
		spaces += column_is_number(table, i) ? 0 : rest;
		is_more |= cells[i][0] != '\0';
	}
	printer_text(&table->printer, "\n");
	return is_more;
}

static size_t cell_lines(const char *cell, size_t width)
{
	size_t lines = 0;
	for (; *cell != '\0'; lines++) {
		cell += fit_part(cell, width);
		cell += strspn(cell, " ");
	}
	return lines;
}

/* Whether the cells of the column name functions or objects, which differ at the ends of their names. */
static bool has_names(const struct report_table *table, size_t column)
{
	return table->kinds[column] == TABLE_PLACE || table->kinds[column] == TABLE_CULPRIT;
}

/* A copy of the cell. A name that needs more than CELL_LINES lines is cut until it does not. */
static char *cell_fitted(const struct report_table *table, size_t column, const char *cell)
{
	size_t width = table->widths[column], max = CELL_LINES * width;
	char *text = memory_text(cell);
	bool may_cut = has_names(table, column) && !table->printer.is_whole && width > 0;
	for (; may_cut && max >= width && cell_lines(text, width) > CELL_LINES; max--)
		cut_name(text, max);
	return text;
}

static void table_print_row(const struct report_table *table, const struct block *block, const struct row *row)
{
	bool is_name = row == table->first, is_more = true;
	const char **cells = memory_zeroed(table->column_count, sizeof *cells);
	char **copies = memory_zeroed(table->column_count, sizeof *copies);
	for (size_t i = 0; i < table->column_count; i++)
		cells[i] = copies[i] = cell_fitted(table, i, row->cells[i]);
	for (int line = 1; is_more; line++) {
		bool is_last = !is_name && !table->printer.is_whole && line == CELL_LINES;
		is_more = table_print_line(table, block, cells, is_last);
	}
	for (size_t i = 0; i < table->column_count; i++)
		memory_free(copies[i]);
	memory_free(copies);
	memory_free(cells);
}

static void print_block(const struct report_table *table, const struct block *block)
{
	struct report_table plain = *table;
	plain.kinds = memory_zeroed(table->column_count + 1, sizeof *plain.kinds);
	for (size_t i = 0; i < table->column_count; i++)
		plain.kinds[i] = column_is_number(table, i) ? TABLE_RIGHT : TABLE_LEFT;
	for (const struct row *row = table->first; row != NULL; row = row->next)
		table_print_row(row == table->first ? &plain : table, block, row);
	memory_free(plain.kinds);
}

static void table_print(struct report_table *table)
{
	size_t max = table->printer.width, first = table->keys;
	if (max != 0) {
		shrink(table, max);
		table_widen(table, max);
	}
	do {
		struct block block = block_from(table, first, max);
		if (first > table->keys)
			printer_text(&table->printer, "\n");
		print_block(table, &block);
		first = block.end;
	} while (first < table->column_count);
}

void report_table_finish(struct report_table **table)
{
	struct row *next;
	size_t columns = (*table)->column_count;
	if ((*table)->first->next != NULL) {
		columns = drop_empty(*table);
		table_print(*table);
	}
	for (struct row *row = (*table)->first; row != NULL; row = next) {
		next = row->next;
		for (size_t i = 0; i < columns; i++)
			memory_free(row->cells[i]);
		memory_free(row);
	}
	memory_free((*table)->kinds);
	memory_free((*table)->widths);
	memory_free((*table)->cells);
	memory_free(*table);
	*table = NULL;
}
