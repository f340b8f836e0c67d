/* SPDX-License-Identifier: MIT
 * Walks the loader's list of modules. This is slow: for set-up and rare cases. */
#include "loaded.h"

#include <link.h>
#include <string.h>

struct search {
	uintptr_t address;
	size_t len;
	ElfW(Word) flags;
	struct native_module found;
};

static const ElfW(Phdr) * segment_with(const struct dl_phdr_info *info, uintptr_t address, size_t len)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && address >= start && address - start < header->p_memsz &&
			len <= header->p_memsz - (address - start))
			return header;
	}
	return NULL;
}

static void copy_build_id(struct native_module *module, const char *note, size_t size)
{
	const char *end = note + size;
	while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
		const char *name = note + sizeof *header;
		const char *value = name + ((header->n_namesz + 3u) & ~3u);
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
			header->n_descsz <= NATIVE_BUILD_ID_MAX) {
			module->build_id_len = header->n_descsz;
			memcpy(module->build_id, value, header->n_descsz);
			return;
		}
		note = value + ((header->n_descsz + 3u) & ~3u);
	}
}

static struct native_module describe(const struct dl_phdr_info *info)
{
	struct native_module module = {.start = UINTPTR_MAX};
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && start < module.start)
			module.start = start;
		if (header->p_type == PT_LOAD && start + header->p_memsz > module.end)
			module.end = start + header->p_memsz;
		if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) {
			module.data = start;
			module.data_size = header->p_memsz;
			module.data_parts++;
		}
		if (header->p_type == PT_NOTE && header->p_align <= 4)
			copy_build_id(&module, (const char *)start, header->p_memsz);
	}
	return module;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	struct search *search = arg;
	if (segment_with(info, search->address, 1) == NULL)
		return 0;
	search->found = describe(info);
	return 1;
}

static int look_allowed(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	const struct search *search = arg;
	const ElfW(Phdr) *header = segment_with(info, search->address, search->len);
	return header != NULL && (header->p_flags & search->flags) == search->flags;
}

struct native_module native_module_find(const void *address)
{
	struct search search = {.address = (uintptr_t)address};
	dl_iterate_phdr(look, &search);
	return search.found;
}

bool native_module_is_readable(uintptr_t address, size_t len)
{
	struct search search = {.address = address, .len = len, .flags = PF_R};
	return dl_iterate_phdr(look_allowed, &search) != 0;
}

bool native_module_is_writable(uintptr_t address, size_t len)
{
	struct search search = {.address = address, .len = len, .flags = PF_R | PF_W};
	return dl_iterate_phdr(look_allowed, &search) != 0;
}
