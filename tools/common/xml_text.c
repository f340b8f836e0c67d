/* SPDX-License-Identifier: MIT */
#include "xml_text.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

static const char *escape_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* U+FFFE and U+FFFF are valid in UTF-8, but not in XML. */
static bool is_no_character(const char *text)
{
	return memcmp(text, "\xef\xbf", 2) == 0 && ((unsigned char)text[2] == 0xbe || (unsigned char)text[2] == 0xbf);
}

void xml_text_put(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	for (const char *at = clean; *at != '\0'; at++) {
		const char *escape = escape_of(*at);
		if (escape != NULL) {
			fputs(escape, out);
		} else if (at[0] == '\xef' && is_no_character(at)) {
			fputc('?', out);
			at += 2;
		} else {
			fputc(*at, out);
		}
	}
	free(clean);
}
