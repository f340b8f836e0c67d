/* SPDX-License-Identifier: MIT
 * The notes of a block are read from the outermost to the innermost. A note that begins where a function from elsewhere
 * in the source begins means that it was inlined there: a further frame. Others give the frame's line, as long as they
 * lie in the function's source. Notes of inlined functions that have no code of their own, hence no name, are left out:
 * the frame keeps the line that is in its own source. */
#include "haskell_frames.h"

#include <stdlib.h>
#include <string.h>

#include "haskell_name.h"
#include "haskell_file.h"
#include "memory.h"

/* For functions around functions, and blocks around blocks, in damaged files. */
enum { MOST_AROUND = 1000 };

/* ---- names of functions ---- */

/* The function's name in the source, behind the module of that source if it is known. */
static char *name_in_source(struct haskell_file *file, struct haskell_unit *unit, struct haskell_function *function)
{
	const struct haskell_unit *of = haskell_source_unit(file, unit, function->source.file);
	const char *module = of != NULL && of->module != NULL ? of->module : "";
	return memory_format("%s%s", module, function->source_name);
}

/* NULL: it has none. */
static char *make_name(struct haskell_file *file, struct haskell_unit *unit, struct haskell_function *function)
{
	char *name = NULL;
	if (function->source_name != NULL)
		return name_in_source(file, unit, function);
	const char *symbol = haskell_symbol(&function->die);
	if (symbol != NULL && haskell_name(symbol, &name) == HASKELL_OTHER)
		return memory_text(symbol);
	return name;
}

/* Its own name, or else that of the nearest function around that has one. NULL: none has. */
static const char *name_of(struct haskell_file *file, struct haskell_unit *unit, uint32_t number)
{
	for (int i = 0; i < MOST_AROUND && number != HASKELL_NONE; i++) {
		struct haskell_function *function = &unit->functions[number];
		if (!function->is_asked)
			function->name = make_name(file, unit, function);
		function->is_asked = true;
		if (function->name != NULL)
			return function->name;
		number = haskell_unit_around(unit, number);
	}
	return NULL;
}

/* The source of the function of which this one is a part: parts of it have its name. */
static const struct haskell_note *whole_source(const struct haskell_unit *unit, uint32_t number)
{
	const struct haskell_function *function = &unit->functions[number], *around = function;
	for (int i = 0; i < MOST_AROUND && function->source_name != NULL; i++) {
		number = haskell_unit_around(unit, number);
		around = number != HASKELL_NONE ? &unit->functions[number] : NULL;
		if (around == NULL || around->source_name == NULL ||
			strcmp(around->source_name, function->source_name) != 0)
			break;
		function = around;
	}
	return &function->source;
}

/* ---- the frames of a block ---- */

/* A function and the innermost part of its source that is known. Invariant: place.file == NULL <=> none is. */
struct level {
	struct haskell_unit *unit;
	uint32_t function;
	struct haskell_note place;
};

struct levels {
	struct haskell_file *file;
	struct level at[INLINING_DEPTH]; /* the last ones, outermost first, as a ring */
	size_t len;
};

static struct level *innermost(struct levels *levels)
{
	return &levels->at[(levels->len - 1) % INLINING_DEPTH];
}

static void push(struct levels *levels, struct haskell_unit *unit, uint32_t function)
{
	levels->at[levels->len++ % INLINING_DEPTH] = (struct level){.unit = unit, .function = function};
}

static const struct haskell_function *function_of(const struct level *level)
{
	return &level->unit->functions[level->function];
}

static const struct haskell_note *source_of(const struct level *level)
{
	return whole_source(level->unit, level->function);
}

/* The file that the level's function is in. */
static const char *file_of_level(const struct level *level)
{
	const char *file = source_of(level)->file;
	return file != NULL ? file : level->unit->file;
}

static bool is_behind(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column)
{
	return line > other_line || (line == other_line && column > other_column);
}

/* Whether the position lies in the part of the source. */
static bool has(const struct haskell_note *part, uint32_t line, uint32_t column)
{
	return !is_behind(part->line, part->column, line, column) &&
	       !is_behind(line, column, part->end_line, part->end_column);
}

