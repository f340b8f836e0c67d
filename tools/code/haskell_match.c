/* SPDX-License-Identifier: MIT
 * Words in definitions that run elsewhere have no order, and then only the kind of an access says which word may be
 * its. */
#include "haskell_match.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "haskell_words.h"
#include "memory.h"

enum access { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE };

static enum access access_of(const struct haskell_calling *calling, const struct haskell_block *block)
{
	struct instruction jump = {INSTRUCTION_JUMP, 0, block->callee};
	const char *name = block->callee != 0 ? code_callee(calling->code, &jump) : NULL;
	if (name == NULL)
		return ACCESS_NONE;
	return strcmp(name, "stg_readTVarzh") == 0    ? ACCESS_READ
	       : strcmp(name, "stg_writeTVarzh") == 0 ? ACCESS_WRITE
						      : ACCESS_NONE;
}

/* All accesses of a kind, and the words for them. Invariant: they are as many. */
struct matching {
	struct haskell_words words;
	size_t blocks[HASKELL_WORDS_MAX];
	size_t len;
};

/* False: the source is not as it was, or has not as many words of that kind as there are accesses in the code. */
static bool match(const struct haskell_calling *calling, enum access kind, struct matching *matching)
{
	struct source_text text;
	char *recorded = source_path(calling->file, calling->unit->directory), *path = source_find(recorded, NULL);
	bool is_there = path != NULL && !source_is_newer(path, calling->ran_ns) && source_read(&text, path) == NULL;
	free(recorded);
	free(path);
	if (!is_there)
		return false;
	matching->words = haskell_words_find(&text, calling->source.first, calling->source.last, kind == ACCESS_WRITE);
	source_fini(&text);
	matching->len = 0;
	for (size_t i = 0; i < calling->blocks.len; i++) {
		if (access_of(calling, &calling->blocks.at[i]) != kind)
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
	enum access kind = access_of(calling, &calling->blocks.at[block]);
	if (lines.first == lines.last || kind == ACCESS_NONE || calling->blocks.len > HASKELL_BLOCKS_MAX ||
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
