/* SPDX-License-Identifier: MIT
 * Words that a text has, or has not; a failure shows all of the text. */
#ifndef TEXT_HAS_H
#define TEXT_HAS_H

#include <string.h>

#include "test.h"

static inline void assert_has(const char *text, const char *words)
{
	if (strstr(text, words) == NULL)
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

static inline void assert_has_not(const char *text, const char *words)
{
	if (strstr(text, words) != NULL)
		fail_msg("\"%s\" is in:\n%s", words, text);
}

#endif
