/* SPDX-License-Identifier: MIT
 * Units of Haskell are read when they are first needed. The notes of a block are read from the outermost to the
 * innermost. A note in the source of a function from elsewhere means that it was inlined there: a further frame. Others
 * give the frame's line, as long as they lie in the function's source. Notes of inlined functions that have no code of
 * their own, hence no name, are left out: the frame keeps the line that is in its own source. */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "haskell_unit.h"
#include "memory.h"
#include "sort.h"

/* ---- the units of a file ---- */

/* A unit of Haskell, read when it is first needed. */
struct lazy_unit {
	Dwarf_Die die;
	const char *file;
	struct haskell_unit *unit; /* NULL: not read yet */
};

/* All units of Haskell in the debug information of one file, in its order. */
struct haskell_file {
	Dwarf *dwarf;
	struct lazy_unit *units;
	size_t len, cap;
};

struct haskell_files {
	struct haskell_file *at;
	size_t len, cap;
};

struct haskell_files *haskell_files_create(void)
{
	return memory_zeroed(1, sizeof(struct haskell_files));
}

void haskell_files_destroy(struct haskell_files **files)
{
	if (*files == NULL)
		return;
	for (size_t i = 0; i < (*files)->len; i++) {
		struct haskell_file *file = &(*files)->at[i];
		for (size_t k = 0; k < file->len; k++)
			if (file->units[k].unit != NULL)
				haskell_unit_destroy(&file->units[k].unit);
		free(file->units);
	}
	free((*files)->at);
	free(*files);
	*files = NULL;
}

/* ---- units ---- */

static void find_units(struct haskell_file *file)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	while (dwarf_get_units(file->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		if (!haskell_unit_is(&die))
			continue;
		file->units = memory_grown(file->units, file->len, &file->cap, sizeof *file->units);
		file->units[file->len++] = (struct lazy_unit){.die = die, .file = dwarf_diename(&die)};
	}
}

/* Those below are borrowed until destroy; but a file only until the next one is looked up. */
static struct haskell_file *haskell_file(struct haskell_files *files, Dwarf *dwarf)
{
	for (size_t i = 0; i < files->len; i++)
		if (files->at[i].dwarf == dwarf)
			return &files->at[i];
	files->at = memory_grown(files->at, files->len, &files->cap, sizeof *files->at);
	struct haskell_file *file = &files->at[files->len++];
	*file = (struct haskell_file){.dwarf = dwarf};
	find_units(file);
	return file;
}

static struct haskell_unit *read_unit(struct lazy_unit *unit)
{
	if (unit->unit == NULL)
		unit->unit = haskell_unit_create(&unit->die);
	return unit->unit;
}

static uint64_t entry_at(const void *units, size_t index)
{
	return (uintptr_t)((const struct lazy_unit *)units)[index].die.addr;
}

/* NULL: the entry is no unit of Haskell. */
static struct haskell_unit *haskell_file_unit(struct haskell_file *file, const Dwarf_Die *die)
{
	uint64_t entry = (uintptr_t)die->addr;
	size_t up_to = bisect(file->units, file->len, entry, entry_at);
	bool is_there = up_to > 0 && entry_at(file->units, up_to - 1) == entry;
	return is_there ? read_unit(&file->units[up_to - 1]) : NULL;
}

const struct haskell_unit *haskell_frames_unit(struct haskell_files *files, const Dwarf_Die *unit)
{
	return haskell_file_unit(haskell_file(files, dwarf_cu_getdwarf(unit->cu)), unit);
}

/* The unit of a source, `own` if that has it. NULL: there is none. Or there are two, as of packages that each have a
 * source of the same name. */
static struct haskell_unit *haskell_source_unit(struct haskell_file *file, struct haskell_unit *own, const char *source)
{
	struct lazy_unit *found = NULL;
	if (haskell_same_file(own->file, source))
		return own;
	for (size_t i = 0; i < file->len; i++) {
		if (file->units[i].file == NULL || !haskell_same_file(file->units[i].file, source))
			continue;
		if (found != NULL)
			return NULL;
		found = &file->units[i];
	}
	return found != NULL ? read_unit(found) : NULL;
}

/* For functions around functions, and blocks around blocks, in damaged files. */
enum { MAX_AROUND = 1000 };

/* ---- names of functions ---- */

