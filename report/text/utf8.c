/* SPDX-License-Identifier: MIT
 * Makes copies of texts in which no byte is invalid and, if wanted, no character acts on a terminal. */
#include "utf8.h"

#include <string.h>

#include "report_memory.h"

char *utf8_clean(const char *text, enum utf8_controls controls)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *clean = memory_zeroed(strlen(text) + 1, sizeof replacement - 1);
	size_t used = 0;
	for (size_t len; *text != '\0'; text += len) {
		uint32_t point;
		len = utf8_read(text, &point);
		const char *shown = len == 0 ? replacement : text;
		size_t shown_len = len == 0 ? sizeof replacement - 1 : len;
		if (len != 0 && controls == UTF8_HIDE_CONTROLS && utf8_acts(point)) {
			shown = "?";
			shown_len = 1;
		}
		memcpy(clean + used, shown, shown_len);
		used += shown_len;
		len += len == 0;
	}
	return clean;
}

char *utf8_cleaned(char *text)
{
	char *clean = text != NULL ? utf8_clean(text, UTF8_HIDE_CONTROLS) : NULL;
	memory_free(text);
	return clean;
}
