/* SPDX-License-Identifier: MIT
 * Reports and tables printed to a file or a terminal, with colours and links. */
#ifndef FILE_PRINTER_H
#define FILE_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "printer.h"

/* Borrows the file. As wide and as colourful as that is. */
struct printer file_printer(FILE *file);

/* The same for text that is read by people, on stdout or stderr: lines that are wider than the file are broken. */
struct printer text_printer(FILE *file);

/* Colours of the printers made from here on. By default COLOUR_AUTO: on a terminal, unless NO_COLOR or TERM forbids. */
enum file_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
void file_printer_choose(enum file_colour colour);

/* What is written to stdout will be shown on this terminal (-1: no longer); `links` says whether links reach it. */
void file_printer_behind_stdout(int terminal, bool links);

/* ---- links: text on a terminal that opens a file when it is clicked on (OSC 8) ---- */

/* Whether the environment tells that the terminal shows such links. Many that do not would print them as garbage.
 * FORCE_HYPERLINK=1, or 0, says so in any case. */
bool hyperlink_is_known(void);

/* Begins a link to the file, unless there is no such file on this machine. A relative path is looked for in the
 * current directory. Returns whether it has begun: then hyperlink_end() ends it. */
bool hyperlink_begin(FILE *out, const char *path);
void hyperlink_end(FILE *out);

#endif
