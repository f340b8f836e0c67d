/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "binding.h"
#include "built_module.h"
#include "temp_dir.h"
#include "test.h"

static const char calls[] = "extern void free(void *); void drop(void *p) { free(p); }";
static const char calls_nobody[] = "int drop(int p) { return p + 1; }";

static bool is_lazy_in(int fd)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	bool is_lazy = binding_is_lazy(elf);
	elf_end(elf);
	close(fd);
	return is_lazy;
}

static bool is_lazy_built(const char *source, const char *flags)
{
	const char *path = temp_dir_path("module.so");
	built_module(path, source, flags);
	return is_lazy_in(open(path, O_RDONLY));
}

TEST_WITH(temp_dir_fixture, a_module_is_bound_as_it_was_linked)
{
	assert_true(is_lazy_built(calls, "-Wl,-z,lazy"));
	assert_true(is_lazy_built(calls, "-Wl,-z,lazy -s"));
	assert_false(is_lazy_built(calls, "-Wl,-z,now"));
	assert_false(is_lazy_built(calls, "-Wl,-z,now -s"));
	/* DT_BIND_NOW, as linkers wrote before there were flags. */
	assert_false(is_lazy_built(calls, "-Wl,-z,now -Wl,--disable-new-dtags"));
}

TEST_WITH(temp_dir_fixture, what_calls_nobody_has_nothing_to_bind)
{
	assert_false(is_lazy_built(calls_nobody, "-nostdlib -Wl,-z,lazy"));
	/* Calls through a table that the loader fills: nothing is bound later. */
	assert_false(is_lazy_built(calls, "-fno-plt -nostdlib -Wl,-z,lazy"));
}

TEST(what_is_no_program_is_not_lazy)
{
	static const char text[] = "#!/bin/sh\n";
	int fd = memfd_create("text", 0);
	assert_int_equal(write(fd, text, sizeof text), (ssize_t)sizeof text);
	assert_false(is_lazy_in(fd));
}

/* With any byte damaged, nothing is read outside of the file. */
TEST_WITH(temp_dir_fixture, a_damaged_header_does_no_harm)
{
	const char *path = temp_dir_path("module.so");
	built_module(path, calls, "-Wl,-z,lazy");
	for (off_t at = 16; at < 64 + 56 * 12; at++) {
		static const unsigned char high = 0xff;
		unsigned char was;
		int fd = open(path, O_RDWR);
		assert_int_equal(pread(fd, &was, 1, at), 1);
		assert_int_equal(pwrite(fd, &high, 1, at), 1);
		is_lazy_in(dup(fd));
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
		close(fd);
	}
	assert_true(is_lazy_in(open(path, O_RDONLY)));
}
