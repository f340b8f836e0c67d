/* SPDX-License-Identifier: MIT
 * Pages of help that are no commands: one for each word of the first screen, and the words of the reports. */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>

#include "command.h"

/* Prints the page of a word, or of "terms". Returns false, and prints nothing, if there is none of this name. */
bool pages_print(const char *name);

#endif
