/* SPDX-License-Identifier: MIT
 * Reads the sizes in the headers of both kinds of compressed sections. */
#include "module.h"

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TIMES_MAX = 50, HARMLESS = 64 << 20 };

/* The older kind: "ZLIB", and the size, its highest byte first. */
static uint64_t older_size(Elf_Scn *section)
{
	static const char mark[] = "ZLIB";
	const Elf_Data *data = elf_rawdata(section, NULL);
	uint64_t size = 0;
	if (data == NULL || data->d_size < sizeof mark - 1 + sizeof size ||
		memcmp(data->d_buf, mark, sizeof mark - 1) != 0)
		return 0;
	for (size_t i = 0; i < sizeof size; i++)
		size = size << 8 | ((const unsigned char *)data->d_buf)[sizeof mark - 1 + i];
	return size;
}

static bool is_older(Elf *elf, const GElf_Shdr *header)
{
	static const char begin[] = ".zdebug";
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	const char *name = elf_strptr(elf, names, header->sh_name);
	return name != NULL && strncmp(name, begin, sizeof begin - 1) == 0;
}

static bool is_bomb(Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr compressed;
	uint64_t size = 0;
	if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
		return false;
	if ((header.sh_flags & SHF_COMPRESSED) != 0 && gelf_getchdr(section, &compressed) != NULL)
		size = compressed.ch_size;
	else if (is_older(elf, &header))
		size = older_size(section);
	return size > HARMLESS && size / TIMES_MAX > header.sh_size;
}

bool compressed_is_bomb(int fd)
{
	bool has_bomb = false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL); /* so that only the headers are read */
	for (Elf_Scn *section = NULL; !has_bomb && (section = elf_nextscn(elf, section)) != NULL;)
		has_bomb = is_bomb(elf, section);
	elf_end(elf);
	return has_bomb;
}
