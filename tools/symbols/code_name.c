/* SPDX-License-Identifier: MIT
 * In a program of GHC's, functions that are local to a module have no symbols, and may be anywhere between those that
 * have one. So there only a symbol with a size tells whose code it is. Elsewhere the nearest symbol below does: what
 * has none is written in assembler. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "demangle.h"
#include "inlining.h"
#include "memory.h"
#include "module.h"
#include "short_name.h"

/* All code that GHC makes uses one of these of its run time. */
static bool is_of_haskell(const char *symbol)
{
	return strcmp(symbol, "stg_upd_frame_info") == 0 || strcmp(symbol, "stg_bh_upd_frame_info") == 0;
}

static bool find_haskell(Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
		if (name != NULL && is_of_haskell(name))
			return true;
	}
	return false;
}

static bool has_haskell(struct module *module)
{
	if (module->haskell == MODULE_NOT_ASKED)
		module->haskell = find_haskell(module->elf) ? MODULE_WITH_HASKELL : MODULE_WITHOUT_HASKELL;
	return module->haskell == MODULE_WITH_HASKELL;
}

/* Whether the symbol is of code that GHC made, and has a module: it has an underscore before the one of "_info". */
static bool is_code(const char *symbol)
{
	static const char end[] = "_info";
	size_t len = strlen(symbol), end_len = sizeof end - 1;
	return len > end_len && strcmp(symbol + len - end_len, end) == 0 && memchr(symbol, '_', len - end_len) != NULL;
}

/* The symbols of code nearest to the address, at or below it and above it; "": there is none. */
struct neighbours {
	const char *below, *above;
};

static struct neighbours find_neighbours(Dwfl_Module *module, uint64_t address)
{
	struct neighbours found = {"", ""};
	GElf_Addr below = 0, above = UINT64_MAX;
	int count = dwfl_module_getsymtab(module);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr at;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &at, NULL, NULL, NULL);
		if (name == NULL || !is_code(name))
			continue;
		if (at <= address && at >= below) {
			below = at;
			found.below = name;
		} else if (at > address && at < above) {
			above = at;
			found.above = name;
		}
	}
	return found;
}

/* "package:Module.?": the code of a module lies together, so what is between two of its functions is its own, too.
 * NULL: the address is not between two functions of one module. */
static char *function_of_module(Dwfl_Module *module, uint64_t address)
{
	struct neighbours neighbours = find_neighbours(module, address);
	char *below = NULL, *above = NULL, *name = NULL;
	haskell_name(neighbours.below, &below);
	haskell_name(neighbours.above, &above);
	size_t len = below != NULL && above != NULL ? short_name_module(below) : 0;
	if (len > 0 && short_name_module(above) == len && strncmp(below, above, len) == 0)
		name = memory_format("%.*s?", (int)len, below);
	free(below);
	free(above);
	return name;
}

char *code_name(struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	REQUIRES(module->elf != NULL);
	const char *raw = dwfl_module_addrinfo(module->elf, address, &offset, &symbol, NULL, NULL, NULL);
	if (raw == NULL)
		return has_haskell(module) ? function_of_module(module->elf, address) : NULL;
	char *name;
	enum haskell_label label = haskell_name(raw, &name);
	bool is_certain = offset < symbol.st_size;
	if ((label == HASKELL_OTHER && is_certain) || !has_haskell(module)) {
		free(name);
		return demangle(raw);
	}
	if (is_certain && name != NULL)
		return name;
	free(name);
	return is_certain ? NULL : function_of_module(module->elf, address);
}

struct inlining_frame code_line(Dwfl_Module *module, uint64_t address)
{
	struct inlining_frame frame = {.function = NULL};
	GElf_Off offset;
	GElf_Sym symbol;
	GElf_Addr start;
	int number = 0;
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	if (line == NULL || dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) == NULL ||
		offset >= symbol.st_size)
		return frame;
	const char *file = dwfl_lineinfo(line, &start, &number, NULL, NULL, NULL);
	if (file == NULL || start < address - offset || number <= 0)
		return frame;
	frame.file = file;
	frame.line = (uint32_t)number;
	return frame;
}
