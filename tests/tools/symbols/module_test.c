/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include "built_module.h"
#include "module.h"
#include "own_module.h"
#include "temp_dir.h"
#include "test.h"

/* ---- opening ---- */

static struct stmlog_module_record record;

static enum module_state state_of(const char *path)
{
	OWNED(module_close) struct module module = {.path = path, .record = &record};
	enum module_state state = module_open(&module);
	assert_int_equal(module_open(&module), state);
	assert_int_equal(module.elf != NULL, state == MODULE_SAME || state == MODULE_UNCHECKED);
	return state;
}

TEST(the_file_that_ran_is_the_same)
{
	record = own_module();
	assert_int_not_equal(record.build_id_len, 0);
	assert_int_equal(state_of(own_module_path()), MODULE_SAME);
}

TEST(a_file_with_another_build_id_has_changed)
{
	record = own_module();
	record.build_id[record.build_id_len - 1] ^= 1;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
	record = own_module();
	record.build_id_len--;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
	record.build_id_len = 0;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
}

TEST(what_is_no_elf_file_is_missing)
{
	record = own_module();
	assert_int_equal(state_of("/nowhere"), MODULE_MISSING);
	assert_int_equal(state_of("/dev/null"), MODULE_MISSING);
	assert_int_equal(state_of("/etc/passwd"), MODULE_MISSING);
	assert_int_equal(state_of("/"), MODULE_MISSING);
	assert_int_equal(state_of("[vdso]"), MODULE_MISSING);
}

TEST(a_path_is_never_taken_as_relative)
{
	record = own_module();
	assert_int_equal(state_of("tests/../build/stmlog"), MODULE_MISSING);
}

TEST(each_state_has_a_name)
{
	for (int i = MODULE_UNTRIED; i <= MODULE_TOO_LARGE; i++)
		assert_non_null(module_state_name((enum module_state)i));
}

/* ---- which compressed sections are refused ---- */

static const char *path;

static void set_up(void)
{
	temp_dir_set_up();
	path = temp_dir_path("module.so");
	built_module(path, "int answer(void) { return 42; }", "-shared -fPIC -g -gz=zlib");
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

static bool is_bomb(void)
{
	int fd = open(path, O_RDONLY);
	bool is_one = compressed_is_bomb(fd);
	close(fd);
	return is_one;
}

/* Where the header of the first compressed section is in the file, and how large the section is. */
static off_t find_compressed(uint64_t *size)
{
	off_t at = 0;
	int fd = open(path, O_RDONLY);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	for (Elf_Scn *section = NULL; at == 0 && (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		assert_non_null(gelf_getshdr(section, &header));
		if (header.sh_flags & SHF_COMPRESSED) {
			at = (off_t)header.sh_offset;
			*size = header.sh_size;
		}
	}
	elf_end(elf);
	close(fd);
	assert_int_not_equal(at, 0);
	return at;
}

static void say_size(off_t header_at, uint64_t size)
{
	int fd = open(path, O_RDWR);
	off_t at = header_at + (off_t)offsetof(Elf64_Chdr, ch_size);
	assert_int_equal(pwrite(fd, &size, sizeof size, at), sizeof size);
	close(fd);
}

TEST_WITH(fixture, only_a_section_that_becomes_large_and_fifty_times_as_large_is_refused)
{
	enum { MIB = 1 << 20 };
	uint64_t size = 0;
	assert_false(is_bomb());
	off_t at = find_compressed(&size);
	assert_true(size * 51 < 64 * MIB);
	say_size(at, 64 * MIB);
	assert_false(is_bomb());
	say_size(at, 64 * MIB + 1);
	assert_true(is_bomb());
	say_size(at, UINT64_MAX);
	assert_true(is_bomb());
}

/* How much the process has read by system calls. valgrind reads more, of files that are mapped. */
static uint64_t bytes_read(void)
{
	unsigned long long bytes = 0;
	FILE *io = RUNNING_ON_VALGRIND ? NULL : fopen("/proc/self/io", "r");
	if (io == NULL || fscanf(io, "rchar: %llu", &bytes) != 1)
		skip();
	fclose(io);
	return bytes;
}

TEST_WITH(fixture, no_section_is_read)
{
	enum { IO_MAX = 1000 }; /* bytes_read() reads as well */
	uint64_t before = bytes_read();
	assert_false(is_bomb());
	assert_true(bytes_read() - before < IO_MAX);
}

TEST_WITH(fixture, what_is_no_elf_file_is_no_bomb)
{
	FILE *file = fopen(path, "w");
	fputs("no ELF file", file);
	fclose(file);
	assert_false(is_bomb());
	assert_false(compressed_is_bomb(-1));
}
