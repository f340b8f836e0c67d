/* SPDX-License-Identifier: MIT
 * Finds files by name: programs as a shell finds them, and the files that are installed with this command. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <limits.h>
#include <stdbool.h>

/* Finds the file that execvp() would run. Returns false if there is none. */
bool lookup_program(const char *program, char path[PATH_MAX]);

/* Returns the path of the file beside this executable or in ../lib/stmlog/; owned. NULL: it is not there. */
char *lookup_beside(const char *name);

#endif
