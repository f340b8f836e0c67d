/* SPDX-License-Identifier: MIT
 * Text on a terminal that opens a file when it is clicked on (OSC 8). */
#ifndef HYPERLINK_H
#define HYPERLINK_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the environment tells that the terminal shows such links. Many that do not would print them as garbage.
 * FORCE_HYPERLINK=1, or 0, says so in any case. */
bool hyperlink_is_known(void);

/* Begins a link to the file, unless there is no such file on this machine. A relative path is looked for in the
 * current directory. Returns whether it has begun: then
 * hyperlink_end() ends it. */
bool hyperlink_begin(FILE *out, const char *path);
void hyperlink_end(FILE *out);

#endif
