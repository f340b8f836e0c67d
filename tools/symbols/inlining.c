/* SPDX-License-Identifier: MIT
 * The debug information of a unit is a tree that can be searched only by walking through it. At the first look-up in a
 * unit its functions are sorted by address. Each look-up then walks through one function only. */
#include "inlining.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "haskell_unit.h"
#include "memory.h"
#include "sort.h"

/* [start, end) of the code of a function, which may have several ranges. */
struct range {
	Dwarf_Addr start, end;
	Dwarf_Die function;
};

/* Invariant: ranges are ordered by where they start. */
struct unit {
	void *identity;
	struct range *ranges;
	size_t len, cap;
};

struct inlining {
	void *units; /* a tree */
	struct haskell_files *haskell;
};

/* A limit for namespaces within namespaces, and so on, in damaged files. */
enum { DEEPEST = 64 };

struct inlining *inlining_create(void)
{
	struct inlining *inlining = memory_zeroed(1, sizeof *inlining);
	inlining->haskell = haskell_files_create();
	return inlining;
}

static void destroy(void *node)
{
	struct unit *unit = node;
	free(unit->ranges);
	free(unit);
}

void inlining_destroy(struct inlining **inlining)
{
	if (*inlining == NULL)
		return;
	tdestroy((*inlining)->units, destroy);
	haskell_files_destroy(&(*inlining)->haskell);
	free(*inlining);
	*inlining = NULL;
}

/* ---- the functions of a unit ---- */

static int by_identity(const void *a, const void *b)
{
	const struct unit *left = a, *right = b;
	return sort_numbers((uintptr_t)left->identity, (uintptr_t)right->identity);
}

static int by_start(const void *a, const void *b)
{
	const struct range *left = a, *right = b;
	return sort_numbers(left->start, right->start);
}

static void add_ranges(struct unit *unit, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	while ((offset = dwarf_ranges(function, offset, &base, &start, &end)) > 0) {
		unit->ranges = memory_grown(unit->ranges, unit->len, &unit->cap, sizeof *unit->ranges);
		unit->ranges[unit->len++] = (struct range){start, end, *function};
	}
}

/* Functions and blocks have those of lambdas, and of classes that are local to them. */
static bool may_have_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block;
}

static void add_functions(struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;
	if (depth == DEEPEST || dwarf_child(parent, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram)
			add_ranges(unit, &child);
		if (may_have_functions(tag))
			add_functions(unit, &child, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static const struct unit *unit_of(struct inlining *inlining, Dwarf_Die *die)
{
	struct unit *unit = memory_zeroed(1, sizeof *unit);
	unit->identity = die->addr;
	struct unit **found = tsearch(unit, &inlining->units, by_identity);
	if (found == NULL)
		memory_end();
	if (*found != unit) {
		free(unit);
		return *found;
	}
	Dwarf_Die whole = unit_whole(die);
	add_functions(unit, &whole, 0);
	if (unit->len > 0)
		qsort(unit->ranges, unit->len, sizeof *unit->ranges, by_start);
	return unit;
}

static uint64_t start_at(const void *ranges, size_t index)
{
	return ((const struct range *)ranges)[index].start;
}

/* NULL: no function has the address. */
static const Dwarf_Die *function_at(const struct unit *unit, Dwarf_Addr address)
{
	size_t up_to = bisect(unit->ranges, unit->len, address, start_at);
	const struct range *range = up_to > 0 ? &unit->ranges[up_to - 1] : NULL;
	return range != NULL && address < range->end ? &range->function : NULL;
}

/* ---- the frames of an address ---- */

static const char *die_name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL)
		return dwarf_formstring(&attribute);
	return dwarf_diename(die);
}

/* The name of a function that has the code at the address and is inlined in none. One that is local to another function
 * has no linkage name in the debug information; its symbol names both. */
static const char *name_of_outermost(Dwfl_Module *module, Dwarf_Die *die, uint64_t address)
{
	Dwarf_Attribute attribute;
	GElf_Off offset;
	GElf_Sym symbol;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL)
		return die_name_of(die);
	const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	return name != NULL && strncmp(name, "_Z", strlen("_Z")) == 0 ? name : die_name_of(die);
}

