/* SPDX-License-Identifier: MIT
 * The modules of a recording. Several records may be of one file, which is opened once. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "dictionary.h"
#include "memory.h"

/* A recording may name any number of modules, and each that is open costs megabytes. No program has tracebacks through
 * so many. */
enum { MAX_OPEN = 64 };

static void find_firsts(struct symbols *symbols)
{
	size_t count = symbols->recording->module_count;
	struct dictionary files = {0};
	uint32_t *numbered = memory_zeroed(count, sizeof *numbered);
	symbols->first = memory_zeroed(count, sizeof *symbols->first);
	for (uint32_t i = 0; i < count; i++) {
		struct module_id id = module_build_id(symbols->modules[i].record);
		char *key = memory_format("%s %s", id.text, symbols->modules[i].path);
		const struct dictionary_entry *file = dictionary_find(&files, key);
		if (file->is_new)
			numbered[file->number - 1] = i;
		symbols->first[i] = numbered[file->number - 1];
		free(key);
	}
	free(numbered);
	dictionary_fini(&files);
}

void symbol_modules_init(struct symbols *symbols)
{
	const struct recording *recording = symbols->recording;
	symbols->modules = memory_zeroed(recording->module_count, sizeof *symbols->modules);
	for (size_t i = 0; i < recording->module_count; i++) {
		symbols->modules[i].record = &recording->modules[i];
		symbols->modules[i].path = recording_string(recording, recording->modules[i].path);
	}
	find_firsts(symbols);
}

void symbol_modules_fini(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->recording->module_count; i++)
		module_close(&symbols->modules[i]);
	free(symbols->first);
	free(symbols->modules);
}

struct module *symbols_module(struct symbols *symbols, uint32_t number)
{
	struct module *module = &symbols->modules[symbols->first[number]];
	if (module->state == MODULE_UNTRIED && symbols->opened == MAX_OPEN) {
		if (!symbols->has_told)
			diag(NULL, "names of more than %d modules are asked for; the rest is left out", MAX_OPEN);
		symbols->has_told = true;
		return NULL;
	}
	if (module->state == MODULE_UNTRIED && (module_open(module), module->elf != NULL))
		symbols->opened++;
	return module->elf != NULL ? module : NULL;
}

uint64_t symbols_moved(const struct symbols *symbols, uint32_t number, uint64_t address)
{
	return address - symbols->modules[number].record->bias + symbols->modules[symbols->first[number]].record->bias;
}

struct module *symbols_module_of(struct symbols *symbols, const struct stmlog_site_record *record)
{
	bool has_module = record->kind == STMLOG_SITE_ADDRESS && record->module != STMLOG_NO_MODULE;
	return has_module ? symbols_module(symbols, record->module) : NULL;
}

bool symbols_is_c_library(const struct module *module)
{
	return strncmp(symbol_basename(module->path), "libc.so.", strlen("libc.so.")) == 0;
}
