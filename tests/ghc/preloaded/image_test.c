/* SPDX-License-Identifier: MIT
 * With a small ELF file that is made here, whole and damaged. Each file lies in memory of exactly its size. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf_header.h"
#include "image.h"
#include "test.h"

enum { RTS, STATIC, OTHER, SYMBOLS };

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[SYMBOLS];
	char names[32];
};

#define START 0x400000u

static Elf64_Sym symbol(uint32_t name, unsigned char binding, unsigned char visibility, uint64_t address)
{
	return (Elf64_Sym){name, (unsigned char)ELF64_ST_INFO(binding, STT_FUNC), visibility, 1, address, 0};
}

static struct file usual(void)
{
	struct file file = {
		.header = ELF_HEADER(struct file, segments, 3, sections, 3, 0),
		.segments = {{.p_type = PT_INTERP},
			{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = START, .p_filesz = 256},
			{.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 2 * START, .p_filesz = 16}},
		.sections = {{0},
			{.sh_type = SHT_SYMTAB,
				.sh_offset = offsetof(struct file, symbols),
				.sh_size = sizeof file.symbols,
				.sh_link = 2,
				.sh_entsize = sizeof(Elf64_Sym)},
			{.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names), .sh_size = 32}},
		.symbols = {[RTS] = symbol(1, STB_LOCAL, STV_HIDDEN, START + 16),
			[STATIC] = symbol(1, STB_LOCAL, STV_DEFAULT, START + 32),
			[OTHER] = symbol(9, STB_GLOBAL, STV_DEFAULT, START + 48)},
		.names = "\0compact\0other",
	};
	return file;
}

/* The file in memory of its own, so that sanitizers and valgrind see whether more is read. */
static struct image image_of(const struct file *file, size_t size)
{
	unsigned char *bytes = malloc(size != 0 ? size : 1);
	assert_non_null(bytes);
	memcpy(bytes, file, size);
	return (struct image){bytes, size};
}

static bool find(const struct file *file, size_t size, struct image_symbol *symbols)
{
	struct image image = image_of(file, size);
	bool is_found = image_find_symbols(&image, symbols, 3);
	free((void *)(uintptr_t)image.bytes);
	return is_found;
}

#define WANTED                                \
	{                                     \
		{"compact", 0}, {"other", 0}, \
		{                             \
			"missing", 0          \
		}                             \
	}

TEST(a_symbol_local_to_a_source_file_is_another_one)
{
	struct file file = usual();
	struct image_symbol wanted[] = WANTED;
	assert_true(find(&file, sizeof file, wanted));
	assert_int_equal(wanted[0].address, START + 16);
	assert_int_equal(wanted[1].address, START + 48);
	assert_int_equal(wanted[2].address, 0);
}

TEST(a_name_with_two_addresses_is_refused)
{
	struct file file = usual();
	struct image_symbol wanted[] = WANTED;
	file.symbols[STATIC].st_other = STV_HIDDEN;
	assert_false(find(&file, sizeof file, wanted));
}

TEST(without_symbols_nothing_is_found)
{
	struct file file = usual();
	struct image_symbol wanted[] = WANTED;
	file.sections[1].sh_type = SHT_PROGBITS;
	assert_false(find(&file, sizeof file, wanted));
	file = usual();
	file.header.e_shnum = 0;
	assert_false(find(&file, sizeof file, wanted));
}

TEST(only_a_program_at_fixed_addresses_of_this_processor_is_fixed)
{
	struct file file = usual();
	struct image image = {(const unsigned char *)&file, sizeof file};
	assert_true(image_is_fixed(&image));
	file.header.e_type = ET_DYN;
	assert_false(image_is_fixed(&image));
	file = usual();
	file.header.e_machine = EM_AARCH64;
	assert_false(image_is_fixed(&image));
	image.size = sizeof(Elf64_Ehdr) - 1;
	assert_false(image_is_fixed(&image));
}

TEST(code_is_what_is_executable_and_not_writable)
{
	struct file file = usual();
	struct image image = {(const unsigned char *)&file, sizeof file};
	struct image_segment code[2];
	assert_int_equal(image_find_code(&image, code, 2), 1);
	assert_int_equal(code[0].start, START);
	assert_int_equal(code[0].size, 256);
	assert_int_equal(image_find_code(&image, code, 0), 0);
	file.segments[1].p_flags |= PF_W;
	assert_int_equal(image_find_code(&image, code, 2), 0);
}

TEST(a_segment_has_the_bytes_from_its_first_to_its_last)
{
	struct file file = usual();
	struct image image = {(const unsigned char *)&file, sizeof file};
	assert_true(image_has(&image, START, 256));
	assert_true(image_has(&image, START + 255, 1));
	assert_false(image_has(&image, START + 255, 2));
	assert_false(image_has(&image, START - 1, 2));
	assert_true(image_has(&image, 2 * START, 16));
	assert_false(image_has(&image, 0, 1));
	assert_false(image_has(&image, UINTPTR_MAX, 2));
}

static void read_all(const struct image *image)
{
	struct image_symbol wanted[] = WANTED;
	struct image_segment code[4];
	image_is_fixed(image);
	image_find_symbols(image, wanted, 3);
	for (size_t i = 0, len = image_find_code(image, code, 4); i < len; i++)
		assert_true(code[i].size <= image->size);
	image_has(image, START, 1);
}

/* Each byte gets each of these values, one at a time: sizes and offsets become small, huge and negative. */
TEST(damaged_files_are_read_within_their_bytes)
{
	static const unsigned char values[] = {0x00, 0x01, 0x3f, 0x7f, 0x80, 0xff};
	struct file file = usual();
	for (size_t at = 0; at < sizeof file; at++) {
		for (size_t i = 0; i < sizeof values; i++) {
			struct image image = image_of(&file, sizeof file);
			((unsigned char *)(uintptr_t)image.bytes)[at] = values[i];
			read_all(&image);
			free((void *)(uintptr_t)image.bytes);
		}
	}
}

TEST(cut_files_are_read_within_their_bytes)
{
	struct file file = usual();
	for (size_t size = 0; size < sizeof file; size++) {
		struct image image = image_of(&file, size);
		read_all(&image);
		free((void *)(uintptr_t)image.bytes);
	}
}

TEST(names_that_do_not_end_are_refused)
{
	struct file file = usual();
	struct image_symbol wanted[] = WANTED;
	memset(file.names, 'x', sizeof file.names);
	assert_false(find(&file, sizeof file, wanted));
	file = usual();
	file.symbols[OTHER].st_name = sizeof file.names;
	assert_false(find(&file, sizeof file, wanted));
}
