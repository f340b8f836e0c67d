/* SPDX-License-Identifier: MIT
 * Finds files by name: programs as a shell finds them, and the files that are installed with this command. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <limits.h>
#include <stdbool.h>

/* Finds the file that execvp() would run. Returns false if there is none. */
bool lookup_program(const char *program, char path[PATH_MAX]);

/* As execvp(), but returns the errno. A program that no directory of PATH is seen to have does not exist, as to a
 * shell, even if some of them may not be searched. */
int lookup_exec(char **argv);

/* Returns the path of the file beside this executable or in ../lib/stmlog/; owned. NULL: it is not there. */
char *lookup_beside(const char *name);

#endif
