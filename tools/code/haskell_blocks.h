/* SPDX-License-Identifier: MIT
 * The machine code of one function of Haskell, as blocks, and which of them run behind which. A block calls by leaving
 * the address of its continuation, which is another block, on the stack, and jumping away. What it passes may be new
 * closures: their code is known by the address that is stored into each. */
#ifndef HASKELL_BLOCKS_H
#define HASKELL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"
#include "haskell_unit.h"

/* A closure that a block makes. */
struct haskell_closure {
	uint64_t code;
	int64_t place;      /* from the heap pointer */
	uint32_t registers; /* that were given its address: a bit for each */
};

/* Limits: of what is kept of a block. What is more is left out. */
enum { HASKELL_CLOSURES = 16, HASKELL_NEXT = 8 };

struct haskell_block {
	uint64_t start, end;
	uint32_t scope;
	uint64_t continuation; /* 0: it leaves none */
	uint64_t callee;       /* where its last jump leads out of the function; 0: not known */
	bool leaves;           /* that jump leads to any code; not back, or to the collector of garbage */
	struct haskell_closure closures[HASKELL_CLOSURES];
	size_t closure_count;
	uint64_t next[HASKELL_NEXT]; /* blocks of the function that may run behind it */
	size_t next_count;
};

/* Invariant: blocks are ordered by their start. */
struct haskell_blocks {
	struct haskell_block *at;
	size_t len;
};

/* Reads the blocks of function `function` of the unit. Addresses are those in the file, which the debug information
 * has, too. Call haskell_blocks_fini() afterwards. */
void haskell_blocks_init(
	struct haskell_blocks *blocks, const struct code *code, const struct haskell_unit *unit, uint32_t function);
void haskell_blocks_fini(struct haskell_blocks *blocks);

/* Sets reached[i] for each block i that may run behind block `from`; itself, if it is in a loop. Requires `len`
 * elements of `reached` that are false, and from < len. */
void haskell_blocks_reach(const struct haskell_blocks *blocks, size_t from, bool *reached);

/* Whether the function is left in block `number` for good: with no continuation, that of a block before it included.
 * Requires that there is such a block. */
bool haskell_blocks_is_last(const struct haskell_blocks *blocks, size_t number);

/* What the code at `address` is for, by its info table. */
enum haskell_code_kind { HASKELL_CODE_OTHER, HASKELL_CODE_CLOSURE, HASKELL_CODE_CONTINUATION };
enum haskell_code_kind haskell_code_kind(const struct code *code, uint64_t address);

#endif