static bool is_within(const struct haskell_note *note, const struct haskell_note *part)
{
	return has(part, note->line, note->column) && has(part, note->end_line, note->end_column);
}

/* Whether the note is of the level's own source, as far as that is known. */
static bool is_of(const struct haskell_note *note, const struct level *level)
{
	const struct haskell_note *source = source_of(level);
	if (!haskell_same_file(note->file, file_of_level(level)))
		return false;
	if (source->file == NULL)
		return true;
	return source->end_line != 0 ? is_within(note, source)
				     : !is_behind(source->line, source->column, note->line, note->column);
}

/* A note is for the parts of an expression, and the ones behind it are within it; or it is for one that comes before
 * the next one's, as the condition before what depends on it. */
static void take_place(struct level *level, const struct haskell_note *note)
{
	bool is_around = level->place.file != NULL && is_within(&level->place, note);
	if (is_of(note, level) && !is_around)
		level->place = *note;
}

/* Whether the level's function is itself within the part of the source, hence was not made for its sake. */
static bool has_source(const struct haskell_note *note, const struct level *level)
{
	const struct haskell_note *source = &function_of(level)->source;
	return source->file != NULL && haskell_same_file(note->file, source->file) &&
	       has(note, source->line, source->column);
}

static void take_note(struct levels *levels, const struct haskell_note *note)
{
	struct level *level = innermost(levels);
	struct haskell_unit *unit = haskell_source_unit(levels->file, level->unit, note->file);
	uint32_t begun = unit != NULL ? haskell_unit_begun(unit, note) : HASKELL_NONE;
	if (begun != HASKELL_NONE && !is_of(note, level) && !has_source(note, level))
		push(levels, unit, begun);
	take_place(innermost(levels), note);
}

/* The notes of the blocks around first. */
static void take_notes(struct levels *levels, const struct haskell_unit *unit, uint32_t scope)
{
	uint32_t around[MOST_AROUND];
	size_t len = 0;
	for (; scope != HASKELL_NONE && len < MOST_AROUND; scope = unit->scopes[scope].around)
		around[len++] = scope;
	while (len-- > 0) {
		const struct haskell_scope *of = &unit->scopes[around[len]];
		for (size_t i = 0; i < of->notes; i++)
			take_note(levels, &unit->notes[of->first_note + i]);
	}
}

/* Without a note, a function that has inlined another one is known by where it begins; the innermost one by the line
 * table, if that tells of a part of it. */
static void complete(struct level *level, bool is_innermost, const struct haskell_range *range, Dwarf_Addr address)
{
	if (level->place.file != NULL)
		return;
	if (is_innermost)
		level->place = haskell_unit_line(level->unit, range->start, address);
	if (level->place.file == NULL || !haskell_same_file(level->place.file, file_of_level(level)))
		level->place = function_of(level)->source;
}

static struct inlining_frame frame_of(struct haskell_file *file, const struct level *level)
{
	const struct haskell_note *source = source_of(level), *place = &level->place;
	bool is_there = source->file != NULL && place->file != NULL && haskell_same_file(source->file, place->file);
	return (struct inlining_frame){
		.function = name_of(file, level->unit, level->function),
		.file = place->file,
		.line = place->line,
		.first_line = is_there ? source->line : 0,
	};
}

size_t haskell_frames(
	struct haskell_files *files, Dwarf_Die *die, Dwarf_Addr address, struct inlining_frame frames[INLINING_DEPTH])
{
	struct levels levels = {.file = haskell_file(files, dwarf_cu_getdwarf(die->cu))};
	struct haskell_unit *unit = haskell_file_unit(levels.file, die);
	const struct haskell_range *range = unit != NULL ? haskell_unit_range(unit, address) : NULL;
	if (range == NULL)
		return 0;
	push(&levels, unit, unit->scopes[range->scope].function);
	take_notes(&levels, unit, range->scope);
	size_t len = 0;
	for (; len < levels.len && len < INLINING_DEPTH; len++) {
		struct level *level = &levels.at[(levels.len - 1 - len) % INLINING_DEPTH];
		complete(level, len == 0, range, address);
		frames[len] = frame_of(levels.file, level);
	}
	return len;
}
