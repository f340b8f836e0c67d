/* SPDX-License-Identifier: MIT
 * Asks the loader for the library, and reads its .eh_frame_hdr, which lies in memory. */
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct wanted {
	struct library *library;
	const char *name;
};

static bool has_name(const struct dl_phdr_info *info, const char *name)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	return strncmp(slash != NULL ? slash + 1 : info->dlpi_name, name, strlen(name)) == 0;
}

/* The begin of .eh_frame_hdr, as every linker writes it. */
struct header {
	uint8_t version, frames_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
	struct library_function functions[];
};

static void read_functions(struct library *library, const struct header *header)
{
	static const uint8_t known[] = {1, 0x1b, 0x03, 0x3b};
	if (memcmp(header, known, sizeof known) != 0)
		return;
	library->functions = header->functions;
	library->functions_len = header->count;
	library->table = (uintptr_t)header;
}

static void read_segment(struct library *library, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	uintptr_t start = info->dlpi_addr + segment->p_vaddr;
	if (segment->p_type == PT_GNU_EH_FRAME && segment->p_memsz >= sizeof(struct header))
		read_functions(library, (const struct header *)start);
	if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
		return;
	library->code = (unsigned char *)start;
	library->code_size = segment->p_memsz;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct wanted *wanted = arg;
	(void)size;
	if (!has_name(info, wanted->name))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		read_segment(wanted->library, info, &info->dlpi_phdr[i]);
	wanted->library->path = info->dlpi_name;
	return 1;
}

bool library_open(struct library *library, const char *name)
{
	struct wanted wanted = {library, name};
	*library = (struct library){.handle = NULL};
	dl_iterate_phdr(look, &wanted);
	if (library->path != NULL)
		library->handle = dlopen(library->path, RTLD_LAZY | RTLD_NOLOAD);
	bool is_known = library->handle != NULL && library->code != NULL && library->functions_len != 0;
	if (!is_known)
		library_close(library);
	return is_known;
}

void library_close(struct library *library)
{
	if (library->handle != NULL)
		dlclose(library->handle);
	*library = (struct library){.handle = NULL};
}

uintptr_t library_symbol(const struct library *library, const char *name)
{
	return (uintptr_t)dlsym(library->handle, name);
}

static uintptr_t start_of(const struct library *library, size_t index)
{
	return library->table + (uintptr_t)(intptr_t)library->functions[index].start;
}

/* An entry of .eh_frame, as compilers write it. */
struct entry {
	uint32_t bytes, common;
	int32_t start; /* distance from here */
	uint32_t size;
};

/* Returns an empty span if the entry has another form. */
static struct library_span span_of(const struct library *library, size_t index)
{
	uintptr_t start = start_of(library, index);
	const struct entry *entry =
		(const struct entry *)(library->table + (uintptr_t)(intptr_t)library->functions[index].entry);
	bool is_known = (uintptr_t)&entry->start + (uintptr_t)(intptr_t)entry->start == start;
	return (struct library_span){start, start + (is_known ? entry->size : 0)};
}

struct library_span library_function(const struct library *library, uintptr_t address)
{
	size_t low = 0, high = library->functions_len; /* functions before `low` begin at or before the address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (start_of(library, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	struct library_span span = {0, 0};
	if (low != 0)
		span = span_of(library, low - 1);
	return address - span.start < span.end - span.start ? span : (struct library_span){0, 0};
}
