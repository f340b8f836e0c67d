/* SPDX-License-Identifier: MIT
 * Reports and tables printed to a file or a terminal, with colours, or through a pager. */
#ifndef FILE_PRINTER_H
#define FILE_PRINTER_H

#include <stdio.h>

#include "printer.h"

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
