/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { WIDTH_MAX = 9999 };

/* Whether the character has two columns: East Asian scripts and pictures. */
static bool is_wide(uint32_t point)
{
	static const uint32_t ranges[][2] = {{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23f3},
		{0x25fd, 0x25fe}, {0x2614, 0x27bf}, {0x2b1b, 0x2b55}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
		{0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19}, {0xfe30, 0xfe6f},
		{0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18d08}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004},
		{0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f200, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && point >= ranges[i][0]; i++)
		if (point <= ranges[i][1])
			return true;
	return false;
}

size_t fit_letter(const char *text, size_t *columns)
{
	REQUIRES(text[0] != '\0');
	uint32_t point = 0;
	size_t len = utf8_read(text, &point);
	*columns = len != 0 && is_wide(point) ? 2 : 1;
	return len != 0 ? len : 1;
}

size_t fit_bytes(const char *text, size_t width)
{
	size_t at = 0, used = 0, columns;
	while (text[at] != '\0') {
		size_t len = fit_letter(text + at, &columns);
		used += columns;
		if (used > width)
			break;
		at += len;
	}
	return at;
}

size_t fit_width(const char *text)
{
	size_t used = 0, columns;
	while (*text != '\0') {
		text += fit_letter(text, &columns);
		used += columns;
	}
	return used;
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
	/* The mark has room if `width` is less than the text's width: no character has more columns than bytes. */
	memcpy(text + fit_bytes(text, width - mark_width), mark, sizeof mark);
	return text;
}

size_t fit_part(const char *text, size_t width)
{
	static const char breaks[] = "-_/:,.";
	size_t max = fit_bytes(text, width), len = max;
	if (text[max] == '\0' || text[max] == ' ')
		return max;
	while (len > 0 && text[len] != ' ')
		len--;
	if (len > 0)
		return len;
	for (len = max; len > 0 && (strchr(breaks, text[len - 1]) == NULL || strncmp(text + len - 1, "..", 2) == 0);)
		len--;
	if (len > width / 2)
		return len;
	return max > 0 ? max : fit_letter(text, &len);
}

size_t fit_limit(size_t width)
{
	return width != 0 ? width : SIZE_MAX / 2;
}

size_t fit_asked(void)
{
	const char *text = getenv("COLUMNS");
	size_t digits = text != NULL ? strspn(text, "0123456789") : 0;
	if (digits == 0 || text[digits] != '\0')
		return 0;
	unsigned long width = strtoul(text, NULL, 10);
	return width <= WIDTH_MAX ? width : WIDTH_MAX;
}
