/* SPDX-License-Identifier: MIT
 * A printer that breaks lines which are wider than another printer's. Lines are broken at spaces, and within a word
 * only if it is wider than a line, and none that is to be copied. What follows is indented as the line is; or to where
 * the text behind its label begins ("     where       transfer"), or by a few columns ("hint: ..."). Escape sequences
 * have no width. */
#ifndef FOLD_H
#define FOLD_H

#include "printer.h"

/* Invariant: `word` was not printed yet, and ends the text so far; `spaces` stand before it, and `column` columns of
 * the line were printed. `width` 0: no line is broken, and nothing is kept. */
struct fold {
	struct printer to;
	size_t width;
	char *word;
	size_t len, cap;   /* of `word`, in bytes */
	size_t word_width; /* in columns */
	char last;         /* the first byte of its last character */
	size_t spaces, column;
	size_t hang; /* where the line goes on that is broken */
	bool has_label;
	bool is_copied;          /* the word is not broken, however wide it is */
	unsigned char letter[4]; /* the bytes of a character that is not whole yet */
	size_t letter_len;
	enum { FOLD_TEXT, FOLD_ESCAPE, FOLD_SEQUENCE, FOLD_STRING, FOLD_STRING_ESCAPE } state;
};

/* A printer that prints to `to` by way of the fold, which it borrows. A text ends with the end of a line. */
struct printer fold_printer(struct fold *fold, const struct printer *to);

#endif
