/* SPDX-License-Identifier: MIT
 * Texts for output: made valid, measured and cut. Names in a recording may contain any bytes. Output is always valid
 * UTF-8, and output to a terminal has no characters that act on it. Words for a shell are quoted. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

#include "utf8_read.h"

/* ---- made valid ---- */

enum utf8_controls { UTF8_KEEP_CONTROLS, UTF8_HIDE_CONTROLS };

/* A copy of `text` in which U+FFFD replaces each byte that is not part of valid UTF-8. If `controls` says so, '?'
 * replaces each character that acts on a terminal. Free it with memory_free(). */
char *utf8_clean(const char *text, enum utf8_controls controls);

/* The same, with '?' for characters that act on a terminal; frees `text`. NULL stays NULL. */
char *utf8_cleaned(char *text);

/* ---- width in columns ---- */

/* A character of UTF-8 has one column, or two if it belongs to an East Asian script or is a picture; a byte that is not
 * UTF-8 has one. Combining characters count as one, too, so a line may be narrower than its width. */

/* Returns the number of bytes of the first character, and sets *columns to its width. Requires that the text is not
 * empty. */
size_t fit_character(const char *text, size_t *columns);

size_t fit_width(const char *text);

/* The number of bytes that fit into `width` columns. */
size_t fit_bytes(const char *text, size_t width);

/* Cuts the text to `width` columns, with ".." at its end if there is room. Returns the text. */
char *fit_cut(char *text, size_t width);

/* The number of bytes of the text that go on a line of `width` columns: up to a space if there is one, or else behind a
 * punctuation mark within the word if at least half of the line is filled so. Not 0 unless the text is empty. */
size_t fit_part(const char *text, size_t width);

/* The width of lines where the terminal's width is not known. */
enum { FIT_USUAL = 80 };

/* The width at which lines are cut: `width`, or no limit if it is 0 (not known, as in a pipe). */
size_t fit_limit(size_t width);

/* The width that the user sets by the variable COLUMNS; 0: none. */
size_t fit_asked(void);

/* ---- names cut ---- */

/* Shortens the text to `width` columns: it cuts off namespaces and classes of qualified names, the outermost ones of
 * the longest name first, and then the end. Returns the text. */
char *cut_namespaces(char *text, size_t width);

/* Shortens the text to `width` columns. First it cuts off namespaces and classes of qualified names, the outermost ones
 * first: "book.cc:9 ..Book::place" of "book.cc:9 exchange::orders::Book::place". If that is not enough, it cuts the
 * middle of the words, and then the end. ".." stands for text that was cut. Returns the text. */
char *cut_name(char *text, size_t width);

/* ---- words in commands that users copy to a shell ---- */

/* The word in the form that a shell reads as this word, in quotation marks if it needs them, and never as an option:
 * "./" comes before a '-'. Free it with memory_free(). */
char *quoted_word(const char *word);

/* A program and its arguments, with blanks between them. Arguments that begin with '-' stay options. Requires len > 0.
 */
char *quoted_command(const char *const *words, size_t len);

#endif
