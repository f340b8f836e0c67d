/* SPDX-License-Identifier: MIT */
#include "inlining.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL)
		return dwarf_formstring(&attribute);
	return dwarf_diename(die);
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;
	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0)
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

/* The blocks and functions around an address, innermost first: those of the code, not those of the source (an
 * inlined function stands in the one that called it). The caller frees *scopes. */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
	Dwarf_Die *found = NULL;
	int count = dwarf_getscopes(unit, address, &found);
	*scopes = NULL;
	if (count <= 0)
		return 0;
	Dwarf_Die innermost = found[0];
	free(found);
	count = dwarf_getscopes_die(&innermost, scopes);
	return count > 0 ? count : 0;
}

static struct inlining_frame innermost_place(Dwfl_Module *module, uint64_t address)
{
	struct inlining_frame frame = {NULL, NULL, 0};
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	int number = 0;
	if (line != NULL)
		frame.file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	frame.line = number > 0 ? (uint32_t)number : 0;
	return frame;
}

size_t inlining_frames(Dwfl_Module *module, uint64_t address, struct inlining_frame frames[INLINING_DEPTH])
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	if (unit == NULL)
		return 0;
	Dwarf_Die *scopes;
	int count = find_scopes(unit, address - bias, &scopes);
	struct inlining_frame frame = innermost_place(module, address);
	size_t len = 0;
	for (int i = 0; i < count && len < INLINING_DEPTH; i++) {
		int tag = dwarf_tag(&scopes[i]);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		frame.function = name_of(&scopes[i]);
		frames[len++] = frame;
		if (tag == DW_TAG_subprogram)
			break;
		frame.file = file_of(unit, number_of(&scopes[i], DW_AT_call_file));
		frame.line = number_of(&scopes[i], DW_AT_call_line);
	}
	free(scopes);
	return len;
}
