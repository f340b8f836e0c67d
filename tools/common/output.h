/* SPDX-License-Identifier: MIT
 * Where the command's output goes: into a file (artifact.h) or to stdout, compressed, or printed with colours and
 * through a pager. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <zlib.h>

#include "printer.h"

/* ---- files ---- */

struct artifact;

struct output {
	const char *path; /* NULL: stdout */
	FILE *file;
	struct artifact *artifact; /* of the path; owned. NULL: stdout */
};

/* The path NULL or - is stdout. Returns false, and prints why, if the file cannot be written. */
bool output_begin(struct output *output, const char *path);

/* The same for bytes that are no text: a terminal is refused. */
bool output_begin_binary(struct output *output, const char *path);

/* Puts the file in its place. Returns false, prints why, and leaves an older file as it was, if that fails. */
bool output_end(struct output *output);

/* ---- compression ---- */

/* Compresses to a file, in the format of gzip, piece by piece. Memory is needed for the longest piece only. */

struct gzip {
	FILE *out; /* errors are looked at when all is written */
	z_stream stream;
	unsigned char *in; /* `len` bytes that are not compressed yet */
	size_t len, cap;
	unsigned char packed[1 << 16];
};

/* Each function ends the command if there is no memory. */
void gzip_begin(struct gzip *gzip, FILE *out);

/* gzip_room() returns room for `max` bytes. gzip_add() takes over the `len` bytes that the caller has put there. */
void *gzip_room(struct gzip *gzip, size_t max);
void gzip_add(struct gzip *gzip, size_t len);
void gzip_end(struct gzip *gzip);

/* ---- printers ----
 *
 * Reports and tables printed to a file or a terminal, with colours, or through a pager. */

/* Borrows the file. As wide and as colourful as that is. Keeps errno. */
struct printer file_printer(FILE *file);

/* The same for text that is read by people, on stdout or stderr: lines that are wider than the file are broken. */
struct printer text_printer(FILE *file);

/* Colours of the printers made from here on. By default COLOUR_AUTO: on a terminal, unless NO_COLOR or TERM forbids. */
enum file_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
void file_printer_choose(enum file_colour colour);

/* ---- pager ---- */

/* Output that does not fit the terminal goes through a pager, as git's does: $STMLOG_PAGER, $PAGER, or less. Output
 * that fits, or that goes elsewhere, is printed. */

/* From here to pager_end(), what is written to stdout is kept, if stdout is a terminal. */
void pager_begin(void);

/* Shows what was kept; waits until the pager has ended. Does nothing without pager_begin(), and the second time. */
void pager_end(void);

/* How many rows of a terminal the text takes. Requires columns > 0. */
unsigned long pager_rows(const char *text, unsigned long len, unsigned long columns);

#endif
