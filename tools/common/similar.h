/* SPDX-License-Identifier: MIT
 * Finds the word that a user probably meant by a mistyped one. */
#ifndef SIMILAR_H
#define SIMILAR_H

#include <stddef.h>

enum { SIMILAR_LONGEST = 32 }; /* longer words are similar to none */

struct similar {
	const char *typed;
	size_t len;                     /* of `typed`: the characters that count */
	char best[SIMILAR_LONGEST + 1]; /* "": no word was similar */
	size_t distance;                /* of `best` */
};

/* Only the first `len` characters of `typed` count, which is borrowed. */
struct similar similar_to(const char *typed, size_t len);

/* Makes `word` the best if it is more similar than all words before. A word is similar if a third of the typed letters,
 * or one letter, has to be changed, left out, inserted or exchanged with its neighbour; or if the typed letters are its
 * beginning. */
void similar_try(struct similar *similar, const char *word);

#endif
