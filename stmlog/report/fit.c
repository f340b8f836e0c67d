/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <string.h>

size_t fit_bytes(const char *text, size_t width)
{
	size_t len = 0, letters = 0;
	for (; text[len] != '\0'; len++) {
		letters += ((unsigned char)text[len] & 0xc0) != 0x80;
		if (letters > width)
			break;
	}
	return len;
}

size_t fit_width(const char *text)
{
	size_t letters = 0;
	for (; *text != '\0'; text++)
		letters += ((unsigned char)*text & 0xc0) != 0x80;
	return letters;
}

char *fit_cut(char *text, size_t width)
{
	static const char mark[] = "..";
	size_t mark_width = sizeof mark - 1;
	if (fit_width(text) <= width)
		return text;
	if (width <= mark_width) {
		text[fit_bytes(text, width)] = '\0';
		return text;
	}
	/* As long as `width` is less than that of the text, the mark has room: each character has a byte or more. */
	memcpy(text + fit_bytes(text, width - mark_width), mark, sizeof mark);
	return text;
}
