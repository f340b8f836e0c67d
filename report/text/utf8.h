/* SPDX-License-Identifier: MIT
 * Names in a recording may contain any bytes. Output is always valid UTF-8, and output to a terminal has no characters
 * that act on it. */
#ifndef UTF8_H
#define UTF8_H

#include "utf8_read.h"

enum utf8_controls { UTF8_KEEP_CONTROLS, UTF8_HIDE_CONTROLS };

/* A copy of `text` in which U+FFFD replaces each byte that is not part of valid UTF-8. If `controls` says so, '?'
 * replaces each character that acts on a terminal. Free it with memory_free(). */
char *utf8_clean(const char *text, enum utf8_controls controls);

/* The same, with '?' for characters that act on a terminal; frees `text`. NULL stays NULL. */
char *utf8_cleaned(char *text);

#endif
