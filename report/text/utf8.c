/* SPDX-License-Identifier: MIT
 * Makes copies of texts in which no byte is invalid and, if wanted, no character acts on a terminal. Measures and cuts
 * texts, character by character; of names, cuts the parts first that say least. */
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report_memory.h"

/* ---- made valid ---- */

char *utf8_clean(const char *text, enum utf8_controls controls)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *clean = memory_zeroed(strlen(text) + 1, sizeof replacement - 1);
	size_t used = 0;
	for (size_t len; *text != '\0'; text += len) {
		uint32_t point;
		len = utf8_read(text, &point);
		const char *shown = len == 0 ? replacement : text;
		size_t shown_len = len == 0 ? sizeof replacement - 1 : len;
		if (len != 0 && controls == UTF8_HIDE_CONTROLS && utf8_acts(point)) {
			shown = "?";
			shown_len = 1;
		}
		memcpy(clean + used, shown, shown_len);
		used += shown_len;
		len += len == 0;
	}
	return clean;
}

char *utf8_cleaned(char *text)
{
	char *clean = text != NULL ? utf8_clean(text, UTF8_HIDE_CONTROLS) : NULL;
	memory_free(text);
	return clean;
}

/* ---- width in columns ---- */

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

size_t fit_character(const char *text, size_t *columns)
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
		size_t len = fit_character(text + at, &columns);
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
		text += fit_character(text, &columns);
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
	return max > 0 ? max : fit_character(text, &len);
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

/* ---- names cut ---- */

static const char mark[] = "..";
enum { MARK = sizeof mark - 1 };

/* A word of this width is not cut. */
enum { MIN_WORD = 12 };

/* A word of a text, as offsets in bytes. */
struct word {
	size_t begin, end;
	size_t second; /* the offset behind the first "::" outside of brackets; 0: there is none */
};

static bool opens(const char *text, size_t at)
{
	return strchr("<([", text[at]) != NULL && at > 0 && text[at - 1] != ' ';
}

/* The word at `begin`. Spaces within brackets belong to the word. */
static struct word text_word_at(const char *text, size_t begin)
{
	struct word word = {begin, begin, 0};
	for (size_t depth = 0, at = begin; text[at] != '\0' && (depth > 0 || text[at] != ' '); at++) {
		depth += opens(text, at);
		depth -= depth > 0 && strchr(">)]", text[at]) != NULL;
		if (depth == 0 && word.second == 0 && at > begin && text[at] == ':' && text[at - 1] == ':')
			word.second = at + 1;
		word.end = at + 1;
	}
	return word;
}

/* Whether the word is a file and a line, "book.cc:61". */
static bool is_line(const char *text, const struct word *word)
{
	size_t at = word->end - (word->end > word->begin && text[word->end - 1] == ',');
	while (at > word->begin && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	return at > word->begin && at < word->end && text[at - 1] == ':';
}

/* The longest word: of those with a "::" if `is_qualified`, otherwise of those that are not a file and a line. Empty:
 * there is none. */
static struct word text_longest_word(const char *text, bool is_qualified)
{
	struct word longest = {0, 0, 0};
	for (size_t at = strspn(text, " "); text[at] != '\0'; at += strspn(text + at, " ")) {
		struct word word = text_word_at(text, at);
		bool is_one = is_qualified ? word.second != 0 : !is_line(text, &word);
		if (is_one && word.end - word.begin > longest.end - longest.begin)
			longest = word;
		at = word.end;
	}
	return longest;
}

static void leave_out(char *text, size_t begin, size_t end)
{
	memcpy(text + begin, mark, MARK);
	memmove(text + begin + MARK, text + end, strlen(text + end) + 1);
}

/* Cuts off the first part of the longest qualified name. Returns false if there is none. */
static bool leave_out_qualifier(char *text)
{
	struct word word = text_longest_word(text, true);
	if (word.second - word.begin <= MARK)
		return false;
	leave_out(text, word.begin, word.second);
	return true;
}

static size_t letters(const char *text, size_t columns)
{
	size_t bytes = fit_bytes(text, columns), unused;
	return bytes > 0 ? bytes : fit_character(text, &unused);
}

/* Cuts the middle of the longest word so that it becomes narrower; an older mark ".." in the middle is cut, too.
 * Returns false if all words are too short to be cut. */
static bool leave_out_middle(char *text)
{
	struct word word = text_longest_word(text, false);
	char saved = text[word.end];
	text[word.end] = '\0';
	size_t width = fit_width(text + word.begin);
	bool is_long = width > MIN_WORD;
	size_t begin = word.begin + fit_bytes(text + word.begin, (width - 1 - MARK) / 2), end = begin;
	while (is_long && fit_width(text + word.begin) - fit_width(text + end) < width - (width - MARK) / 2)
		end += letters(text + end, 1);
	text[word.end] = saved;
	if (is_long)
		leave_out(text, begin, end);
	return is_long;
}

/* Cuts the end of the text. Marks and spaces directly before the new mark are removed, too. */
static void cut_end(char *text, size_t width)
{
	fit_cut(text, width);
	size_t end = strlen(text) - MARK, begin = end;
	while (width > MARK && begin > 0 && strchr(". ", text[begin - 1]) != NULL)
		begin--;
	memmove(text + begin, text + end, MARK + 1);
}

char *cut_namespaces(char *text, size_t width)
{
	while (fit_width(text) > width && leave_out_qualifier(text))
		continue;
	return fit_cut(text, width);
}

char *cut_name(char *text, size_t width)
{
	while (fit_width(text) > width && leave_out_qualifier(text))
		continue;
	while (fit_width(text) > width && leave_out_middle(text))
		continue;
	if (fit_width(text) > width && width >= MARK)
		cut_end(text, width);
	return fit_cut(text, width);
}

/* ---- words for a shell, in quotation marks as POSIX shells read them ---- */

/* Whether all characters of the word are literal in every shell. */
static bool is_plain_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-=";
	return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* Returns `before` and the word within quotation marks. */
static char *within_marks(const char *before, const char *word)
{
	/* A quotation mark of the word becomes four characters. Two marks surround the text, and a NUL ends it. */
	char *quoted = memory_zeroed(strlen(before) + 4 * strlen(word) + 3, 1);
	size_t used = 0;
	quoted[used++] = '\'';
	for (; *before != '\0'; before++)
		quoted[used++] = *before;
	for (; *word != '\0'; word++) {
		/* A quotation mark ends the quoted text, is written behind a backslash, and begins the quoted text
		 * again. */
		for (const char *ended = *word == '\'' ? "'\\'" : ""; *ended != '\0'; ended++)
			quoted[used++] = *ended;
		quoted[used++] = *word;
	}
	quoted[used] = '\'';
	return quoted;
}

char *quoted_word(const char *word)
{
	if (word[0] == '-')
		return within_marks("./", word);
	return strchr(word, '=') == NULL && is_plain_word(word) ? memory_text(word) : within_marks("", word);
}

/* An argument of the user's program: unlike quoted_word(), it may begin with '-'. */
static char *quoted_argument(const char *argument)
{
	return is_plain_word(argument) ? memory_text(argument) : within_marks("", argument);
}

char *quoted_command(const char *const *words, size_t len)
{
	REQUIRES(len > 0);
	char *command = quoted_word(words[0]);
	for (size_t i = 1; i < len; i++) {
		char *argument = quoted_argument(words[i]), *longer = memory_format("%s %s", command, argument);
		memory_free(argument);
		memory_free(command);
		command = longer;
	}
	return command;
}
