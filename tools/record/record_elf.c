/* SPDX-License-Identifier: MIT
 * What both readers of ELF files ask of a section: record_why.c and record_haskell.c. */
#include <string.h>

#include "record.h"

size_t record_elf_entries(const Elf_Data *data, const GElf_Shdr *header)
{
	return data != NULL && header->sh_entsize != 0 ? data->d_size / header->sh_entsize : 0;
}

bool record_elf_is_named(Elf *elf, const GElf_Shdr *header, const char *wanted)
{
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	const char *name = elf_strptr(elf, names, header->sh_name);
	return name != NULL && strcmp(name, wanted) == 0;
}
