/* SPDX-License-Identifier: MIT
 * With small ELF files that are made here, as far as they are read. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf_header.h"
#include "record.h"
#include "recording_writer.h"
#include "temp_dir.h"
#include "test.h"

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[2];
	char strings[32];
};

/* A dynamic program whose one symbol is `name`. */
static struct image image_of(const char *name, uint16_t section)
{
	struct image image = {
		.header = ELF_HEADER(struct image, segment, 1, sections, 3, 2),
		.segment = {.p_type = PT_INTERP},
		.sections = {{0},
			{.sh_type = SHT_DYNSYM,
				.sh_offset = offsetof(struct image, symbols),
				.sh_size = 2 * sizeof(Elf64_Sym),
				.sh_link = 2,
				.sh_entsize = sizeof(Elf64_Sym)},
			{.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, strings), .sh_size = 32}},
		.symbols = {{0}, {.st_name = 1, .st_shndx = section}},
	};
	strncpy(image.strings + 1, name, sizeof image.strings - 2);
	return image;
}

static void expect(const void *bytes, size_t len, mode_t mode, const char *word)
{
	const char *path = temp_dir_path("program");
	writer_save_bytes(bytes, len, path);
	assert_int_equal(chmod(path, mode), 0);
	const char *why = record_why_nothing(path).text;
	if (strstr(why, word) == NULL)
		fail_msg("\"%s\" does not mention \"%s\"", why, word);
}

TEST(each_way_to_be_missed_has_its_reason)
{
	struct image image = image_of("_ITM_beginTransaction", SHN_UNDEF);
	expect(&image, sizeof image, 0755, "no transaction began; run it");
	expect(&image, sizeof image, 04755, "setuid");
	expect(&image, sizeof image, 02755, "setuid");
	image = image_of("_ITM_beginTransaction", 1);
	expect(&image, sizeof image, 0755, "a libitm of its own");
	image = image_of("__wrap__ITM_beginTransaction", 1);
	expect(&image, sizeof image, 0755, "no transaction began; run it");
	image = image_of("main", 1);
	expect(&image, sizeof image, 0755, "not built with gcc -fgnu-tm");
	image.segment.p_type = PT_LOAD;
	expect(&image, sizeof image, 0755, "statically linked");
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	expect(&image, sizeof image, 0755, "word size");
}

static bool can_link(const struct image *image)
{
	const char *path = temp_dir_path("program");
	writer_save_bytes(image, sizeof *image, path);
	return record_why_nothing(path).link == RECORD_LINK_LIBITM;
}

TEST(what_cannot_be_preloaded_into_can_be_linked)
{
	struct image image = image_of("_ITM_beginTransaction", SHN_UNDEF);
	assert_false(can_link(&image));
	image = image_of("__wrap__ITM_beginTransaction", SHN_UNDEF);
	assert_false(can_link(&image));
	image = image_of("_ITM_beginTransaction", 1);
	assert_true(can_link(&image));
	image = image_of("main", 1);
	image.segment.p_type = PT_LOAD;
	assert_true(can_link(&image));
	/* The agent is in it already. */
	image = image_of("__wrap__ITM_beginTransaction", 1);
	image.segment.p_type = PT_LOAD;
	assert_false(can_link(&image));
}

TEST(what_is_no_program_file_gets_the_general_answer)
{
	expect("#!/bin/sh\nexit 0\n", 17, 0755, "record that program directly");
	expect("", 0, 0755, "record that program directly");
	assert_non_null(strstr(record_why_nothing("/nowhere/at/all").text, "record that program directly"));
	assert_non_null(strstr(record_why_nothing(temp_dir).text, "record that program directly"));
}

TEST(a_program_is_looked_for_as_exec_does)
{
	struct image image = image_of("main", 1);
	const char *path = temp_dir_path("stmlog-test-program");
	writer_save_bytes(&image, sizeof image, path);
	assert_int_equal(chmod(path, 0755), 0);
	OWNED(owned_free) char *old = strdup(getenv("PATH"));
	setenv("PATH", "/nowhere", 1);
	assert_non_null(strstr(record_why_nothing("stmlog-test-program").text, "record that program directly"));
	setenv("PATH", temp_dir, 1);
	assert_non_null(strstr(record_why_nothing("stmlog-test-program").text, "not built with"));
	setenv("PATH", old, 1);
}

/* ---- programs of GHC ---- */

enum { NAMES = 1, SYMBOLS, COMMENT, LINK_INFO, DYNAMIC, SECTIONS };

struct haskell {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbol;
	Elf64_Dyn needed;
	char comment[32], link_info[64], names[96];
};

#define SECTION(type, name, member)                                                                                    \
	{                                                                                                              \
		.sh_name = (name), .sh_type = (type), .sh_link = NAMES, .sh_offset = offsetof(struct haskell, member), \
		.sh_size = sizeof((struct haskell *)NULL)->member                                                      \
	}

