/* SPDX-License-Identifier: MIT
 * The first screen of the recording `made`, as text. */
#ifndef SCREENED_H
#define SCREENED_H

#include "ranked.h"
#include "screen.h"
#include "text_has.h"

/* 0: not known. */
static size_t width;
static char text[1 << 16];

static inline void append(void *unused, const char *bytes, size_t len)
{
	(void)unused;
	size_t at = strlen(text);
	assert_true(at + len < sizeof text);
	memcpy(text + at, bytes, len);
	text[at + len] = '\0';
}

typedef void print_screen(const struct report *report);

/* The text is there until the next call. */
static inline const char *printed(print_screen *print, struct report_options options, const char *file)
{
	struct printer printer = {.write = append, .width = width};
	text[0] = '\0';
	made_end(&made);
	symbols = symbols_create(&made.recording);
	print(&(struct report){&made.recording, symbols, options, &printer, file, NULL});
	symbols_destroy(&symbols);
	return text;
}

static inline const char *screen(void)
{
	return printed(screen_print, (struct report_options){.is_brief = true}, REPORT_USUAL_FILE);
}

#endif
