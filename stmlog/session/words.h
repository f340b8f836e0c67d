/* SPDX-License-Identifier: MIT
 *
 * Words: the strings that a runtime gives to hooks. They are compared and stored by address. When a word is met for the
 * first time it is also copied: a library that was unloaded since takes its strings with it, and the report still has
 * the text. Two strings that have been at one address, one after the other, count as the first.
 */
#ifndef STMLOG_WORDS_H
#define STMLOG_WORDS_H

#include "keep.h"

extern struct keep words_interned;

/* The slow path of words_intern(). Without memory there is no copy. */
void words_intern_on(const char *word);

/* Copies a word that was not met before. NULL is no mistake. Called by hooks, with the word that they were given: so
 * the string is there. */
static inline void words_intern(const char *word)
{
	if (word != NULL && STMLOG_UNLIKELY(keep_find(&words_interned, word) == NULL))
		words_intern_on(word);
}

/* Copies a word, if it was not met before, and returns the copy; the word itself without memory. NULL for NULL. */
const char *words_copy(const char *word);

/* The text of a word that may be gone; the word itself if there is no copy. NULL for NULL. Any thread. */
static inline const char *words_text(const char *word)
{
	const char *copy = word != NULL ? (const char *)keep_find(&words_interned, word) : NULL;
	return copy != NULL ? copy : word;
}

/* Frees all copies, when no thread calls hooks. */
void words_forget(void);

#endif
