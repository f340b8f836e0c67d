/* SPDX-License-Identifier: MIT
 * A function of Haskell that calls, and the lines of its calls as far as what they pass tells. Code that is passed has
 * a source of its own. It is an argument of the call if the block that calls has a note around that source: then the
 * note is the call's expression. */
#ifndef HASKELL_CALLING_H
#define HASKELL_CALLING_H

#include <stdint.h>

#include "haskell_blocks.h"
#include "haskell_unit.h"

/* In functions of more blocks the order of calls is not looked at. */
enum { HASKELL_BLOCKS_MAX = 2000 };

/* Lines of the source; first == 0: not known. */
struct haskell_lines {
	uint32_t first, last;
};

/* Lines that have both. */
struct haskell_lines haskell_lines_joined(struct haskell_lines one, struct haskell_lines other);

/* The function, and the part of the source that it was made from. What is known is the continuation, or the closure
 * that goes on behind the call, as the k of m >>= k; the other one is 0. Both are 0 for what the function ends with. */
struct haskell_calling {
	uint64_t continuation, next;
	uint64_t ran_ns; /* when the program ran, since 1970 */
	const struct code *code;
	const struct haskell_unit *unit;
	struct haskell_blocks blocks;
	const char *file;
	struct haskell_lines source;
};

/* The scope of a block, and the one around a scope; NULL: none. */
const struct haskell_scope *haskell_calling_scope(
	const struct haskell_calling *calling, const struct haskell_block *block);
const struct haskell_scope *haskell_calling_around(
	const struct haskell_calling *calling, const struct haskell_scope *scope);

/* The source of the code of a closure; NULL: not known. */
const struct haskell_note *haskell_calling_source(const struct haskell_unit *unit, uint64_t code);

/* The lines of the call in a block, by what it passes. */
struct haskell_lines haskell_calling_lines(const struct haskell_calling *calling, const struct haskell_block *block);

/* The lines of the m that was passed beside `next`. An m that is no new closure is before it. */
struct haskell_lines haskell_calling_lines_before(
	const struct haskell_calling *calling, const struct haskell_block *block);

#endif
