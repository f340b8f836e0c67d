/* SPDX-License-Identifier: MIT
 * The lines of an access by the words of the source. A function whose code has as many accesses of a kind as its source
 * has words for them, has them in the same order. */
#include "haskell_calling.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"

/* ---- words ---- */

/* Only words, strings and the layout of lines are looked at. Definitions behind `where`, and the lines of a `let`, run
 * where they are used. */

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

static void add_word(struct reader *reader, uint32_t line)
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
			add_word(reader, line);
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

/* ---- accesses and their words ---- */

/* Words in definitions that run elsewhere have no order, and then only the kind of an access says which word may be
 * its. */

enum haskell_jump haskell_match_jump(const struct haskell_calling *calling, const struct haskell_block *block)
{
	static const struct {
		const char *part;
		enum haskell_jump jump;
	} functions[] = {{"stg_readTVarzh", HASKELL_JUMP_READ}, {"stg_writeTVarzh", HASKELL_JUMP_WRITE},
		{"stg_gc_", HASKELL_JUMP_NOWHERE}, {"stg_ap_0_fast", HASKELL_JUMP_NOWHERE},
		{"stg_retryzh", HASKELL_JUMP_NOWHERE}, {"stg_raise", HASKELL_JUMP_NOWHERE},
		{"ziBase_zgzg", HASKELL_JUMP_BIND}, {"ziBase_ztzg", HASKELL_JUMP_BIND},
		{"MonadSTMzuzdczgzg", HASKELL_JUMP_BIND}};
	struct instruction jump = {INSTRUCTION_JUMP, 0, block->callee};
	const char *name = block->callee != 0 ? code_callee(calling->code, &jump) : NULL;
	for (size_t i = 0; i < sizeof functions / sizeof functions[0] && name != NULL; i++)
		if (strstr(name, functions[i].part) != NULL)
			return functions[i].jump;
	return HASKELL_JUMP_OTHER;
}

/* All accesses of a kind, and the words for them. Invariant: they are as many. */
struct matching {
	struct haskell_words words;
	size_t blocks[HASKELL_WORDS_MAX];
	size_t len;
};

/* False: the source is not as it was, or has not as many words of that kind as there are accesses in the code. */
static bool match(const struct haskell_calling *calling, enum haskell_jump kind, struct matching *matching)
{
	struct source_text text;
	char *recorded = source_path(calling->file, calling->unit->directory), *path = source_find(recorded, NULL);
	bool is_there = path != NULL && !source_is_newer(path, calling->ran_ns) && source_read(&text, path) == NULL;
	free(recorded);
	free(path);
	if (!is_there)
		return false;
	matching->words =
		haskell_words_find(&text, calling->source.first, calling->source.last, kind == HASKELL_JUMP_WRITE);
	source_fini(&text);
	matching->len = 0;
	for (size_t i = 0; i < calling->blocks.len; i++) {
		if (haskell_match_jump(calling, &calling->blocks.at[i]) != kind)
			continue;
		if (matching->len == matching->words.len)
			return false;
		matching->blocks[matching->len++] = i;
	}
	return matching->words.is_whole && matching->len == matching->words.len;
}

/* The words that may be the one for a block: those of the accesses that run before or behind it are not. */
static struct haskell_lines lines_of_words(
	const struct haskell_calling *calling, const struct matching *matching, size_t block)
{
	size_t first = 0, last = matching->len - 1;
	bool *behind = memory_zeroed(calling->blocks.len, sizeof *behind);
	haskell_blocks_reach(&calling->blocks, block, behind);
	for (size_t i = 0; i < matching->len && matching->words.is_ordered; i++) {
		size_t other = matching->blocks[i];
		bool *reached = memory_zeroed(calling->blocks.len, sizeof *reached);
		haskell_blocks_reach(&calling->blocks, other, reached);
		last -= behind[other] && !reached[block];
		first += reached[block] && !behind[other];
		free(reached);
	}
	free(behind);
	return (struct haskell_lines){matching->words.lines[first], matching->words.lines[last]};
}

/* Whether each access whose line is known by what it passes has a word there. */
static bool is_consistent(const struct haskell_calling *calling, const struct matching *matching)
{
	for (size_t i = 0; i < matching->len; i++) {
		struct haskell_lines known = haskell_calling_lines(calling, &calling->blocks.at[matching->blocks[i]]);
		struct haskell_lines lines = lines_of_words(calling, matching, matching->blocks[i]);
		if (known.first != 0 && (known.first > lines.last || known.last < lines.first))
			return false;
	}
	return true;
}

struct haskell_lines haskell_match_narrow(
	const struct haskell_calling *calling, size_t block, struct haskell_lines lines)
{
	REQUIRES(block < calling->blocks.len);
	struct matching matching;
	enum haskell_jump kind = haskell_match_jump(calling, &calling->blocks.at[block]);
	bool is_access = kind == HASKELL_JUMP_READ || kind == HASKELL_JUMP_WRITE;
	if (lines.first == lines.last || !is_access || calling->blocks.len > HASKELL_BLOCKS_MAX ||
		!match(calling, kind, &matching) || !is_consistent(calling, &matching))
		return lines;
	struct haskell_lines words = lines_of_words(calling, &matching, block), left = {0, 0};
	for (size_t i = 0; i < matching.len; i++) {
		uint32_t line = matching.words.lines[i];
		if (line >= lines.first && line <= lines.last && line >= words.first && line <= words.last)
			left = haskell_lines_joined(left, (struct haskell_lines){line, line});
	}
	return left.first != 0 ? left : lines;
}