/* The function's name in the source, behind the module of that source if it is known. */
static char *name_in_source(struct haskell_file *file, struct haskell_unit *unit, struct haskell_function *function)
{
	const struct haskell_unit *source_unit = haskell_source_unit(file, unit, function->source.file);
	const char *module = source_unit != NULL && source_unit->module != NULL ? source_unit->module : "";
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
static const char *haskell_name_of(struct haskell_file *file, struct haskell_unit *unit, uint32_t number)
{
	for (int i = 0; i < MAX_AROUND && number != HASKELL_NONE; i++) {
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
	const struct haskell_function *function = &unit->functions[number];
	for (int i = 0; i < MAX_AROUND && function->source_name != NULL; i++) {
		number = haskell_unit_around(unit, number);
		const struct haskell_function *around = number != HASKELL_NONE ? &unit->functions[number] : NULL;
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

/* Whether the note is of the level's own source, as far as that is known. */
static bool is_of(const struct haskell_note *note, const struct level *level)
{
	const struct haskell_note *source = source_of(level);
	if (!haskell_same_file(note->file, file_of_level(level)))
		return false;
	if (source->file == NULL)
		return true;
	if (source->end_line != 0)
		return haskell_is_within(note, source);
	return note->line > source->line || (note->line == source->line && note->column >= source->column);
}

/* A note is for the parts of an expression, and the ones behind it are within it; or it is for one that comes before
 * the next one's, as the condition before what depends on it. */
static void set_place(struct level *level, const struct haskell_note *note)
{
	if (level->place.file == NULL || !haskell_is_within(&level->place, note))
		level->place = *note;
}

/* Whether the level's function is itself within the part of the source, hence was not made for its sake. */
static bool has_source(const struct haskell_note *note, const struct level *level)
{
	const struct haskell_note *source = &function_of(level)->source;
	return source->file != NULL && haskell_same_file(note->file, source->file) &&
	       haskell_has(note, source->line, source->column);
}

/* The levels that are kept, innermost first: 0 is the innermost one. NULL: there are no more. */
static struct level *level_at(struct levels *levels, size_t number)
{
	bool is_kept = number < levels->len && number < INLINING_DEPTH;
	return is_kept ? &levels->at[(levels->len - 1 - number) % INLINING_DEPTH] : NULL;
}

/* Goes back to the innermost level whose source has the note: a caller's expressions may be in the middle of a function
 * that was inlined. Returns false if there is none. */
static bool go_back(struct levels *levels, const struct haskell_note *note)
{
	const struct level *level;
	for (size_t i = 0; (level = level_at(levels, i)) != NULL; i++) {
		if (!is_of(note, level))
			continue;
		levels->len -= i;
		return true;
	}
	return false;
}

static bool is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the name of the function around all: of "serve" in "serve.go", of "<.>" in "<.>.go". */
static size_t outermost_len(const char *name)
{
	size_t len = 0;
	while (name[len] != '\0' &&
		!(name[len] == '.' && len > 0 && (is_in_word(name[0]) || is_in_word(name[len + 1]))))
		len++;
	return len;
}

/* Whether both are parts of one function, as what is shared by expressions in several of its parts. */
static bool is_part_of_same(const struct level *level, const struct haskell_unit *unit, uint32_t function)
{
	const char *own_name = function_of(level)->source_name, *other_name = unit->functions[function].source_name;
	size_t len = outermost_len(other_name);
	return level->unit == unit && own_name != NULL && outermost_len(own_name) == len &&
	       strncmp(own_name, other_name, len) == 0;
}

static void add_note(struct levels *levels, const struct haskell_note *note)
{
	const struct level *level = level_at(levels, 0);
	if (go_back(levels, note)) {
		set_place(level_at(levels, 0), note);
	} else if (!has_source(note, level)) {
		struct haskell_unit *unit = haskell_source_unit(levels->file, level->unit, note->file);
		uint32_t function = unit != NULL ? haskell_unit_with(unit, note) : HASKELL_NONE;
		if (function == HASKELL_NONE || is_part_of_same(level, unit, function))
			return;
		push(levels, unit, function);
		level_at(levels, 0)->place = *note;
	}
}

/* The notes of the blocks around first. */
static void add_notes(struct levels *levels, const struct haskell_unit *unit, uint32_t scope)
{
	uint32_t around[MAX_AROUND];
	size_t len = 0;
	for (; scope != HASKELL_NONE && len < MAX_AROUND; scope = unit->scopes[scope].around)
		around[len++] = scope;
	for (; len > 0; len--) {
		const struct haskell_scope *block = &unit->scopes[around[len - 1]];
		for (size_t i = 0; i < block->notes; i++)
			add_note(levels, &unit->notes[block->first_note + i]);
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
		.function = haskell_name_of(file, level->unit, level->function),
		.file = place->file,
		.directory = level->unit->directory,
		.line = place->line,
		.first_line = is_there ? source->line : 0,
		.end_line = is_there ? source->end_line : 0,
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
	add_notes(&levels, unit, range->scope);
	size_t len = 0;
	for (struct level *level; (level = level_at(&levels, len)) != NULL; len++) {
		complete(level, len == 0, range, address);
		frames[len] = frame_of(levels.file, level);
	}
	return len;
}
