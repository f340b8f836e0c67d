/* SPDX-License-Identifier: MIT
 * What GHC's debug information tells of one unit, which is one module of Haskell. GHC cuts a function into blocks, and
 * only the first block is in the range of the function's own entry. The others are entries below it, anywhere in the
 * code, and each says from which parts of the source it was made: one note for each expression around it, outermost
 * first, also of functions that were inlined there. */
#ifndef HASKELL_UNIT_H
#define HASKELL_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "inlining.h"

/* A part of the source, up to its last character. Texts are borrowed from the debug information. */
struct haskell_note {
	const char *file;
	uint32_t line, column, end_line, end_column;
};

struct haskell_function {
	Dwarf_Die die;
	const char *source_name;    /* as in the source, "go" within "serve" as "serve.go"; NULL: not known */
	struct haskell_note source; /* file == NULL: not known; end_line == 0: only where it begins */
	char *name;                 /* NULL: not asked for yet, or not known */
	bool is_asked;
};

enum { HASKELL_NONE = UINT32_MAX };

/* A block. Its notes are those of the block around it, and behind them its own. */
struct haskell_scope {
	uint32_t function, around; /* around: a scope, or HASKELL_NONE */
	size_t first_note, notes;
};

struct haskell_range {
	Dwarf_Addr start, end;
	uint32_t scope;
};

/* Invariants: functions are ordered by where their entries are, ranges by their start, `starts` (numbers of functions)
 * by the line and column where their sources begin, of those that have one. */
struct haskell_unit {
	Dwarf_Die die;
	const char *file;      /* "" if not known */
	const char *directory; /* in which it was compiled; NULL: not known */
	char *module;          /* "package:Module."; NULL: not known */
	struct haskell_function *functions;
	struct haskell_scope *scopes;
	struct haskell_note *notes;
	struct haskell_range *ranges;
	uint32_t *starts;
	size_t function_count, scope_count, note_count, range_count, start_count;
};

/* Whether the unit is of Haskell. */
bool haskell_unit_is(Dwarf_Die *unit);

struct haskell_unit *haskell_unit_create(Dwarf_Die *unit);
void haskell_unit_destroy(struct haskell_unit **unit);

/* The range with the address; NULL: none has it. */
const struct haskell_range *haskell_unit_range(const struct haskell_unit *unit, Dwarf_Addr address);

/* The function whose source has the note within it, the innermost one; HASKELL_NONE: there is none, or it goes by
 * several names. */
uint32_t haskell_unit_with(const struct haskell_unit *unit, const struct haskell_note *note);

/* Whether the first note begins before the other one. Their files are not compared. */
bool haskell_is_before(const struct haskell_note *note, const struct haskell_note *other);

/* Whether the first note is within the other one, or is the same. Their files are not compared. */
bool haskell_is_within(const struct haskell_note *note, const struct haskell_note *part);

/* Whether the position is within the note. */
bool haskell_has(const struct haskell_note *part, uint32_t line, uint32_t column);

/* The function around, in the source; HASKELL_NONE: none, or it has no code. */
uint32_t haskell_unit_around(const struct haskell_unit *unit, uint32_t function);

/* The symbol of the function; NULL: not known. */
const char *haskell_symbol(Dwarf_Die *function);

/* The line of the code at `address`, if that begins at `from` or later; file == NULL: not known. */
struct haskell_note haskell_unit_line(const struct haskell_unit *unit, Dwarf_Addr from, Dwarf_Addr address);

/* Whether the files are the same: paths may have the directory of the compilation in front of them, or not.
 * NULL: not known, and the same as none. */
bool haskell_same_file(const char *one, const char *other);

/* ---- haskell_frames.c: the frames of an address in code that GHC made from Haskell ---- */

/* The units of Haskell that were read up to now, of all files. The debug information of the files must outlive it. */
struct haskell_files;
struct haskell_files *haskell_files_create(void);
void haskell_files_destroy(struct haskell_files **files);

/* The unit; NULL: it is not of Haskell. Borrowed until haskell_files_destroy(). */
const struct haskell_unit *haskell_frames_unit(struct haskell_files *files, const Dwarf_Die *unit);

/* Finds the frames at `address` (in the file) of a unit of Haskell, innermost first. Names are as those of
 * haskell_name(), and borrowed until haskell_files_destroy(). Returns how many, at most INLINING_DEPTH; 0: nothing
 * there is a block of a function. */
size_t haskell_frames(
	struct haskell_files *files, Dwarf_Die *unit, Dwarf_Addr address, struct inlining_frame frames[INLINING_DEPTH]);

#endif
