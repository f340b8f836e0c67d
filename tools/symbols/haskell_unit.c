/* SPDX-License-Identifier: MIT
 * All is read once, when the unit is first asked for, since entries are a tree that can only be walked through. */
#include "haskell_unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "memory.h"
#include "short_name.h"
#include "sort.h"

/* Of GHC's own: the note of a part of the source, and the function around. */
enum {
	TAG_NOTE = 0x5b00,
	AT_NOTE_FILE = 0x2b00,
	AT_NOTE_LINE = 0x2b01,
	AT_NOTE_COLUMN = 0x2b02,
	AT_NOTE_END_LINE = 0x2b03,
	AT_NOTE_END_COLUMN = 0x2b04,
	AT_AROUND = 0x2b20,
};

/* Blocks within blocks. Damaged files have more. */
enum { DEEPEST = 1000 };

/* While a unit is read: room in its arrays. */
struct reading {
	struct haskell_unit *unit;
	size_t functions, scopes, notes, ranges;
};

bool haskell_unit_is(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) == DW_LANG_Haskell;
}

/* Paths below the directory of a compilation may begin with "./"; in the line table they do not. */
static const char *path_of(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	return path;
}

bool haskell_same_file(const char *one, const char *other)
{
	if (one == NULL || other == NULL)
		return false;
	one = path_of(one);
	other = path_of(other);
	size_t len = strlen(one), other_len = strlen(other);
	if (len < other_len)
		return haskell_same_file(other, one);
	const char *end = one + (len - other_len);
	return other_len > 0 && strcmp(end, other) == 0 && (end == one || end[-1] == '/');
}

/* ---- parts of a source ---- */

static bool is_behind(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column)
{
	return line > other_line || (line == other_line && column > other_column);
}

bool haskell_is_before(const struct haskell_note *note, const struct haskell_note *other)
{
	return is_behind(other->line, other->column, note->line, note->column);
}

bool haskell_has(const struct haskell_note *part, uint32_t line, uint32_t column)
{
	return !is_behind(part->line, part->column, line, column) &&
	       !is_behind(line, column, part->end_line, part->end_column);
}

bool haskell_is_within(const struct haskell_note *note, const struct haskell_note *part)
{
	return haskell_has(part, note->line, note->column) && haskell_has(part, note->end_line, note->end_column);
}

/* ---- entries ---- */

static const char *haskell_text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

static uint32_t haskell_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;
	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0)
		return 0;
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

static void add_note(struct reading *reading, Dwarf_Die *die)
{
	struct haskell_unit *unit = reading->unit;
	struct haskell_note note = {.file = path_of(haskell_text_of(die, AT_NOTE_FILE)),
		.line = haskell_number_of(die, AT_NOTE_LINE),
		.column = haskell_number_of(die, AT_NOTE_COLUMN),
		.end_line = haskell_number_of(die, AT_NOTE_END_LINE),
		.end_column = haskell_number_of(die, AT_NOTE_END_COLUMN)};
	if (note.file == NULL || note.line == 0)
		return;
	unit->notes = memory_grown(unit->notes, unit->note_count, &reading->notes, sizeof *unit->notes);
	unit->notes[unit->note_count++] = note;
}

static void add_range(struct reading *reading, Dwarf_Die *die, uint32_t scope)
{
	struct haskell_unit *unit = reading->unit;
	Dwarf_Addr start, end;
	if (dwarf_lowpc(die, &start) != 0 || dwarf_highpc(die, &end) != 0 || start >= end)
		return;
	unit->ranges = memory_grown(unit->ranges, unit->range_count, &reading->ranges, sizeof *unit->ranges);
	unit->ranges[unit->range_count++] = (struct haskell_range){start, end, scope};
}

static void add_scope(struct reading *reading, Dwarf_Die *die, uint32_t function, uint32_t around, int depth)
{
	struct haskell_unit *unit = reading->unit;
	uint32_t scope = (uint32_t)unit->scope_count;
	Dwarf_Die child, *next = &child;
	unit->scopes = memory_grown(unit->scopes, unit->scope_count, &reading->scopes, sizeof *unit->scopes);
	unit->scopes[unit->scope_count++] = (struct haskell_scope){function, around, unit->note_count, 0};
	add_range(reading, die, scope);
	if (dwarf_child(die, &child) != 0)
		return;
	/* All notes first: those of a scope lie together. */
	Dwarf_Die first = child;
	do {
		if (dwarf_tag(next) == TAG_NOTE)
			add_note(reading, next);
	} while (dwarf_siblingof(next, next) == 0);
	unit->scopes[scope].notes = unit->note_count - unit->scopes[scope].first_note;
	child = first;
	do {
		if (dwarf_tag(next) == DW_TAG_lexical_block && depth < DEEPEST)
			add_scope(reading, next, function, scope, depth + 1);
	} while (dwarf_siblingof(next, next) == 0);
}

