/* SPDX-License-Identifier: MIT
 * The lines of an access by the words of the source: a function whose code has as many accesses of a kind as its source
 * has words for them, has them in the same order. */
#ifndef HASKELL_MATCH_H
#define HASKELL_MATCH_H

#include "haskell_calling.h"

/* Where the last jump of a block leads out of the function. */
enum haskell_jump {
	HASKELL_JUMP_OTHER,
	HASKELL_JUMP_READ,
	HASKELL_JUMP_WRITE,
	HASKELL_JUMP_BIND,    /* to >>= or >> */
	HASKELL_JUMP_NOWHERE, /* to no access: to the collector of garbage, `retry`, or an error */
};
enum haskell_jump haskell_match_jump(const struct haskell_calling *calling, const struct haskell_block *block);

/* Of `lines`, those that the words leave for the access in block `number`. All of them if the source is not as it was
 * when the program ran, or if the words do not match the code. Requires that there is such a block. */
struct haskell_lines haskell_match_narrow(
	const struct haskell_calling *calling, size_t number, struct haskell_lines lines);

#endif
