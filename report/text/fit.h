/* SPDX-License-Identifier: MIT
 * Texts in columns. Each character of UTF-8 has one, those of East Asian scripts and pictures have two; a byte that is
 * no UTF-8 has one. (A character that is put above another one counts as well: a line may be narrower than it seems.)
 */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

/* The bytes of the first character, and its columns. Requires a text that is not empty. */
size_t fit_letter(const char *text, size_t *columns);

size_t fit_width(const char *text);

/* How many bytes the characters of the first `width` columns have; all where there are fewer. */
size_t fit_bytes(const char *text, size_t width);

/* Ends the text after `width` columns; what is cut off is shown by ".." at its end, if there is room. Returns it. */
char *fit_cut(char *text, size_t width);

/* How many bytes of the text go on a line of so many columns: up to a space if there is one to break at, or else
 * behind a sign within the word if that fills half of the line. Not 0 unless the text is empty. */
size_t fit_part(const char *text, size_t width);

/* The width at which lines are broken where none is known. */
enum { FIT_USUAL = 80 };

/* Where a line is cut: at the width, or nowhere if none is known (0), as in a pipe. */
size_t fit_limit(size_t width);

/* The width that the user asks for by the variable COLUMNS; 0: none. */
size_t fit_asked(void);

#endif
