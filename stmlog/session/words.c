/* SPDX-License-Identifier: MIT
 * Copies words. */
#include "words.h"

#include <string.h>

/* Longer words are cut: a report has no room for them. */
#define WORD_MAX 1024

struct keep words_kept;

void words_keep_on(const char *word)
{
	char cut[WORD_MAX];
	size_t len = strnlen(word, sizeof cut - 1);
	memcpy(cut, word, len);
	cut[len] = '\0';
	keep_add(&words_kept, word, cut, len + 1);
}

const char *words_copy(const char *word)
{
	words_keep(word);
	return words_text(word);
}

void words_forget(void)
{
	keep_clear(&words_kept);
}
