/* SPDX-License-Identifier: MIT
 * Text of any bytes in the picture. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "export_graph.h"
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
	default:
		return NULL;
	}
}

/* U+FFFE and U+FFFF are valid in UTF-8, but not in XML. */
static bool is_no_character(const char *text)
{
	return memcmp(text, "\xef\xbf", 2) == 0 && ((unsigned char)text[2] == 0xbe || (unsigned char)text[2] == 0xbf);
}

void graph_put(FILE *out, const char *text)
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

void graph_say(FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	int len = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (len < 0)
		return;
	graph_put(out, text);
	free(text);
}

/* ---- labels ---- */

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

/* The offset of a character, by its number; the end of the text if it has fewer. */
static size_t offset_of(const char *text, size_t number)
{
	size_t at = 0;
	for (size_t seen = 0; text[at] != '\0'; at++)
		if (begins_character(text[at]) && seen++ == number)
			break;
	return at;
}

void graph_label(FILE *out, double x, double y, const char *attributes, const char *text, size_t max)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	bool is_cut = clean[offset_of(clean, max)] != '\0';
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	if (is_cut) {
		fputs("<title>", out);
		graph_put(out, clean);
		fputs("</title>", out);
		clean[offset_of(clean, max > 0 ? max - 1 : 0)] = '\0';
	}
	graph_put(out, clean);
	fputs(is_cut ? "\xe2\x80\xa6</text>\n" : "</text>\n", out);
	free(clean);
}
