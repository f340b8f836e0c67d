/* SPDX-License-Identifier: MIT */
#include "utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report_memory.h"

/* The length of the UTF-8 sequence at the beginning of `text`; 0 if there is none. Overlong forms, surrogates and code
 * points above U+10FFFF are none. Reads no byte after the terminating NUL. */
static size_t sequence_len(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		size_t len;
		uint32_t lowest;
	} forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		if ((text[0] & forms[i].mask) != forms[i].lead)
			continue;
		uint32_t point = text[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k < forms[i].len; k++) {
			if ((text[k] & 0xc0) != 0x80)
				return 0;
			point = point << 6 | (text[k] & 0x3f);
		}
		bool is_valid = point >= forms[i].lowest && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
		return is_valid ? forms[i].len : 0;
	}
	return 0;
}

static bool is_control(const unsigned char *text, size_t len)
{
	return (len == 1 && (text[0] < 0x20 || text[0] == 0x7f)) || (len == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

char *utf8_clean(const char *text, enum utf8_controls controls)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const unsigned char *in = (const unsigned char *)text;
	char *clean = memory_zeroed(strlen(text) + 1, sizeof replacement - 1);
	size_t used = 0;
	while (*in != '\0') {
		size_t len = sequence_len(in);
		if (len == 0) {
			memcpy(clean + used, replacement, sizeof replacement - 1);
			used += sizeof replacement - 1;
			in++;
			continue;
		}
		if (controls == UTF8_HIDE_CONTROLS && is_control(in, len)) {
			clean[used++] = '?';
		} else {
			memcpy(clean + used, in, len);
			used += len;
		}
		in += len;
	}
	return clean;
}

char *utf8_cleaned(char *text)
{
	char *clean = text != NULL ? utf8_clean(text, UTF8_HIDE_CONTROLS) : NULL;
	memory_free(text);
	return clean;
}
