/* SPDX-License-Identifier: MIT
 * In a program of GHC's, functions that are local to a module have no symbols, and may be anywhere between those that
 * have one. So there only a symbol with a size tells whose code it is. Elsewhere the nearest symbol below does: what
 * has none is written in assembler. */
#include "code_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "demangle.h"
#include "haskell_name.h"

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

char *code_name(struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	REQUIRES(module->elf != NULL);
	const char *raw = dwfl_module_addrinfo(module->elf, address, &offset, &symbol, NULL, NULL, NULL);
	if (raw == NULL)
		return NULL;
	char *name;
	enum haskell_label label = haskell_name(raw, &name);
	bool is_certain = offset < symbol.st_size;
	if ((label == HASKELL_OTHER && is_certain) || !has_haskell(module)) {
		free(name);
		return demangle(raw);
	}
	if (is_certain)
		return name;
	free(name);
	return NULL;
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
