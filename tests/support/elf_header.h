/* SPDX-License-Identifier: MIT
 * The header of an x86-64 program that is a structure, with members for its segments and its sections. */
#ifndef TESTS_ELF_HEADER_H
#define TESTS_ELF_HEADER_H

#include <elf.h>
#include <stddef.h>

#define ELF_HEADER(type, segments, segment_count, sections, section_count, names)                                   \
	{                                                                                                           \
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},               \
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr), \
		.e_phoff = offsetof(type, segments), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (segment_count), \
		.e_shoff = offsetof(type, sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = (section_count), \
		.e_shstrndx = (names),                                                                              \
	}

#endif
