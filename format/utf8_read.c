/* SPDX-License-Identifier: MIT
 * Decodes UTF-8, and replaces characters that act on a terminal. */
#include "utf8_read.h"

#include <string.h>

size_t utf8_read(const char *text, uint32_t *point)
{
	static const struct {
		unsigned char mask, lead;
		size_t len;
		uint32_t lowest;
	} forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
	const unsigned char *bytes = (const unsigned char *)text;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		if ((bytes[0] & forms[i].mask) != forms[i].lead)
			continue;
		*point = bytes[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k < forms[i].len; k++) {
			if ((bytes[k] & 0xc0) != 0x80)
				return 0;
			*point = *point << 6 | (bytes[k] & 0x3f);
		}
		bool is_valid = *point >= forms[i].lowest && *point <= 0x10ffff && (*point < 0xd800 || *point > 0xdfff);
		return is_valid ? forms[i].len : 0;
	}
	return 0;
}

bool utf8_acts(uint32_t point)
{
	static const uint32_t ranges[][2] = {{0, 0x1f}, {0x7f, 0x9f}, {0x061c, 0x061c}, {0x200e, 0x200f},
		{0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && point >= ranges[i][0]; i++) {
		if (point <= ranges[i][1])
			return true;
	}
	return false;
}

void utf8_hide(char *text)
{
	char *to = text;
	while (*text != '\0') {
		uint32_t point;
		size_t len = utf8_read(text, &point);
		bool is_shown = len != 0 && !utf8_acts(point);
		memmove(to, is_shown ? text : "?", is_shown ? len : 1);
		to += is_shown ? len : 1;
		text += len != 0 ? len : 1;
	}
	*to = '\0';
}
