/* SPDX-License-Identifier: MIT
 * Where Haskell code calls, and the lines of its calls. The code of a function is read as blocks. The line of a call is
 * known by what it passes, by the order of the statements, and by the words of the source. */
#ifndef HASKELL_CALLING_H
#define HASKELL_CALLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"
#include "haskell_unit.h"
#include "inlining.h"
#include "source_file.h"

/* ---- haskell_blocks.c ---- */

/* The machine code of one function of Haskell, as blocks, and which of them run behind which. A block calls by leaving
 * the address of its continuation, which is another block, on the stack, and jumping away. What it passes may be new
 * closures: their code is known by the address that is stored into each. */

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

/* ---- haskell_calling.c ---- */

/* A function of Haskell that calls, and the lines of its calls as far as what they pass tells. Code that is passed has
 * a source of its own. It is an argument of the call if the block that calls has a note around that source: then the
 * note is the call's expression. */

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

/* The lines of the call in block `number` of the function, by the order of the statements: it lies between the calls
 * that run before and behind it. Requires that there is such a block. */
struct haskell_lines haskell_order_lines(const struct haskell_calling *calling, size_t number);

/* The part of the source that has the statements of function `function`, of which `calling` has the blocks: its own, or
 * if that does nothing but call one that was inlined, that one's. NULL: the function has no notes. */
const struct haskell_note *haskell_part_find(const struct haskell_calling *calling, uint32_t function);

/* ---- haskell_words.c ---- */

/* The lines of an access by the words of the source that read or write TVars. */

enum { HASKELL_WORDS_MAX = 64 };

/* Lines with the words of one kind, a line as often as it has one. */
struct haskell_words {
	uint32_t lines[HASKELL_WORDS_MAX];
	size_t len;
	bool is_ordered; /* the program runs through them in this order: none is in a `where` or `let` */
	bool is_whole;   /* there are no more, and no comments that may hide some */
};

/* The words of the lines from `first` to `last` that write; or else those that read. */
struct haskell_words haskell_words_find(const struct source_text *text, uint32_t first, uint32_t last, bool writes);

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

/* ---- haskell_call.c ---- */

/* Where Haskell code calls. A traceback has the addresses of continuations, which is where the code goes on behind the
 * call. The call is in the block that leaves the continuation on the stack. */

/* Finds the frames of the call whose continuation is at `address` (in the process that ran), innermost first, as
 * inlining_frames() does. The line of a call is known by what it passes, or else by the calls before and behind it:
 * then frames have a last_line, and the line is in between. Returns how many frames; 0: no such call was found. */
size_t haskell_call_frames(struct inlining *inlining, Dwfl_Module *module, uint64_t address, uint64_t ran_ns,
	struct inlining_frame frames[INLINING_DEPTH]);

#endif
