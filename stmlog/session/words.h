/* SPDX-License-Identifier: MIT
 *
 * Words: the strings that a runtime passes to hooks. They are compared and stored by address. When a hook sees a word
 * for the first time the word is also copied: the report then has its text even if the library that contains it was
 * unloaded. If two strings are at the same address one after the other, the first one's text stands for both.
 */
#ifndef STMLOG_WORDS_H
#define STMLOG_WORDS_H

#include "interned.h"

extern struct interned words_interned;

/* The slow path of words_intern(). Without memory there is no copy. */
void words_intern_on(const char *word);

/* Copies a word that has no copy yet. NULL is allowed. Called by hooks, whose callers pass the word: so the string is
 * valid. */
static inline void words_intern(const char *word)
{
	if (word != NULL && STMLOG_UNLIKELY(interned_find(&words_interned, word) == NULL))
		words_intern_on(word);
}

/* Copies a word, if it has no copy yet, and returns the copy; the word itself without memory. NULL for NULL. */
const char *words_copy(const char *word);

/* Returns the text of a word whose string may be unloaded; the word itself if it has no copy. NULL for NULL. Any
 * thread. */
static inline const char *words_text(const char *word)
{
	const char *copy = word != NULL ? (const char *)interned_find(&words_interned, word) : NULL;
	return copy != NULL ? copy : word;
}

/* Frees all copies. Called when no thread calls hooks. */
void words_forget(void);

#endif
