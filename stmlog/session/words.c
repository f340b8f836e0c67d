/* SPDX-License-Identifier: MIT
 * Interns words. */
#include "words.h"

#include <string.h>

/* Longer words are cut: a report has no room for them. */
#define WORD_MAX 1024

struct interned words_interned;

void words_intern_on(const char *word)
{
	char cut[WORD_MAX];
	size_t len = strnlen(word, sizeof cut - 1);
	memcpy(cut, word, len);
	cut[len] = '\0';
	interned_add(&words_interned, word, cut, len + 1);
}

const char *words_copy(const char *word)
{
	words_intern(word);
	return words_text(word);
}

void words_forget(void)
{
	interned_clear(&words_interned);
}
