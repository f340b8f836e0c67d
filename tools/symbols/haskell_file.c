/* SPDX-License-Identifier: MIT */
#include "haskell_file.h"

#include <stdlib.h>

#include "bisect.h"
#include "memory.h"

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

struct haskell_file *haskell_file(struct haskell_files *files, Dwarf *dwarf)
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

struct haskell_unit *haskell_file_unit(struct haskell_file *file, const Dwarf_Die *die)
{
	uint64_t entry = (uintptr_t)die->addr;
	size_t up_to = bisect(file->units, file->len, entry, entry_at);
	bool is_there = up_to > 0 && entry_at(file->units, up_to - 1) == entry;
	return is_there ? read_unit(&file->units[up_to - 1]) : NULL;
}

struct haskell_unit *haskell_source_unit(struct haskell_file *file, struct haskell_unit *own, const char *source)
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
