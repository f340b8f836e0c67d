/* SPDX-License-Identifier: MIT
 * Reads headers and symbols of an ELF file. Each of them is copied before it is read, as its place may not be aligned.
 */
#include "image.h"

#include <elf.h>
#include <string.h>

static bool has_bytes(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static bool copy_bytes(const struct image *image, uint64_t offset, void *to, size_t size)
{
	if (!has_bytes(image, offset, size))
		return false;
	memcpy(to, image->bytes + offset, size);
	return true;
}

static bool read_header(const struct image *image, Elf64_Ehdr *header)
{
	return copy_bytes(image, 0, header, sizeof *header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_machine == EM_X86_64;
}

bool image_is_fixed(const struct image *image)
{
	Elf64_Ehdr header;
	return read_header(image, &header) && header.e_type == ET_EXEC;
}

/* ---- symbols ---- */

/* The entry `index` of a table of the file. Neither the sum nor the product can overflow the offset unnoticed: the
 * offset lies within the file, and index and size have 16 bits. */
static bool read_entry(
	const struct image *image, uint64_t table, uint16_t entry_size, uint32_t index, void *to, size_t size)
{
	return entry_size == size && has_bytes(image, table, 0) &&
	       copy_bytes(image, table + (uint64_t)index * entry_size, to, size);
}

/* The symbol table, and the table of its names, which ends in a zero. */
struct tables {
	uint64_t symbols, len;
	const char *names;
	uint64_t names_size;
};

static bool read_section(const struct image *image, const Elf64_Ehdr *header, uint32_t index, Elf64_Shdr *section)
{
	return index < header->e_shnum &&
	       read_entry(image, header->e_shoff, header->e_shentsize, index, section, sizeof *section) &&
	       (section->sh_type == SHT_NOBITS || has_bytes(image, section->sh_offset, section->sh_size));
}

static bool read_names(const struct image *image, const Elf64_Shdr *names, struct tables *tables)
{
	if (names->sh_type != SHT_STRTAB || names->sh_size == 0)
		return false;
	tables->names = (const char *)image->bytes + names->sh_offset;
	tables->names_size = names->sh_size;
	return tables->names[names->sh_size - 1] == '\0';
}

static bool find_tables(const struct image *image, struct tables *tables)
{
	Elf64_Ehdr header;
	Elf64_Shdr section, names;
	if (!read_header(image, &header))
		return false;
	for (uint32_t i = 0; i < header.e_shnum; i++) {
		if (!read_section(image, &header, i, &section))
			return false;
		if (section.sh_type != SHT_SYMTAB)
			continue;
		tables->symbols = section.sh_offset;
		tables->len = section.sh_size / sizeof(Elf64_Sym);
		return section.sh_entsize == sizeof(Elf64_Sym) &&
		       read_section(image, &header, section.sh_link, &names) && read_names(image, &names, tables);
	}
	return false;
}

/* Whether more than one source file could use the symbol. The linker makes hidden symbols local, and they stay hidden;
 * `static` ones are local and not hidden. */
static bool has_one_meaning(const Elf64_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
	       (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL || ELF64_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN);
}

/* Returns false if the name has another address already. */
static bool note(struct image_symbol *symbols, size_t len, const char *name, uintptr_t address)
{
	for (size_t i = 0; i < len; i++) {
		if (strcmp(symbols[i].name, name) != 0)
			continue;
		if (symbols[i].address != 0 && symbols[i].address != address)
			return false;
		symbols[i].address = address;
	}
	return true;
}

bool image_find_symbols(const struct image *image, struct image_symbol *symbols, size_t len)
{
	struct tables tables;
	if (!find_tables(image, &tables))
		return false;
	for (uint64_t i = 0; i < tables.len; i++) {
		Elf64_Sym symbol;
		memcpy(&symbol, image->bytes + tables.symbols + i * sizeof symbol, sizeof symbol);
		if (symbol.st_name >= tables.names_size)
			return false;
		if (has_one_meaning(&symbol) && !note(symbols, len, tables.names + symbol.st_name, symbol.st_value))
			return false;
	}
	return true;
}

/* ---- segments ---- */

/* Copies the header of a segment that is loaded. Returns false for other segments, and for those that the file does not
 * have. */
static bool read_segment(const struct image *image, const Elf64_Ehdr *header, uint32_t index, Elf64_Phdr *segment)
{
	return read_entry(image, header->e_phoff, header->e_phentsize, index, segment, sizeof *segment) &&
	       segment->p_type == PT_LOAD && has_bytes(image, segment->p_offset, segment->p_filesz) &&
	       segment->p_vaddr <= UINT64_MAX - segment->p_filesz;
}

size_t image_find_code(const struct image *image, struct image_segment *segments, size_t max)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	size_t len = 0;
	if (!read_header(image, &header))
		return 0;
	for (uint32_t i = 0; i < header.e_phnum && len < max; i++) {
		if (read_segment(image, &header, i, &segment) && (segment.p_flags & (PF_X | PF_W)) == PF_X)
			segments[len++] = (struct image_segment){segment.p_vaddr, segment.p_filesz};
	}
	return len;
}

bool image_has(const struct image *image, uintptr_t address, size_t len)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	if (!read_header(image, &header))
		return false;
	for (uint32_t i = 0; i < header.e_phnum; i++) {
		if (read_segment(image, &header, i, &segment) && address >= segment.p_vaddr &&
			address - segment.p_vaddr <= segment.p_filesz &&
			len <= segment.p_filesz - (address - segment.p_vaddr))
			return true;
	}
	return false;
}
