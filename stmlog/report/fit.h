/* SPDX-License-Identifier: MIT
 * Texts in columns: each character of UTF-8 counts as one. */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

size_t fit_width(const char *text);

/* How many bytes the first `width` characters have; all where there are fewer. */
size_t fit_bytes(const char *text, size_t width);

/* Ends the text after `width` characters; what is cut off is shown by ".." at its end, if there is room. Returns it. */
char *fit_cut(char *text, size_t width);

#endif