/* ---- functions ---- */

struct haskell_note haskell_unit_line(const struct haskell_unit *unit, Dwarf_Addr from, Dwarf_Addr address)
{
	Dwarf_Die die = unit->die;
	Dwarf_Line *line = dwarf_getsrc_die(&die, address);
	Dwarf_Addr start;
	int number, column = 0;
	struct haskell_note place = {.file = NULL};
	if (line == NULL || dwarf_lineaddr(line, &start) != 0 || start < from || dwarf_lineno(line, &number) != 0 ||
		number <= 0)
		return place;
	dwarf_linecol(line, &column);
	const char *file = dwarf_linesrc(line, NULL, NULL);
	place.file = file != NULL && haskell_same_file(file, unit->file) ? unit->file : file;
	place.line = (uint32_t)number;
	place.column = (uint32_t)column;
	return place;
}

const char *haskell_symbol(Dwarf_Die *function)
{
	const char *symbol = haskell_text_of(function, DW_AT_linkage_name);
	return symbol != NULL ? symbol : haskell_text_of(function, DW_AT_MIPS_linkage_name); /* of GHC 9.0 */
}

/* The range of a function begins where its code does, or at the byte before, so that the address of the code less one
 * lies in it, as that of a call does. Here is the line of the code. */
static struct haskell_note first_line(const struct haskell_unit *unit, Dwarf_Addr start)
{
	return haskell_unit_line(unit, start, start + 1);
}

/* A function that is known by a part of the source has a line where its code begins. Others have a number of the
 * compiler's instead of a name. */
static void add_function(struct reading *reading, Dwarf_Die *die)
{
	struct haskell_unit *unit = reading->unit;
	Dwarf_Addr start;
	struct haskell_function function = {.die = *die};
	if (dwarf_lowpc(die, &start) == 0)
		function.source = first_line(unit, start);
	if (function.source.file != NULL)
		function.source_name = haskell_text_of(die, DW_AT_name);
	unit->functions =
		memory_grown(unit->functions, unit->function_count, &reading->functions, sizeof *unit->functions);
	unit->functions[unit->function_count++] = function;
	add_scope(reading, die, (uint32_t)unit->function_count - 1, HASKELL_NONE, 0);
}

/* The module has the name that one of its exported functions begins with. */
static void find_module(struct haskell_unit *unit, Dwarf_Die *function)
{
	char *name = NULL;
	const char *symbol = haskell_symbol(function);
	if (unit->module != NULL || symbol == NULL || haskell_name(symbol, &name) != HASKELL_NAMED)
		return;
	size_t len = short_name_module(name);
	if (len > 0 && name[0] != ':')
		unit->module = memory_format("%.*s", (int)len, name);
	free(name);
}

/* ---- in order ---- */

static int by_start(const void *a, const void *b)
{
	const struct haskell_range *left = a, *right = b;
	return sort_numbers(left->start, right->start);
}

static uint64_t place_key(const struct haskell_note *place)
{
	return (uint64_t)place->line << 32 | place->column;
}

static int by_place(const void *a, const void *b, void *functions)
{
	const struct haskell_function *all = functions;
	const uint32_t *left = a, *right = b;
	return sort_numbers(place_key(&all[*left].source), place_key(&all[*right].source));
}

static void find_starts(struct haskell_unit *unit)
{
	unit->starts = memory_zeroed(unit->function_count, sizeof *unit->starts);
	for (uint32_t i = 0; i < unit->function_count; i++)
		if (unit->functions[i].source_name != NULL)
			unit->starts[unit->start_count++] = i;
	if (unit->start_count > 0)
		qsort_r(unit->starts, unit->start_count, sizeof *unit->starts, by_place, unit->functions);
}

