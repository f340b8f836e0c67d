/* SPDX-License-Identifier: MIT
 * Reads the program headers that the dynamic linker keeps in memory; opens no file. */
#include "modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct visit {
	void (*visit)(const struct module *module, void *arg);
	void *arg;
	struct module module; /* not on the stack of each call, because it is large */
};

static void find_build_id(struct module *module, const char *notes, size_t size)
{
	size_t at = 0;
	while (at + sizeof(ElfW(Nhdr)) <= size) {
		ElfW(Nhdr) note;
		memcpy(&note, notes + at, sizeof note);
		const char *name = notes + at + sizeof note;
		const char *content = name + ((note.n_namesz + 3u) & ~3u);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
			note.n_descsz <= BUILD_ID_MOST) {
			memcpy(module->build_id, content, note.n_descsz);
			module->build_id_len = note.n_descsz;
			return;
		}
		at = (size_t)(content - notes) + ((note.n_descsz + 3u) & ~3u);
	}
}

static void take_code_range(struct module *module, const ElfW(Phdr) * header)
{
	uint64_t start = module->bias + header->p_vaddr;
	uint64_t end = start + header->p_memsz;
	if (module->end == 0 || start < module->start)
		module->start = start;
	if (end > module->end)
		module->end = end;
}

static void take_path(struct module *module, const char *name)
{
	ssize_t len = 0;
	if (name[0] != '\0') {
		strncpy(module->path, name, sizeof module->path - 1);
		return;
	}
	/* The dynamic linker has no name for the executable. */
	len = readlink("/proc/self/exe", module->path, sizeof module->path - 1);
	module->path[len > 0 ? len : 0] = '\0';
}

static int visit_one(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	struct module *module = &visit->module;
	(void)size;
	memset(module, 0, sizeof *module);
	module->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0)
			take_code_range(module, header);
		else if (header->p_type == PT_NOTE && module->build_id_len == 0)
			find_build_id(module, (const char *)(module->bias + header->p_vaddr), header->p_memsz);
	}
	if (module->end != 0) {
		take_path(module, info->dlpi_name);
		visit->visit(module, visit->arg);
	}
	return 0;
}

void modules_visit(void (*visit)(const struct module *module, void *arg), void *arg)
{
	struct visit all = {.visit = visit, .arg = arg};
	dl_iterate_phdr(visit_one, &all);
}
