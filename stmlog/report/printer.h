/* SPDX-License-Identifier: MIT
 * Where the text of a report goes, and what that can show. */
#ifndef PRINTER_H
#define PRINTER_H

#include <stdbool.h>
#include <stddef.h>

struct printer {
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	size_t width;     /* columns of the terminal that it is; 0: it is none */
	bool is_coloured; /* understands the escape sequences for emphasis */
	bool is_utf8;     /* tables show letters beyond ASCII, else \xNN in their place */
};

/* Sets width and is_coloured by what the file descriptor is and what the environment says of it. */
void printer_look(struct printer *printer, int fd);

void printer_text(const struct printer *printer, const char *text);
/* As printf(), but for floating-point numbers: number.h has those, whatever the program's locale is. */
void printer_format(const struct printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void printer_bold(const struct printer *printer, const char *text);
void printer_spaces(const struct printer *printer, size_t count);

/* A name, whatever bytes it has: as utf8_clean() makes it. */
void printer_name(const struct printer *printer, const char *name);

#endif
