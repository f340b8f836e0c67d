/* SPDX-License-Identifier: MIT
 * The destination of a report's text, and what it can show. */
#ifndef PRINTER_H
#define PRINTER_H

#include <stdbool.h>
#include <stddef.h>

/* The meaning of a piece of text. PRINTER_PLAIN ends it. PRINTER_COPY has no colour: it is a word that users copy, so
 * that no line is broken within it. */
enum printer_mark { PRINTER_PLAIN, PRINTER_LOSS, PRINTER_CAUSE, PRINTER_CULPRIT, PRINTER_PLACE, PRINTER_COPY };

struct printer {
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	size_t width;     /* columns; 0: not known, as it is no terminal; then no line is broken or cut */
	bool is_whole;    /* what does not fit is never cut, but goes on in the next line */
	bool is_coloured; /* understands the escape sequences for emphasis */
	/* Writes what shows the meaning of the text that follows; NULL: nothing does. `path` is the file of a place, or
	 * NULL. */
	void (*mark)(const struct printer *printer, enum printer_mark mark, const char *path);
	bool has_links; /* of `mark`: the text of a place may lead to its file */
	bool is_utf8;   /* tables show letters beyond ASCII, else \xNN in their place */
};

/* Sets width and is_coloured for a file descriptor: by whether it is a terminal, and by the environment (COLUMNS, which
 * counts without a terminal as well; TERM, NO_COLOR). Keeps errno. */
void printer_look(struct printer *printer, int fd);

void printer_text(const struct printer *printer, const char *text);
/* As printf(). Not for floating-point numbers, whose form depends on the locale: see number.h. */
void printer_format(const struct printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void printer_bold(const struct printer *printer, const char *text);
/* What follows has this meaning, until PRINTER_PLAIN. */
void printer_mark(const struct printer *printer, enum printer_mark mark);
/* Text of this meaning. */
void printer_marked(const struct printer *printer, enum printer_mark mark, const char *text);
/* The name of a place, as printer_name() prints it; `path` is its file. */
void printer_place(const struct printer *printer, const char *name, const char *path);
void printer_spaces(const struct printer *printer, size_t count);

/* A name of any bytes, made printable by utf8_clean(). */
void printer_name(const struct printer *printer, const char *name);

#endif
