/* SPDX-License-Identifier: MIT */
#include "binding.h"

#include <stddef.h>

/* What the entries of the dynamic section say about binding. */
struct said {
	bool has_lazy; /* relocations of functions */
	bool asks_now;
};

static void note_entry(struct said *said, const GElf_Dyn *entry)
{
	switch (entry->d_tag) {
	case DT_PLTRELSZ:
		said->has_lazy = entry->d_un.d_val != 0;
		break;
	case DT_BIND_NOW:
		said->asks_now = true;
		break;
	case DT_FLAGS:
		said->asks_now = said->asks_now || (entry->d_un.d_val & DF_BIND_NOW) != 0;
		break;
	case DT_FLAGS_1:
		said->asks_now = said->asks_now || (entry->d_un.d_val & DF_1_NOW) != 0;
		break;
	}
}

/* The dynamic section; NULL: there is none. Found by the program headers, which a stripped file still has. */
static Elf_Data *dynamic_of(Elf *elf)
{
	size_t count;
	GElf_Phdr header;
	if (elf_getphdrnum(elf, &count) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_DYNAMIC)
			return elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_DYN);
	}
	return NULL;
}

bool binding_is_lazy(Elf *elf)
{
	struct said said = {false, false};
	GElf_Dyn entry;
	Elf_Data *dynamic = dynamic_of(elf);
	if (dynamic == NULL)
		return false;
	for (int i = 0; gelf_getdyn(dynamic, i, &entry) != NULL && entry.d_tag != DT_NULL; i++)
		note_entry(&said, &entry);
	return said.has_lazy && !said.asks_now;
}
