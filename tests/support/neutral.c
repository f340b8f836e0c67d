/* SPDX-License-Identifier: MIT
 * A decoder of its own, so that it shares no mistake with the command's (format/utf8_read.c). */
#include "neutral.h"

#include <stdint.h>

/* Decodes the character at `text`. Returns its length; 0: it is no valid UTF-8. */
static size_t decode(const unsigned char *text, size_t len, uint32_t *point)
{
	unsigned char lead = text[0];
	size_t more = lead < 0x80 ? 0 : lead >= 0xc2 && lead <= 0xdf ? 1 : lead >= 0xe0 && lead <= 0xef ? 2 : 3;
	if (lead > 0xf4 || (lead >= 0x80 && lead < 0xc2) || more >= len)
		return 0;
	*point = more == 0 ? lead : lead & (0x3fu >> more);
	for (size_t i = 1; i <= more; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
		*point = *point * 64 + (text[i] & 0x3fu);
	}
	bool is_short = (more == 2 && *point < 0x800) || (more == 3 && *point < 0x10000);
	bool is_surrogate = *point >= 0xd800 && *point <= 0xdfff;
	return is_short || is_surrogate || *point > 0x10ffff ? 0 : more + 1;
}

static bool acts(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} acting[] = {{0, 0x08}, {0x0b, 0x1f}, {0x7f, 0x9f}, {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e},
		{0x2066, 0x2069}, {0xfeff, 0xfeff}};
	for (size_t i = 0; i < sizeof acting / sizeof acting[0]; i++) {
		if (point >= acting[i].first && point <= acting[i].last)
			return true;
	}
	return false;
}

bool text_is_neutral(const char *text, size_t len, size_t *at)
{
	uint32_t point = 0;
	for (*at = 0; *at < len;) {
		size_t taken = decode((const unsigned char *)text + *at, len - *at, &point);
		if (taken == 0 || acts(point))
			return false;
		*at += taken;
	}
	return true;
}
