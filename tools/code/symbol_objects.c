/* SPDX-License-Identifier: MIT
 * The names of data: of variables and their members, and of what lies elsewhere by the code that accesses it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "memory.h"
#include "source_file.h"
#include "symbols.h"

/* ---- variables ---- */

/* Whether the file, data included, has the address. */
static bool spans(const struct module *module, uint64_t address)
{
	Dwarf_Addr start, end;
	dwfl_module_info(module->elf, NULL, &start, &end, NULL, NULL, NULL, NULL);
	return address >= start && address < end;
}

/* Goes on from the variable at `start` to the member that has the offset, and frees the variable's name. */
static char *name_at(
	struct symbols *symbols, const struct module *module, uint64_t start, uint64_t offset, char *variable)
{
	Dwarf_Die type;
	struct member member = {.rest = offset};
	char *name = variable;
	if (variables_type(symbols->variables, module->elf, start, &type)) {
		member = member_at(&type, offset);
		name = symbols_shortened(memory_format("%s%s", variable, member.path));
		free(member.path);
		free(variable);
	}
	if (member.rest == 0)
		return name;
	char *text = memory_format("%s+%" PRIu64, name, member.rest);
	free(name);
	return text;
}

static char *object_in(struct symbols *symbols, const struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(module->elf, address, &offset, &symbol, NULL, NULL, NULL);
	if (name == NULL || offset >= symbol.st_size)
		return NULL;
	return name_at(symbols, module, address - offset, offset, symbols_shortened(demangle(name)));
}

/* Only the module whose code is nearest below can have the variable: modules do not overlap, and data follow the code.
 * So no other one is opened for it. Returns module_count if there is none. */
static uint32_t nearest_below(const struct recording *recording, uint64_t address)
{
	uint32_t nearest = (uint32_t)recording->module_count;
	for (uint32_t i = 0; i < recording->module_count; i++) {
		uint64_t start = recording->modules[i].start;
		if (start <= address &&
			(nearest == recording->module_count || start > recording->modules[nearest].start))
			nearest = i;
	}
	return nearest;
}

char *symbols_object(struct symbols *symbols, uint64_t address)
{
	uint32_t number = nearest_below(symbols->recording, address);
	if (number == symbols->recording->module_count)
		return NULL;
	struct module *module = symbols_module(symbols, number);
	uint64_t there = symbols_moved(symbols, number, address);
	return module != NULL && spans(module, there) ? object_in(symbols, module, there) : NULL;
}

/* ---- data without a variable ---- */

/* Of a longer line its beginning is shown. */
enum { LINE_MAX_BYTES = 60 };

/* NULL: the source cannot be had as it was when the program ran. */
static char *line_of(struct symbols *symbols, uint32_t site)
{
	const struct symbol_site *found = symbols_site(symbols, site);
	const struct symbol_frame *frame = found->frames;
	if (frame->file == NULL || frame->line == 0)
		return NULL;
	char *recorded = source_path(frame->file, found->directory), *path = source_find(recorded, NULL), *line = NULL;
	if (path != NULL && !source_is_newer(path, symbols->recording->info.unix_ns))
		line = source_line(path, frame->line, LINE_MAX_BYTES);
	free(recorded);
	free(path);
	return line;
}

/* "Book" of `struct Book`, or the name of a typedef for a structure without one; without template arguments. */
static char *type_name(Dwarf_Die *type)
{
	Dwarf_Die peeled;
	const char *name = dwarf_peel_type(type, &peeled) == 0 ? dwarf_diename(&peeled) : NULL;
	name = name != NULL ? name : dwarf_diename(type);
	return name != NULL ? memory_format("%.*s", (int)strcspn(name, "<"), name) : NULL;
}

/* ".levels[0].price" becomes ".levels[].price". */
static void leave_out_indices(char *path)
{
	char *to = path;
	for (bool is_index = false; *path != '\0'; path++) {
		is_index = *path != ']' && (is_index || *path == '[');
		if (!is_index || *path == '[')
			*to++ = *path;
	}
	*to = '\0';
}

/* "Book::stats.volume". NULL: it is not a whole member of that size. */
static char *member_name(struct pointer *pointer, size_t size)
{
	struct member member = member_at(&pointer->type, pointer->offset);
	char *type = type_name(&pointer->type), *name = NULL;
	if (pointer->is_indexed)
		leave_out_indices(member.path);
	bool is_element = strchr(member.path, '[') != NULL;
	if (type != NULL && (is_element || !pointer->is_indexed) && member.path[0] == '.' && member.rest == 0 &&
		size != 0 && member.size == size)
		name = symbols_shortened(memory_format("%s::%s", type, member.path + 1));
	free(member.path);
	free(type);
	return name;
}

static void look_up_access(struct symbols *symbols, uint32_t site, struct site_access *access)
{
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	bool has_module = record->kind == STMLOG_SITE_ADDRESS && record->module != STMLOG_NO_MODULE;
	struct module *module = has_module ? symbols_module(symbols, record->module) : NULL;
	struct code code;
	struct pointer pointer;
	access->is_tried = true;
	if (module == NULL || !code_open(&code, module->elf))
		return;
	uint64_t address = symbols_moved(symbols, record->module, record->position) - code.bias;
	if (!itm_accesses_before(&code, address))
		return;
	if (pointer_before_call(&code, symbols->inlining, symbols->variables, address, &pointer))
		access->member = member_name(&pointer, itm_access_size(itm_call_before(&code, address)));
	if (access->member == NULL)
		access->line = line_of(symbols, site);
}

static const struct site_access *access_at(struct symbols *symbols, uint32_t site)
{
	if (symbols->site_accesses == NULL)
		symbols->site_accesses = memory_zeroed(symbols->recording->site_count, sizeof *symbols->site_accesses);
	struct site_access *access = &symbols->site_accesses[site];
	if (!access->is_tried)
		look_up_access(symbols, site, access);
	return access;
}

/* The first accesses of which anything is known. */
static struct symbol_access look_up_address(struct symbols *symbols, size_t number)
{
	const uint32_t *sites;
	struct symbol_access found = {NULL, NULL};
	size_t len = accesses_of(symbols->accesses, number, &sites);
	for (size_t i = 0; i < len && found.member == NULL; i++) {
		const struct site_access *access = access_at(symbols, sites[i]);
		found.member = access->member;
		found.line = found.line == NULL ? access->line : found.line;
	}
	if (found.member != NULL)
		found.line = NULL;
	return found;
}

static void list_accesses(struct symbols *symbols)
{
	symbols->accesses = accesses_create(symbols->recording);
	symbols->address_accesses = memory_zeroed(accesses_count(symbols->accesses), sizeof *symbols->address_accesses);
}

/* Each address is looked up once: a million entries may be of one, accessed in as many places. */
struct symbol_access symbols_access(struct symbols *symbols, uint64_t address)
{
	if (symbols->accesses == NULL)
		list_accesses(symbols);
	size_t number = accesses_find(symbols->accesses, address);
	if (number == accesses_count(symbols->accesses))
		return (struct symbol_access){NULL, NULL};
	struct address_access *access = &symbols->address_accesses[number];
	if (!access->is_tried)
		*access = (struct address_access){true, look_up_address(symbols, number)};
	return access->found;
}