static uint32_t die_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;
	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0)
		return 0;
	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static const char *file_of(Dwarf_Die *unit, uint32_t number)
{
	Dwarf_Files *files;
	size_t count;
	if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* Where the function is declared, if that is in the frame's file; 0: not known. Its file is looked up in the unit as
 * that of calls, since dwarf_decl_file() aborts for units whose debug information is split. */
static uint32_t first_line_of(Dwarf_Die *unit, Dwarf_Die *function, const char *file)
{
	const char *declared = file_of(unit, die_number_of(function, DW_AT_decl_file));
	bool is_there = declared != NULL && file != NULL && strcmp(declared, file) == 0;
	return is_there ? die_number_of(function, DW_AT_decl_line) : 0;
}

/* Goes to the child that has the address. Returns false if none has. */
static bool step_in(Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Die child;
	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool may_have = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
				tag == DW_TAG_subprogram || tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
				tag == DW_TAG_with_stmt;
		if (may_have && dwarf_haspc(&child, address) > 0) {
			*die = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Finds the functions around an address, outermost first, as they are nested in the code (an inlined function lies in
 * its caller), not in the source. Returns how many there are; `ring` keeps the last INLINING_DEPTH. */
static size_t find_functions(const Dwarf_Die *outermost, Dwarf_Addr address, Dwarf_Die ring[INLINING_DEPTH])
{
	Dwarf_Die die = *outermost;
	size_t found = 0;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			found = 0; /* within another one, but not called there */
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			ring[found++ % INLINING_DEPTH] = die;
	} while (step_in(&die, address));
	return found;
}

size_t inlining_scopes(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	Dwarf_Die scopes[INLINING_SCOPES], Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
	const Dwarf_Die *outermost = unit != NULL ? function_at(unit_of(inlining, unit), address - *bias) : NULL;
	size_t len = 0;
	if (outermost == NULL)
		return 0;
	Dwarf_Die die = *outermost;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			len = 0;
		if (len == INLINING_SCOPES)
			return 0;
		scopes[len++] = die;
	} while (step_in(&die, address - *bias));
	return len;
}

static struct inlining_frame innermost_place(Dwfl_Module *module, uint64_t address)
{
	struct inlining_frame frame = {.function = NULL};
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	int number = 0;
	if (line != NULL)
		frame.file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	frame.line = number > 0 ? (uint32_t)number : 0;
	return frame;
}

const char *inlining_directory(Dwfl_Module *module, uint64_t address)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	Dwarf_Attribute attribute;
	return unit != NULL ? dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)) : NULL;
}

const struct haskell_unit *inlining_haskell(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
	return unit != NULL && haskell_unit_is(unit) ? haskell_frames_unit(inlining->haskell, unit) : NULL;
}

static size_t all_frames(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	if (unit != NULL && haskell_unit_is(unit))
		return haskell_frames(inlining->haskell, unit, address - bias, frames);
	const Dwarf_Die *outermost = unit != NULL ? function_at(unit_of(inlining, unit), address - bias) : NULL;
	if (outermost == NULL)
		return 0;
	Dwarf_Die functions[INLINING_DEPTH];
	size_t found = find_functions(outermost, address - bias, functions), len = 0;
	struct inlining_frame frame = innermost_place(module, address);
	while (len < found && len < INLINING_DEPTH) {
		Dwarf_Die *function = &functions[(found - 1 - len) % INLINING_DEPTH];
		frame.function = len + 1 < found ? die_name_of(function) : name_of_outermost(module, function, address);
		frame.first_line = first_line_of(unit, function, frame.file);
		frames[len++] = frame;
		if (len == found)
			break;
		frame.file = file_of(unit, die_number_of(function, DW_AT_call_file));
		frame.line = die_number_of(function, DW_AT_call_line);
	}
	return len;
}

/* The compiler splits functions, to inline a part of one into the other part: that is no call. It gives that part the
 * line of the declaration, where hardly any call stands. */
static bool is_part_of(const struct inlining_frame *inner, const struct inlining_frame *outer)
{
	return inner->function != NULL && outer->function != NULL && strcmp(inner->function, outer->function) == 0 &&
	       outer->line != 0 && outer->line == outer->first_line;
}

/* Leaves out the frames of functions of which a part was called. Returns how many there are then, and sets *depth to
 * how many there are then of the outermost `*depth`. */
static size_t join_parts(struct inlining_frame frames[INLINING_DEPTH], size_t len, size_t *depth)
{
	size_t joined = 0, first = len - *depth;
	for (size_t i = 0; i < len; i++) {
		bool is_whole = joined > 0 && is_part_of(&frames[joined - 1], &frames[i]);
		if (!is_whole)
			frames[joined++] = frames[i];
		*depth -= is_whole && i > first;
	}
	return joined;
}

size_t inlining_frames(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	size_t none = 0;
	return join_parts(frames, all_frames(inlining, module, address, frames), &none);
}

/* ---- the inlined functions before an address ---- */

/* An inlined function, where it is entered, and how many functions are around its code, itself included. */
struct entered {
	Dwarf_Die function;
	Dwarf_Addr entry;
	size_t depth;
};

/* Looks for the function that is entered last before the address and does not have it, in all that is nested in
 * `parent`. */
