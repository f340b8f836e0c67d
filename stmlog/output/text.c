/* SPDX-License-Identifier: MIT
 * Writes names and columns. */
#include "text.h"

#include <stdio.h>
#include <string.h>

#include "utf8_read.h"

void text_name(struct out *out, const char *name)
{
	char clean[1024];
	snprintf(clean, sizeof clean, "%s", name);
	utf8_hide(clean);
	out_text(out, clean);
}

void text_basename(struct out *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	text_name(out, slash != NULL ? slash + 1 : path);
}

static void put_spaces(struct out *out, size_t width, const char *text)
{
	for (size_t len = strlen(text); len < width; len++)
		out_text(out, " ");
}

void text_right(struct out *out, size_t width, const char *text)
{
	put_spaces(out, width, text);
	out_text(out, text);
}

void text_left(struct out *out, size_t width, const char *text)
{
	out_text(out, text);
	put_spaces(out, width, text);
}
