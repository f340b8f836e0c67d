/* SPDX-License-Identifier: MIT */
#include "symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "demangle.h"
#include "inlining.h"
#include "memory.h"
#include "module.h"
#include "unsafe_call.h"

/* Invariant: sites[i].len == 0 <=> site i was not looked up yet. */
struct symbols {
	const struct recording *recording;
	struct module *modules;
	struct inlining *inlining;
	struct symbol_site *sites;
	struct symbol_site *unsafe_calls; /* by site; NULL until the first lookup, and len == 0 likewise for each */
};

struct symbols *symbols_create(const struct recording *recording)
{
	struct symbols *symbols = memory_zeroed(1, sizeof *symbols);
	symbols->recording = recording;
	symbols->inlining = inlining_create();
	symbols->modules = memory_zeroed(recording->module_count, sizeof *symbols->modules);
	symbols->sites = memory_zeroed(recording->site_count, sizeof *symbols->sites);
	for (size_t i = 0; i < recording->module_count; i++) {
		symbols->modules[i].record = &recording->modules[i];
		symbols->modules[i].path = recording_string(recording, recording->modules[i].path);
	}
	return symbols;
}

static void site_fini(struct symbol_site *site)
{
	for (size_t i = 0; i < site->len; i++) {
		free(site->frames[i].function);
		free(site->frames[i].file);
	}
	free(site->frames);
}

void symbols_destroy(struct symbols **symbols)
{
	if (*symbols == NULL)
		return;
	for (size_t i = 0; i < (*symbols)->recording->site_count; i++)
		site_fini(&(*symbols)->sites[i]);
	inlining_destroy(&(*symbols)->inlining);
	for (size_t i = 0; i < (*symbols)->recording->module_count; i++)
		module_close(&(*symbols)->modules[i]);
	for (size_t i = 0; (*symbols)->unsafe_calls != NULL && i < (*symbols)->recording->site_count; i++)
		site_fini(&(*symbols)->unsafe_calls[i]);
	free((*symbols)->unsafe_calls);
	free((*symbols)->sites);
	free((*symbols)->modules);
	free(*symbols);
	*symbols = NULL;
}

static char *copy(const char *text)
{
	return text != NULL && text[0] != '\0' ? memory_text(text) : NULL;
}

/* Frames from the debug information, or one from the symbol table. */
static void name_address(struct symbols *symbols, Dwfl_Module *elf, uint64_t address, struct symbol_site *site)
{
	struct inlining_frame found[INLINING_DEPTH];
	size_t len = inlining_frames(symbols->inlining, elf, address, found);
	if (len == 0) {
		found[len++] = (struct inlining_frame){dwfl_module_addrname(elf, address), NULL, 0};
	}
	site->len = len;
	site->frames = memory_zeroed(len, sizeof *site->frames);
	for (size_t i = 0; i < len; i++) {
		site->frames[i].function = found[i].function != NULL ? demangle(found[i].function) : NULL;
		site->frames[i].file = copy(found[i].file);
		site->frames[i].line = found[i].line;
	}
}

static void look_up_address(struct symbols *symbols, const struct stmlog_site_record *record, struct symbol_site *site)
{
	struct module *module = &symbols->modules[record->module];
	struct symbol_frame recorded = symbol_recorded(symbols->recording, record);
	/* The position is a return address: the call lies before it. */
	name_address(symbols, module->elf, record->position - 1, site);
	for (size_t i = 0; i < site->len; i++) {
		site->frames[i].module = recorded.module;
		site->frames[i].offset = recorded.offset;
	}
}

static bool has_symbols(struct symbols *symbols, const struct stmlog_site_record *record)
{
	if (record->kind != STMLOG_SITE_ADDRESS || record->module == STMLOG_NO_MODULE)
		return false;
	module_open(&symbols->modules[record->module]);
	return symbols->modules[record->module].elf != NULL;
}

const struct symbol_site *symbols_site(struct symbols *symbols, uint32_t site)
{
	struct symbol_site *found = &symbols->sites[site];
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	if (found->len > 0)
		return found;
	if (has_symbols(symbols, record)) {
		look_up_address(symbols, record, found);
		return found;
	}
	found->len = 1;
	found->frames = memory_zeroed(1, sizeof *found->frames);
	*found->frames = symbol_recorded(symbols->recording, record);
	return found;
}

/* One frame, without a function if the call was not found. */
static void look_up_unsafe_call(struct symbols *symbols, uint32_t site, struct symbol_site *found)
{
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	struct inlining_frame lines[INLINING_DEPTH] = {{NULL, NULL, 0}};
	struct unsafe_call call = {NULL, 0};
	found->len = 1;
	found->frames = memory_zeroed(1, sizeof *found->frames);
	if (has_symbols(symbols, record))
		call = unsafe_call_find(symbols->modules[record->module].elf, record->position);
	if (call.function == NULL)
		return;
	inlining_frames(symbols->inlining, symbols->modules[record->module].elf, call.address, lines);
	found->frames->function = demangle(call.function);
	found->frames->file = copy(lines[0].file);
	found->frames->line = lines[0].line;
}

const struct symbol_frame *symbols_unsafe_call(struct symbols *symbols, uint32_t site)
{
	if (symbols->unsafe_calls == NULL)
		symbols->unsafe_calls = memory_zeroed(symbols->recording->site_count, sizeof *symbols->unsafe_calls);
	struct symbol_site *found = &symbols->unsafe_calls[site];
	if (found->len == 0)
		look_up_unsafe_call(symbols, site, found);
	return found->frames->function != NULL ? found->frames : NULL;
}

bool symbols_is_bound_lazily(struct symbols *symbols, uint32_t site)
{
	uint32_t number = symbols->recording->sites[site].module;
	struct module *module = number != STMLOG_NO_MODULE ? &symbols->modules[number] : NULL;
	GElf_Addr bias;
	if (module == NULL)
		return false;
	module_open(module);
	Elf *elf = module->elf != NULL ? dwfl_module_getelf(module->elf, &bias) : NULL;
	return elf != NULL && binding_is_lazy(elf);
}

/* Whether the file, data included, was loaded where `address` lies. */
static bool spans(struct module *module, uint64_t address)
{
	Dwarf_Addr start, end;
	module_open(module);
	if (module->elf == NULL)
		return false;
	dwfl_module_info(module->elf, NULL, &start, &end, NULL, NULL, NULL, NULL);
	return address >= start && address < end;
}

/* NULL: the address lies in no sized variable of this module. */
static char *name_object(const struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(module->elf, address, &offset, &symbol, NULL, NULL, NULL);
	if (name == NULL || offset >= symbol.st_size)
		return NULL;
	char *readable = demangle(name);
	char *text = offset != 0 ? memory_format("%s+%" PRIu64, readable, (uint64_t)offset) : memory_text(readable);
	free(readable);
	return text;
}

char *symbols_object(struct symbols *symbols, uint64_t address)
{
	for (size_t i = 0; i < symbols->recording->module_count; i++) {
		if (spans(&symbols->modules[i], address))
			return name_object(&symbols->modules[i], address);
	}
	return NULL;
}