static void find_entered(Dwarf_Die *parent, Dwarf_Addr address, size_t depth, int level, struct entered *found)
{
	Dwarf_Die child;
	Dwarf_Addr entry;
	if (level == DEEPEST || dwarf_child(parent, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		bool is_inlined = tag == DW_TAG_inlined_subroutine;
		if (!is_inlined && tag != DW_TAG_lexical_block)
			continue;
		if (is_inlined && dwarf_entrypc(&child, &entry) == 0 && entry <= address && entry >= found->entry &&
			dwarf_haspc(&child, address) == 0)
			*found = (struct entered){child, entry, depth + 1};
		find_entered(&child, address, depth + is_inlined, level + 1, found);
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* Leaves out what is inlined in the function. Returns 0 if the frames are not all known. */
static size_t frames_of_depth(struct inlining_frame frames[INLINING_DEPTH], size_t len, size_t depth)
{
	if (len == INLINING_DEPTH || len < depth)
		return 0;
	len = join_parts(frames, len, &depth);
	memmove(frames, frames + (len - depth), depth * sizeof *frames);
	return depth;
}

/* Debug information has several lines for the address where an inlined function is entered, in the order of the source:
 * its declaration, and those of statements without code before the one at `frame`. Takes the last of these. */
static void go_to_entry_line(Dwarf_Die *unit, Dwarf_Addr entry, struct inlining_frame *frame)
{
	Dwarf_Lines *lines;
	size_t count;
	uint32_t found = 0;
	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *file = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;
		int number;
		if (dwarf_lineaddr(line, &address) != 0 || address != entry || dwarf_lineno(line, &number) != 0 ||
			file == NULL || frame->file == NULL || strcmp(file, frame->file) != 0)
			continue;
		if ((uint32_t)number > frame->first_line && (uint32_t)number <= frame->line)
			found = (uint32_t)number;
	}
	frame->line = found != 0 ? found : frame->line;
}

size_t inlining_frames_entered(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	struct inlining_frame frames[INLINING_DEPTH], uint64_t *entry)
{
	Dwarf_Addr bias = 0, base, start, end;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	const Dwarf_Die *function = unit != NULL ? function_at(unit_of(inlining, unit), address - bias) : NULL;
	struct entered entered = {.depth = 0};
	struct inlining_frame there[INLINING_DEPTH];
	ptrdiff_t next = 0;
	size_t found = 0;
	if (function == NULL)
		return 0;
	Dwarf_Die outermost = *function;
	find_entered(&outermost, address - bias, 1, 0, &entered);
	if (entered.depth == 0)
		return 0;
	*entry = entered.entry + bias;
	while ((next = dwarf_ranges(&entered.function, next, &base, &start, &end)) > 0) {
		if (start + bias <= address)
			continue;
		size_t len = all_frames(inlining, module, start + bias, there);
		len = frames_of_depth(there, len, entered.depth);
		if (len == 0 || there[0].line == 0 || (found != 0 && there[0].line >= frames[0].line))
			continue;
		memcpy(frames, there, len * sizeof *frames);
		found = len;
	}
	if (found != 0)
		go_to_entry_line(unit, entered.entry, &frames[0]);
	return found;
}

/* ---- the statement at an address ---- */

static uint64_t line_at(const void *lines, size_t index)
{
	Dwarf_Addr at = 0;
	dwarf_lineaddr(dwarf_onesrcline((Dwarf_Lines *)(uintptr_t)lines, index), &at);
	return at;
}

/* The last mark of a statement at the address or before, in the same piece of code; NULL: there is none. */
static Dwarf_Line *statement_before(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Lines *lines;
	size_t count;
	bool is_mark = false, is_end = false;
	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return NULL;
	for (size_t up_to = bisect(lines, count, address, line_at); up_to > 0; up_to--) {
		Dwarf_Line *line = dwarf_onesrcline(lines, up_to - 1);
		if (dwarf_linebeginstatement(line, &is_mark) != 0 || dwarf_lineendsequence(line, &is_end) != 0 ||
			is_end)
			return NULL;
		if (is_mark)
			return line;
	}
	return NULL;
}

/* Of the frames in the file whose functions begin at the line or before, the number of the frame whose function begins
 * last. `len`: there is no such frame. */
static size_t frame_with(const struct inlining_frame *frames, size_t len, const char *file, uint32_t line)
{
	size_t best = len;
	for (size_t i = 0; i < len; i++) {
		const struct inlining_frame *frame = &frames[i];
		bool has = frame->file != NULL && strcmp(frame->file, file) == 0 && frame->first_line != 0 &&
			   frame->first_line <= line;
		if (has && (best == len || frame->first_line > frames[best].first_line))
			best = i;
	}
	return best;
}

size_t inlining_frames_stated(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	struct inlining_frame frames[INLINING_DEPTH], uint64_t *mark)
{
	Dwarf_Addr bias = 0, at = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	Dwarf_Line *statement = unit != NULL && !haskell_unit_is(unit) ? statement_before(unit, address - bias) : NULL;
	const char *file = statement != NULL ? dwarf_linesrc(statement, NULL, NULL) : NULL;
	int line = 0;
	if (file == NULL || dwarf_lineno(statement, &line) != 0 || line <= 0 || dwarf_lineaddr(statement, &at) != 0)
		return 0;
	*mark = at + bias;
	size_t len = inlining_frames(inlining, module, address, frames);
	size_t from = frame_with(frames, len, file, (uint32_t)line);
	if (from == 0 || from == len)
		return 0;
	memmove(frames, frames + from, (len - from) * sizeof *frames);
	frames[0].line = (uint32_t)line;
	return len - from;
}
