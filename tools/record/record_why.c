/* SPDX-License-Identifier: MIT
 * Reads a program's ELF file: why it may have left no recording, and whether the agent is linked into it. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libitm.h"
#include "lookup.h"
#include "record.h"

static bool has_interpreter(Elf *elf)
{
	size_t count = 0;
	GElf_Phdr header;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static void look_through(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct record_symbols *symbols)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = record_elf_entries(data, header);
	GElf_Sym symbol;
	for (size_t i = 0; i < count && i <= INT_MAX && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		bool is_defined = symbol.st_shndx != SHN_UNDEF;
		if (name == NULL)
			continue;
		bool is_begin = strcmp(name, "_ITM_beginTransaction") == 0;
		symbols->begin_is_defined |= is_begin && is_defined;
		symbols->begin_is_needed |= is_begin && !is_defined;
		symbols->has_agent |= is_defined && strcmp(name, "__wrap__ITM_beginTransaction") == 0;
		symbols->has_module |= strcmp(name, "__wrap_stmStartTransaction") == 0;
	}
}

static struct record_symbols find_symbols(Elf *elf)
{
	struct record_symbols symbols = {.has_table = false};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL)
			continue;
		symbols.has_table |= header.sh_type == SHT_SYMTAB;
		symbols.is_go |= record_elf_is_named(elf, &header, ".go.buildinfo");
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			look_through(elf, section, &header, &symbols);
	}
	return symbols;
}

struct opened {
	int file;
	Elf *elf; /* NULL: no ELF file, or it cannot be read */
};

static struct opened open_elf(const char *path)
{
	struct opened opened = {open(path, O_RDONLY | O_CLOEXEC), NULL};
	if (opened.file < 0)
		return opened;
	elf_version(EV_CURRENT);
	opened.elf = elf_begin(opened.file, ELF_C_READ, NULL);
	if (opened.elf != NULL && elf_kind(opened.elf) != ELF_K_ELF) {
		elf_end(opened.elf);
		opened.elf = NULL;
	}
	return opened;
}

static void close_elf(struct opened *opened)
{
	elf_end(opened->elf);
	if (opened->file >= 0)
		close(opened->file);
}

static struct record_why why_elf(Elf *elf)
{
	if (gelf_getclass(elf) != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return (struct record_why){
			.text = "it is built for another word size than the agent; build it for this one"};
	struct record_symbols symbols = find_symbols(elf);
	bool is_static = !has_interpreter(elf);
	struct record_why haskell = record_why_haskell(elf, &symbols, is_static);
	if (haskell.text != NULL && !symbols.begin_is_needed && !symbols.begin_is_defined)
		return haskell;
	if (symbols.has_agent)
		return (struct record_why){.text = RECORD_WHY_IDLE};
	if (symbols.begin_is_defined)
		return (struct record_why){
			"it has a libitm of its own linked in, which a preloaded library cannot replace",
			RECORD_LINK_LIBITM};
	if (symbols.is_go && !symbols.begin_is_needed)
		return (struct record_why){.text = "it is a Go program: Go has no memory transactions"};
	if (is_static && symbols.has_table)
		return (struct record_why){.text = "it has no libitm linked in, so it was not built with gcc -fgnu-tm; "
						   "build the files that have transactions with -fgnu-tm"};
	if (is_static)
		return (struct record_why){"it is statically linked, so nothing can be preloaded", RECORD_LINK_LIBITM};
	if (!symbols.begin_is_needed)
		return (struct record_why){.text = "it was not built with gcc -fgnu-tm, or no transaction began; "
						   "build the files that have transactions with -fgnu-tm"};
	return (struct record_why){.text = RECORD_WHY_IDLE};
}

struct record_why record_why_nothing(const char *program)
{
	const struct record_why generic = {.text = "no transaction began, or the program with transactions is not "
						   "built so that it can be recorded; "
						   "record that program directly"};
	char path[PATH_MAX];
	struct stat status;
	if (record_why_interpreter(program) != NULL)
		return (struct record_why){.text = record_why_interpreter(program)};
	if (!lookup_program(program, path) || stat(path, &status) != 0)
		return generic;
	if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
		return (struct record_why){.text = "it is setuid or setgid, so the system preloads nothing; record a "
						   "copy without that bit"};
	struct opened opened = open_elf(path);
	struct record_why why = opened.elf != NULL ? why_elf(opened.elf) : generic;
	close_elf(&opened);
	return why;
}
