/* SPDX-License-Identifier: MIT */
#include "cut_name.h"

#include <stdbool.h>
#include <string.h>

#include "fit.h"

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
static struct word word_at(const char *text, size_t begin)
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
static struct word longest_word(const char *text, bool is_qualified)
{
	struct word longest = {0, 0, 0};
	for (size_t at = strspn(text, " "); text[at] != '\0'; at += strspn(text + at, " ")) {
		struct word word = word_at(text, at);
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
	struct word word = longest_word(text, true);
	if (word.second - word.begin <= MARK)
		return false;
	leave_out(text, word.begin, word.second);
	return true;
}

static size_t letters(const char *text, size_t columns)
{
	size_t bytes = fit_bytes(text, columns), unused;
	return bytes > 0 ? bytes : fit_letter(text, &unused);
}

/* Cuts the middle of the longest word so that it becomes narrower; an older mark ".." in the middle is cut, too.
 * Returns false if all words are too short to be cut. */
static bool leave_out_middle(char *text)
{
	struct word word = longest_word(text, false);
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
