/* SPDX-License-Identifier: MIT
 * The destination of a report's text, and its capabilities. */
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

#endif
