/* SPDX-License-Identifier: MIT
 * The words of a Haskell source that read or write TVars. */
#ifndef HASKELL_WORDS_H
#define HASKELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source_file.h"

enum { HASKELL_WORDS_MAX = 64 };

/* Lines with the words of one kind, a line as often as it has one. */
struct haskell_words {
	uint32_t lines[HASKELL_WORDS_MAX];
	size_t len;
	bool is_ordered; /* the program runs through them in this order: none is in a `where` or `let` */
	bool is_whole;   /* there are no more, and no comments that may hide some */
};

/* The words of the lines from `first` to `last` that write; or else those that read. */
struct haskell_words haskell_words_find(const struct source_text *text, uint32_t first, uint32_t last, bool writes);

#endif