static uint64_t place_at(const void *arg, size_t index)
{
	const struct haskell_unit *unit = arg;
	return place_key(&unit->functions[unit->starts[index]].source);
}

/* How many of `starts` are at or before the place. */
static size_t starts_up_to(const struct haskell_unit *unit, const struct haskell_note *place)
{
	return bisect(unit, unit->start_count, place_key(place), place_at);
}

/* The end of a function's source is that of the longest note that begins where it does. */
static void find_ends(struct haskell_unit *unit)
{
	for (size_t k = 0; k < unit->note_count; k++) {
		const struct haskell_note *note = &unit->notes[k];
		for (size_t i = starts_up_to(unit, note); i > 0 && place_at(unit, i - 1) == place_key(note); i--) {
			struct haskell_note *source = &unit->functions[unit->starts[i - 1]].source;
			bool is_longer =
				is_behind(note->end_line, note->end_column, source->end_line, source->end_column);
			if (!is_longer || !haskell_same_file(note->file, source->file))
				continue;
			source->end_line = note->end_line;
			source->end_column = note->end_column;
		}
	}
}

struct haskell_unit *haskell_unit_create(Dwarf_Die *die)
{
	struct haskell_unit *unit = memory_zeroed(1, sizeof *unit);
	struct reading reading = {.unit = unit};
	const char *file = path_of(dwarf_diename(die));
	unit->die = *die;
	unit->file = file != NULL ? file : "";
	unit->directory = haskell_text_of(die, DW_AT_comp_dir);
	Dwarf_Die child;
	bool is_there = dwarf_child(die, &child) == 0;
	while (is_there) {
		if (dwarf_tag(&child) == DW_TAG_subprogram) {
			find_module(unit, &child);
			add_function(&reading, &child);
		}
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	if (unit->range_count > 0)
		qsort(unit->ranges, unit->range_count, sizeof *unit->ranges, by_start);
	find_starts(unit);
	find_ends(unit);
	return unit;
}

void haskell_unit_destroy(struct haskell_unit **unit)
{
	for (size_t i = 0; i < (*unit)->function_count; i++)
		free((*unit)->functions[i].name);
	free((*unit)->functions);
	free((*unit)->scopes);
	free((*unit)->notes);
	free((*unit)->ranges);
	free((*unit)->starts);
	free((*unit)->module);
	free(*unit);
	*unit = NULL;
}

/* ---- look-ups ---- */

static uint64_t start_at(const void *ranges, size_t index)
{
	return ((const struct haskell_range *)ranges)[index].start;
}

const struct haskell_range *haskell_unit_range(const struct haskell_unit *unit, Dwarf_Addr address)
{
	size_t up_to = bisect(unit->ranges, unit->range_count, address, start_at);
	const struct haskell_range *range = up_to > 0 ? &unit->ranges[up_to - 1] : NULL;
	return range != NULL && address < range->end ? range : NULL;
}

uint32_t haskell_unit_with(const struct haskell_unit *unit, const struct haskell_note *note)
{
	const struct haskell_function *found = NULL;
	for (size_t i = starts_up_to(unit, note); i > 0; i--) {
		const struct haskell_function *function = &unit->functions[unit->starts[i - 1]];
		if (found != NULL && place_key(&function->source) != place_key(&found->source))
			break;
		if (!haskell_is_within(note, &function->source) ||
			!haskell_same_file(function->source.file, note->file))
			continue;
		if (found != NULL && strcmp(found->source_name, function->source_name) != 0)
			return HASKELL_NONE;
		found = function;
	}
	return found != NULL ? (uint32_t)(found - unit->functions) : HASKELL_NONE;
}

static uint64_t entry_at(const void *functions, size_t index)
{
	return (uintptr_t)((const struct haskell_function *)functions)[index].die.addr;
}

uint32_t haskell_unit_around(const struct haskell_unit *unit, uint32_t function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die around;
	if (dwarf_formref_die(dwarf_attr(&unit->functions[function].die, AT_AROUND, &attribute), &around) == NULL)
		return HASKELL_NONE;
	uint64_t entry = (uintptr_t)around.addr;
	/* It may be a block of a function. */
	size_t up_to = bisect(unit->functions, unit->function_count, entry, entry_at);
	return up_to > 0 ? (uint32_t)(up_to - 1) : HASKELL_NONE;
}
