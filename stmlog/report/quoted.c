/* SPDX-License-Identifier: MIT */
#include "quoted.h"

#include <string.h>

#include "report_memory.h"

char *quoted_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-";
	size_t len = strlen(word), used = 0;
	if (len > 0 && word[0] != '-' && strspn(word, plain) == len)
		return memory_text(word);
	/* A quotation mark becomes four characters; "./" before a dash, two around all, and the end. */
	char *quoted = memory_zeroed(4 * len + 5, 1);
	quoted[used++] = '\'';
	if (word[0] == '-') {
		quoted[used++] = '.';
		quoted[used++] = '/';
	}
	for (; *word != '\0'; word++) {
		/* A quotation mark ends the quoted text, stands by itself behind a backslash, and begins it anew. */
		for (const char *ended = *word == '\'' ? "'\\'" : ""; *ended != '\0'; ended++)
			quoted[used++] = *ended;
		quoted[used++] = *word;
	}
	quoted[used] = '\'';
	return quoted;
}
