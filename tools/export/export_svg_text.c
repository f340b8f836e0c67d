/* SPDX-License-Identifier: MIT
 * Text in the picture, of any bytes; and animations. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "export_svg.h"
#include "memory.h"
#include "utf8.h"
#include "xml_text.h"

void svg_put(FILE *out, const char *text)
{
	xml_text_put(out, text);
}

void svg_say(const struct svg *svg, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	int len = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (len < 0)
		return;
	svg_put(svg->out, text);
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

void svg_label(const struct svg *svg, double x, double y, const char *attributes, const char *text, size_t max)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	bool is_cut = clean[offset_of(clean, max)] != '\0';
	fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	if (is_cut) {
		fputs("<title>", svg->out);
		xml_text_put(svg->out, clean);
		fputs("</title>", svg->out);
		clean[offset_of(clean, max > 0 ? max - 1 : 0)] = '\0';
	}
	xml_text_put(svg->out, clean);
	fputs(is_cut ? "\xe2\x80\xa6</text>\n" : "</text>\n", svg->out);
	free(clean);
}

/* ---- animations ---- */

/* When the time at x comes, as a share of the whole animation: each animation has the duration of the whole, so that
 * they need no synchronisation. */
static double part(const struct svg *svg, double x)
{
	return (x - svg->scale.left) / svg->scale.width;
}

void svg_appear(const struct svg *svg, double x)
{
	if (svg->animate_s > 0)
		fprintf(svg->out,
			"<animate attributeName=\"opacity\" dur=\"%.9gs\" calcMode=\"discrete\" values=\"0;1\" "
			"keyTimes=\"0;%.6f\" fill=\"freeze\"/>",
			svg->animate_s, part(svg, x));
}

void svg_grow(const struct svg *svg, double x, double width)
{
	if (svg->animate_s > 0)
		fprintf(svg->out,
			"<animate attributeName=\"width\" dur=\"%.9gs\" values=\"0;0;%.2f;%.2f\" "
			"keyTimes=\"0;%.6f;%.6f;1\" fill=\"freeze\"/>",
			svg->animate_s, width, width, part(svg, x), part(svg, x + width));
}
