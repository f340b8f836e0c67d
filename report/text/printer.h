/* SPDX-License-Identifier: MIT
 * The destination of a report's text, and its capabilities; a printer that breaks lines; and tables. */
#ifndef PRINTER_H
#define PRINTER_H

#include <stdbool.h>
#include <stddef.h>

/* The meaning of a piece of text. PRINTER_PLAIN ends it. PRINTER_COPY has no colour: it is a word that users copy, so
 * no line is broken within it. */
enum printer_meaning { PRINTER_PLAIN, PRINTER_LOSS, PRINTER_CAUSE, PRINTER_CULPRIT, PRINTER_PLACE, PRINTER_COPY };

struct printer {
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	size_t width;     /* columns; 0: not known, because it is not a terminal: then no line is broken or cut */
	bool is_whole;    /* text that does not fit is never cut, but continues on the next line */
	bool is_coloured; /* understands the escape sequences for emphasis */
	/* Writes an escape sequence or a tag for the meaning of the text that follows; NULL: meanings are not shown. */
	void (*mark)(const struct printer *printer, enum printer_meaning meaning);
};

void printer_text(const struct printer *printer, const char *text);
/* As printf(). Not for floating-point numbers, whose form depends on the locale: see number.h. */
void printer_format(const struct printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void printer_bold(const struct printer *printer, const char *text);
/* Prints a text with this meaning. */
void printer_marked(const struct printer *printer, enum printer_meaning meaning, const char *text);
/* Prints the name of a place as printer_name() does. */
void printer_place(const struct printer *printer, const char *name);
void printer_spaces(const struct printer *printer, size_t count);

/* Prints a name of any bytes, made printable by utf8_clean(). */
void printer_name(const struct printer *printer, const char *name);

/* ---- broken lines ---- */

/* A printer that breaks lines which are wider than the terminal. Lines are broken at spaces; a word is broken only if
 * it is wider than a line and is not to be copied. The next line is indented like the first one, or to the text behind
 * its label ("     where       transfer"), or by HANG columns ("hint: ..."). Escape sequences have no width.
 *
 * Invariant: `word` is the end of the text so far and not printed yet. `spaces` are to be printed before it. `column`
 * is the number of columns printed on this line. If `width` is 0, no line is broken, and text is not buffered. */
struct fold {
	struct printer to;
	size_t width;
	char *word;
	size_t len, cap;   /* of `word`, in bytes */
	size_t word_width; /* in columns */
	char last;         /* the first byte of its last character */
	size_t spaces, column;
	size_t hang; /* the column at which a broken line continues */
	bool has_label;
	bool is_copied;             /* the word is not broken, however wide it is */
	unsigned char character[4]; /* the bytes of a character that is not complete yet */
	size_t character_len;
	enum { FOLD_TEXT, FOLD_ESCAPE, FOLD_SEQUENCE } state;
};

/* Returns a printer that breaks lines and prints them to `to`. Borrows `fold`. Each text must end with a newline,
 * because the last word of a line is printed at its end. */
struct printer fold_printer(struct fold *fold, const struct printer *to);

/* ---- tables ----
 *
 * They are as wide as their cells need. Empty columns ("", "0", "0 ns") are left out. If the printer has a
 * width, the table fits it: titles of columns and cells with names continue on further lines, and the names are cut so
 * that two lines are enough, unless the printer's `is_whole` is set (names of places are cut in the middle, others at
 * the end). If that is not enough, the last columns are printed below as a table of their own, which repeats the first
 * columns. */

struct report_table;

/* The alignment of a column: names to the left, numbers to the right; and the meaning with which its cells
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