/* As GHC 9.0 links it, if it has no transactions. */
static struct haskell haskell_program(void)
{
	struct haskell program = {
		.header = ELF_HEADER(struct haskell, segment, 1, sections, SECTIONS, NAMES),
		.segment = {.p_type = PT_INTERP},
		.sections = {[NAMES] = SECTION(SHT_STRTAB, 0, names),
			[SYMBOLS] = SECTION(SHT_SYMTAB, 0, symbol),
			[COMMENT] = SECTION(SHT_PROGBITS, 1, comment),
			[LINK_INFO] = SECTION(SHT_NOTE, 10, link_info),
			[DYNAMIC] = SECTION(SHT_DYNAMIC, 0, needed)},
		.symbol = {.st_name = 31, .st_shndx = 1},
		.needed = {.d_tag = DT_NEEDED, .d_un = {.d_val = 58}},
		.comment = "GCC: (Debian) 12.2.0\0GHC 9.0.2",
		.link_info = "(\"-lHSbase-4.15.1.0\",\"-lHSrts_thr\"])",
		.names = "\0.comment\0.debug-ghc-link-info\0__wrap_stmStartTransaction\0libm.so",
	};
	program.sections[SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	program.sections[DYNAMIC].sh_entsize = sizeof(Elf64_Dyn);
	return program;
}

TEST(each_haskell_program_that_cannot_be_recorded_has_its_reason)
{
	struct haskell program = haskell_program();
	expect(&program, sizeof program, 0755, "no transaction began; run it");
	strcpy(program.comment, "GHC 9.8.4");
	expect(&program, sizeof program, 0755, "by a GHC that is not known");
	strcpy(program.comment, "GHC 8.10.7");
	expect(&program, sizeof program, 0755, "by a GHC that is not known");
	strcpy(program.comment, "GHC 9.10.3");
	strcpy(program.link_info, "\"-lHSrts-1.0.2_thr_p\"");
	expect(&program, sizeof program, 0755, "link it without -prof");
	program = haskell_program();
	program.names[31] = 'x';
	expect(&program, sizeof program, 0755, "no transaction began; run it");
	program.header.e_type = ET_DYN;
	expect(&program, sizeof program, 0755, "link it without -pie");
	program = haskell_program();
	program.sections[SYMBOLS].sh_type = SHT_PROGBITS;
	expect(&program, sizeof program, 0755, "do not strip it");
	assert_int_equal(record_why_nothing(temp_dir_path("program")).link, RECORD_LINK_GHC);
	program.segment.p_type = PT_LOAD;
	expect(&program, sizeof program, 0755, "statically linked");
	assert_int_equal(record_why_nothing(temp_dir_path("program")).link, RECORD_LINK_GHC);
}

/* As in Debian's packages. */
TEST(a_haskell_program_without_its_compilers_version_is_known_by_its_run_time_system)
{
	struct haskell program = haskell_program();
	strcpy(program.names + 1, ".rodata");
	strcpy(program.comment, "(GHC version %s for %s)");
	expect(&program, sizeof program, 0755, "no transaction began; run it");
	program.sections[SYMBOLS].sh_type = SHT_PROGBITS;
	expect(&program, sizeof program, 0755, "a Haskell program that is stripped");
	assert_int_equal(record_why_nothing(temp_dir_path("program")).link, RECORD_LINK_GHC);
	strcpy(program.comment, "(GHC version)");
	expect(&program, sizeof program, 0755, "not built with gcc -fgnu-tm");
}

TEST(a_go_program_is_called_so)
{
	struct haskell program = haskell_program();
	memset(program.comment, 0, sizeof program.comment);
	strcpy(program.names + 10, ".go.buildinfo");
	expect(&program, sizeof program, 0755, "it is a Go program");
}

TEST(a_haskell_program_with_the_rts_in_a_library_may_be_stripped_and_position_independent)
{
	struct haskell program = haskell_program();
	program.header.e_type = ET_DYN;
	program.sections[SYMBOLS].sh_type = SHT_PROGBITS;
	strcpy(program.names + 58, "libHSrts_thr-ghc9.0.2.so");
	expect(&program, sizeof program, 0755, "no transaction began; run it");
}

TEST(interpreters_are_known_by_their_names)
{
	assert_non_null(strstr(record_why_nothing("/nowhere/runghc").text, "GHCi or runghc"));
	assert_non_null(record_why_interpreter("ghci-9.0.2"));
	assert_non_null(record_why_interpreter("ghc"));
	assert_null(record_why_interpreter("ghcide"));
	assert_null(record_why_interpreter(""));
}

/* Damaged program files are read, too: each with one byte that is another one. */
static void survive_damage(void *file, size_t size)
{
	const char *path = temp_dir_path("damaged");
	uint8_t *bytes = file;
	for (size_t at = 0; at < size; at++) {
		bytes[at] ^= 0xff;
		writer_save_bytes(bytes, size, path);
		assert_non_null(record_why_nothing(path).text);
		bytes[at] ^= 0xff;
	}
}

TEST(damaged_programs_are_survived)
{
	struct haskell haskell = haskell_program();
	struct image image = image_of("_ITM_beginTransaction", SHN_UNDEF);
	survive_damage(&haskell, sizeof haskell);
	survive_damage(&image, sizeof image);
}

GROUP_WITH(temp_dir_fixture);
