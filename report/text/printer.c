/* SPDX-License-Identifier: MIT
 * Writes text with the marks of its meaning. To break lines, buffers a word until its end is seen, and begins a new
 * line before a word that does not fit. */
#include "printer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report_memory.h"
#include "utf8.h"

void printer_text(const struct printer *printer, const char *text)
{
	printer->write(printer->arg, text, strlen(text));
}

void printer_format(const struct printer *printer, const char *format, ...)
{
	char few[256], *text = few;
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int len = vsnprintf(few, sizeof few, format, arguments);
	if (len >= (int)sizeof few) {
		text = memory_zeroed((size_t)len + 1, 1);
		vsnprintf(text, (size_t)len + 1, format, again);
	}
	va_end(again);
	va_end(arguments);
	printer_text(printer, text);
	if (text != few)
		memory_free(text);
}

void printer_bold(const struct printer *printer, const char *text)
{
	printer_text(printer, printer->is_coloured ? "\033[1m" : "");
	printer_text(printer, text);
	printer_text(printer, printer->is_coloured ? "\033[0m" : "");
}

static void printer_mark(const struct printer *printer, enum printer_meaning meaning)
{
	if (printer->mark != NULL)
		printer->mark(printer, meaning);
}

void printer_marked(const struct printer *printer, enum printer_meaning meaning, const char *text)
{
	printer_mark(printer, meaning);
	printer_text(printer, text);
	printer_mark(printer, PRINTER_PLAIN);
}

void printer_place(const struct printer *printer, const char *name)
{
	printer_mark(printer, PRINTER_PLACE);
	printer_name(printer, name);
	printer_mark(printer, PRINTER_PLAIN);
}

void printer_spaces(const struct printer *printer, size_t count)
{
	while (count-- > 0)
		printer->write(printer->arg, " ", 1);
}

void printer_name(const struct printer *printer, const char *name)
{
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	printer_text(printer, clean);
	memory_free(clean);
}

/* ---- broken lines ---- */

enum { HANG = 4, LABEL_MAX = 40, MIN_ROOM = 16 };

static void fold_put(const struct fold *fold, const char *bytes, size_t len)
{
	if (len > 0) /* `bytes` may be NULL if `len` is 0 */
		fold->to.write(fold->to.arg, bytes, len);
}

static void put_spaces(struct fold *fold, size_t count)
{
	printer_spaces(&fold->to, count);
	fold->column += count;
}

/* Limits the indent, so that at least MIN_ROOM columns are left behind it if the width allows. */
static size_t fold_bounded(const struct fold *fold, size_t hang)
{
	size_t max = fold->width > MIN_ROOM ? fold->width - MIN_ROOM : 0;
	return hang < max ? hang : max;
}

static void break_line(struct fold *fold)
{
	fold_put(fold, "\n", 1);
	fold->column = fold->spaces = 0;
	put_spaces(fold, fold->hang);
}

/* Sets the column at which broken lines continue: behind the first gap of two or more spaces, unless that is too far to
 * the right. */
static void note_hang(struct fold *fold)
{
	size_t at = fold->column + fold->spaces;
	if (fold->column == 0) {
		fold->hang = fold_bounded(fold, fold->spaces);
		fold->has_label = false;
	} else if (!fold->has_label && fold->spaces >= 2 && at <= LABEL_MAX && 2 * at <= fold->width) {
		fold->hang = at;
		fold->has_label = true;
	}
}

/* Prints the word on this line, or on the next one if there is no room. */
static void fold_put_word(struct fold *fold)
{
	if (fold->word_width > 0) {
		if (fold->column == 0)
			fold->spaces = fold_bounded(fold, fold->spaces);
		if (fold->column > fold->hang && fold->column + fold->spaces + fold->word_width > fold->width)
			break_line(fold);
		bool is_label = fold->column == 0 && fold->last == ':';
		put_spaces(fold, fold->spaces);
		fold->spaces = 0;
		fold->hang = is_label ? fold_bounded(fold, fold->hang + HANG) : fold->hang;
	}
	fold_put(fold, fold->word, fold->len);
	fold->column += fold->word_width;
	fold->len = fold->word_width = 0;
}

static void end_line(struct fold *fold)
{
	fold_put_word(fold);
	fold_put(fold, "\n", 1);
	fold->column = fold->spaces = fold->hang = 0;
}

static void fold_append(struct fold *fold, const char *bytes, size_t len)
{
	if (fold->len + len > fold->cap) {
		size_t cap = 2 * (fold->len + len);
		char *longer = memory_zeroed(cap, 1);
		if (fold->len > 0)
			memcpy(longer, fold->word, fold->len);
		memory_free(fold->word);
		fold->word = longer;
		fold->cap = cap;
	}
	memcpy(fold->word + fold->len, bytes, len);
	fold->len += len;
}

/* A word that is wider than any line is broken at the end of this line, unless it is to be copied. */
static void add_character(struct fold *fold, const char *bytes, size_t len)
{
	char text[5] = "";
	size_t columns;
	memcpy(text, bytes, len);
	fit_character(text, &columns);
	if (fold->word_width == 0)
		note_hang(fold);
	if (fold->word_width + columns > fold->width - fold->hang && !fold->is_copied)
		fold_put_word(fold);
	fold_append(fold, bytes, len);
	fold->word_width += columns;
	fold->last = bytes[0];
}

/* The number of bytes of the character that begins with this byte. */
static size_t character_bytes(unsigned char byte)
{
	return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

static void end_character(struct fold *fold)
{
	if (fold->character_len > 0)
		add_character(fold, (const char *)fold->character, fold->character_len);
	fold->character_len = 0;
}

static void fold_text(struct fold *fold, char byte)
{
	if (((unsigned char)byte & 0xc0) != 0x80)
		end_character(fold);
	if (byte == '\n') {
		end_line(fold);
	} else if (byte == ' ') {
		fold_put_word(fold);
		fold->spaces++;
	} else {
		fold->character[fold->character_len++] = (unsigned char)byte;
		if (fold->character_len == character_bytes(fold->character[0]))
			end_character(fold);
	}
}

/* Handles escape sequences: ESC [ ... letter. */
static void add_escape(struct fold *fold, char byte)
{
	fold_append(fold, &byte, 1);
	if (fold->state == FOLD_ESCAPE)
		fold->state = byte == '[' ? FOLD_SEQUENCE : FOLD_TEXT;
	else if (byte >= '@' && byte <= '~')
		fold->state = FOLD_TEXT;
}

static void write_folded(void *arg, const char *bytes, size_t len)
{
	struct fold *fold = arg;
	for (size_t i = 0; i < len; i++) {
		if (fold->state == FOLD_TEXT && bytes[i] == '\033') {
			fold_append(fold, bytes + i, 1);
			fold->state = FOLD_ESCAPE;
		} else if (fold->state == FOLD_TEXT) {
			fold_text(fold, bytes[i]);
		} else {
			add_escape(fold, bytes[i]);
		}
	}
}

static void mark_folded(const struct printer *printer, enum printer_meaning meaning)
{
	struct fold *fold = printer->arg;
	bool was_copied = fold->is_copied;
	fold->is_copied = meaning == PRINTER_COPY;
	if (fold->to.mark != NULL && !was_copied && !fold->is_copied)
		fold->to.mark(printer, meaning);
}

struct printer fold_printer(struct fold *fold, const struct printer *to)
{
	struct printer printer = *to;
	if (to->width == 0)
		return printer;
	fold->to = *to;
	fold->width = to->width;
	printer.write = write_folded;
	printer.mark = mark_folded;
	printer.arg = fold;
	return printer;
}
