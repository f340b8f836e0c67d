/* SPDX-License-Identifier: MIT
 * Reads memory that may not be mapped: copies it through a pipe. Where it cannot be read, write() returns an error and
 * nothing faults. */
#include "probe.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

/* A pipe takes at least a page at once. */
enum { PIECE = 4096 };

bool probe_open(void)
{
	return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
}

static bool read_piece(uintptr_t address, char *to, size_t size)
{
	ssize_t put = write(ends[1], (const void *)address, size);
	return put > 0 && read(ends[0], to, (size_t)put) == put && (size_t)put == size;
}

bool probe_read(void *unused, uintptr_t address, void *to, size_t size)
{
	(void)unused;
	for (size_t done = 0; done < size; done += PIECE) {
		size_t len = size - done < PIECE ? size - done : PIECE;
		if (!read_piece(address + done, (char *)to + done, len))
			return false;
	}
	return true;
}

struct search {
	uintptr_t code;
	struct probe_data found;
	unsigned pieces;
};

static bool has_code(const struct dl_phdr_info *info, uintptr_t code)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type == PT_LOAD && code - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	struct search *search = arg;
	if (!has_code(info, search->code))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD || (header->p_flags & PF_W) == 0)
			continue;
		/* From the first whole word: the data may begin anywhere. */
		uintptr_t start = (info->dlpi_addr + header->p_vaddr + 7) & ~(uintptr_t)7;
		search->found = (struct probe_data){start, info->dlpi_addr + header->p_vaddr + header->p_memsz - start};
		search->pieces++;
	}
	return 1;
}

struct probe_data probe_data_of(const void *code)
{
	struct search search = {.code = (uintptr_t)code};
	dl_iterate_phdr(look, &search);
	return search.pieces == 1 ? search.found : (struct probe_data){0, 0};
}
