/* SPDX-License-Identifier: MIT
 * A printer that breaks lines which are wider than the terminal. Lines are broken at spaces; a word is broken only if
 * it is wider than a line and is not to be copied. The next line is indented like the first one, or to the text behind
 * its label ("     where       transfer"), or by HANG columns ("hint: ..."). Escape sequences have no width. */
#ifndef FOLD_H
#define FOLD_H

#include "printer.h"

/* Invariant: `word` is the end of the text so far and not printed yet. `spaces` are to be printed before it. `column`
 * is the number of columns printed on this line. If `width` is 0, no line is broken, and text is not buffered. */
struct fold {
	struct printer to;
	size_t width;
	char *word;
	size_t len, cap;   /* of `word`, in bytes */
	size_t word_width; /* in columns */
	char last;         /* the first byte of its last character */
	size_t spaces, column;
	size_t hang; /* the column at which a broken line continues */
	bool has_label;
	bool is_copied;             /* the word is not broken, however wide it is */
	unsigned char character[4]; /* the bytes of a character that is not complete yet */
	size_t character_len;
	enum { FOLD_TEXT, FOLD_ESCAPE, FOLD_SEQUENCE } state;
};

/* Returns a printer that breaks lines and prints them to `to`. Borrows `fold`. Each text must end with a newline,
 * because the last word of a line is printed at its end. */
struct printer fold_printer(struct fold *fold, const struct printer *to);

#endif
