/* SPDX-License-Identifier: MIT */
#include "own_module.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static void take_build_id(struct stmlog_module_record *module, const char *notes, size_t size)
{
	for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
		ElfW(Nhdr) note;
		memcpy(&note, notes + at, sizeof note);
		size_t content = at + sizeof note + ((note.n_namesz + 3u) & ~3u);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= sizeof module->build_id) {
			memcpy(module->build_id, notes + content, note.n_descsz);
			module->build_id_len = note.n_descsz;
		}
		at = content + ((note.n_descsz + 3u) & ~3u);
	}
}

/* The module wanted has `address`; NULL: the first one visited, which is the program. */
struct wanted {
	const void *address;
	struct stmlog_module_record module;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct wanted *wanted = arg;
	struct stmlog_module_record *module = &wanted->module;
	bool has_address = wanted->address == NULL;
	(void)size;
	*module = (struct stmlog_module_record){.bias = info->dlpi_addr};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && (uintptr_t)wanted->address - start < header->p_memsz)
			has_address = true;
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
			module->start = start;
			module->end = start + header->p_memsz;
		}
		if (header->p_type == PT_NOTE)
			take_build_id(module, (const char *)start, header->p_memsz);
	}
	return has_address;
}

struct stmlog_module_record own_module(void)
{
	return module_of(NULL);
}

struct stmlog_module_record module_of(const void *address)
{
	struct wanted wanted = {.address = address};
	dl_iterate_phdr(visit, &wanted);
	return wanted.module;
}

const char *own_module_path(void)
{
	static char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	return path;
}
