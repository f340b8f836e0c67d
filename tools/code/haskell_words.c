/* SPDX-License-Identifier: MIT
 * Only words, strings and the layout of lines are looked at. Definitions behind `where`, and the lines of a `let`, run
 * where they are used. */
#include "haskell_calling.h"

#include <string.h>

static const struct {
	const char *name;
	bool reads, writes;
} accesses[] = {{"readTVar", true, false}, {"writeTVar", false, true}, {"modifyTVar", true, true},
	{"modifyTVar'", true, true}, {"stateTVar", true, true}, {"swapTVar", true, true}};

struct reader {
	struct haskell_words words;
	bool writes;
	bool has_where;
	size_t let_column; /* of the `let` whose lines these are, from 1; 0: none */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

static bool is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

static void add(struct reader *reader, uint32_t line)
{
	struct haskell_words *words = &reader->words;
	words->is_ordered &= !reader->has_where && reader->let_column == 0;
	words->is_whole &= words->len < HASKELL_WORDS_MAX;
	if (words->len < HASKELL_WORDS_MAX)
		words->lines[words->len++] = line;
}

static void read_word(struct reader *reader, const char *word, size_t len, uint32_t line, size_t column)
{
	if (is(word, len, "where"))
		reader->has_where = true;
	else if (is(word, len, "let") && reader->let_column == 0)
		reader->let_column = column;
	for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
		if (is(word, len, accesses[i].name) && (reader->writes ? accesses[i].writes : accesses[i].reads))
			add(reader, line);
}

/* Returns where the string ends that begins at `at`. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

static void read_line(struct reader *reader, const char *begin, const char *end, uint32_t line)
{
	const char *at = begin + strspn(begin, " \t");
	if (at < end && *at != '\n' && (size_t)(at - begin) < reader->let_column)
		reader->let_column = 0;
	while (at < end) {
		size_t len = 0;
		if (end - at >= 2 && memcmp(at, "--", 2) == 0)
			return;
		if (end - at >= 2 && memcmp(at, "{-", 2) == 0)
			reader->words.is_whole = false;
		while (at + len < end && is_word(at[len]))
			len++;
		if (len > 0)
			read_word(reader, at, len, line, (size_t)(at - begin) + 1);
		at = len > 0 ? at + len : *at == '"' ? skip_string(at, end) : at + 1;
	}
}

struct haskell_words haskell_words_find(const struct source_text *text, uint32_t first, uint32_t last, bool writes)
{
	struct reader reader = {.words = {.is_ordered = true, .is_whole = true}, .writes = writes};
	for (uint32_t line = first; line >= 1 && line <= last && line <= text->len; line++)
		read_line(&reader, text->lines[line - 1], text->lines[line], line);
	return reader.words;
}
