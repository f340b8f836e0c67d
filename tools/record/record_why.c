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

static struct record_why without_link(const char *text)
{
	return (struct record_why){text, RECORD_LINK_NONE};
}

static struct record_why linkable(const char *text)
{
	return (struct record_why){text, RECORD_LINK_LIBITM};
}

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

/* What the symbol tables of a file have of _ITM_beginTransaction. */
struct mentions {
	bool is_defined;
	bool is_needed;
	bool has_agent; /* the agent's is defined, which stmlog-itm.wrap links in */
	bool has_table; /* the file is not stripped */
};

static void look_through(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct mentions *mentions)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = record_elf_entries(data, header);
	GElf_Sym symbol;
	for (size_t i = 0; i < count && i <= INT_MAX && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		bool is_defined = symbol.st_shndx != SHN_UNDEF;
		if (name == NULL)
			continue;
		mentions->has_agent |= is_defined && strcmp(name, "__wrap__ITM_beginTransaction") == 0;
		if (strcmp(name, "_ITM_beginTransaction") != 0)
			continue;
		mentions->is_defined |= is_defined;
		mentions->is_needed |= !is_defined;
	}
}

static struct mentions find_begin(Elf *elf)
{
	struct mentions mentions = {.is_defined = false};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL)
			continue;
		mentions.has_table |= header.sh_type == SHT_SYMTAB;
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			look_through(elf, section, &header, &mentions);
	}
	return mentions;
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
		return without_link("it is built for another word size than the agent; build it for this one");
	struct mentions mentions = find_begin(elf);
	struct record_why haskell = record_why_haskell(elf, !has_interpreter(elf));
	if (haskell.text != NULL && !mentions.is_needed && !mentions.is_defined)
		return haskell;
	if (mentions.has_agent)
		return without_link(RECORD_WHY_IDLE);
	if (mentions.is_defined)
		return linkable("it has a libitm of its own linked in, which a preloaded library cannot replace");
	if (!has_interpreter(elf) && mentions.has_table)
		return without_link("it has no libitm linked in, so it was not built with gcc -fgnu-tm; "
				    "build the files that have transactions with -fgnu-tm");
	if (!has_interpreter(elf))
		return linkable("it is statically linked, so nothing can be preloaded");
	if (!mentions.is_needed)
		return without_link("it was not built with gcc -fgnu-tm, or no transaction began; "
				    "build the files that have transactions with -fgnu-tm");
	return without_link(RECORD_WHY_IDLE);
}

struct record_why record_why_nothing(const char *program)
{
	static const char generic[] =
		"no transaction began, or the program with transactions is not built so that it can be recorded; "
		"record that program directly";
	char path[PATH_MAX];
	struct stat status;
	if (record_why_interpreter(program) != NULL)
		return without_link(record_why_interpreter(program));
	if (!lookup_program(program, path) || stat(path, &status) != 0)
		return without_link(generic);
	if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
		return without_link(
			"it is setuid or setgid, so the system preloads nothing; record a copy without that bit");
	struct opened opened = open_elf(path);
	struct record_why why = opened.elf != NULL ? why_elf(opened.elf) : without_link(generic);
	close_elf(&opened);
	return why;
}
