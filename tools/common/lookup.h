/* SPDX-License-Identifier: MIT
 * Files by name: programs as a shell finds them, and what belongs to this command. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <limits.h>
#include <stdbool.h>

/* The file that execvp() would run; false: none. */
bool lookup_program(const char *program, char path[PATH_MAX]);

/* The file of that name beside this executable or in ../lib/stmlog/; owned, NULL: not there. */
char *lookup_beside(const char *name);

#endif
