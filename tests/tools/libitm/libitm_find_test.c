/* SPDX-License-Identifier: MIT
 * Which libitm a program will load, and what an experiment finds of it. The loader and the experiment are scripts: so
 * the test runs as a copy of itself, in a directory of its own, beside which the command looks for the experiment. The
 * libitm is that copy, too: it is an ELF file with a build-id. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libitm.h"
#include "recording_writer.h"
#include "test.h"

#define COMPLETE ",counters=108,commits=183c0,locks=18400,dispatch=18340,serial=181c0"

static const char *directory;

/* "directory/name", valid until the fourth call from now. */
static char *at(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", directory, name);
	return path;
}

static void save(const char *name, const void *bytes, size_t len)
{
	writer_save_bytes(bytes, len, at(name));
	assert_int_equal(chmod(at(name), 0755), 0);
}

static void save_script(const char *name, const char *text)
{
	save(name, text, strlen(text));
}

/* The experiment says that the loader finds this file, and these things in it. */
static void set_up(void)
{
	save_script("stmlog-calibrate", "#!/bin/sh\n"
					"[ \"$1\" = --where ] && echo \"$WHERE\" && exit\n"
					"echo \"$FINDINGS\"\n"
					"exit \"${STATUS:-0}\"\n");
	setenv("WHERE", at("libitm.so.1"), 1);
	setenv("FINDINGS", COMPLETE, 1);
	unsetenv("STATUS");
}

static const struct test_fixture fixture = {.set_up = set_up};

/* ---- what an experiment finds ---- */

static void expect(enum libitm_how how, const char *findings)
{
	struct libitm libitm = libitm_of(NULL, LIBITM_UNTRUSTED);
	assert_int_equal(libitm.how, how);
	assert_int_equal(libitm.source, LIBITM_BY_NAME);
	if (findings == NULL)
		assert_null(libitm.findings);
	else
		assert_string_equal(libitm.findings, findings);
	libitm_fini(&libitm);
	assert_null(libitm.path);
}

/* The experiment finds something else each time: $0.times has a line for each. */
TEST_WITH(fixture, incomplete_findings_are_looked_for_three_times)
{
	save_script("stmlog-calibrate", "#!/bin/sh\n"
					"[ \"$1\" = --where ] && echo \"$WHERE\" && exit\n"
					"echo >>\"$0.times\"\n"
					"[ $(wc -l <\"$0.times\") != \"$WHOLE\" ] || exec echo \"$FINDINGS\"\n"
					"echo \",counters=$(wc -l <\"$0.times\")\"\n");
	setenv("WHOLE", "3", 1);
	expect(LIBITM_TRIED, COMPLETE);
	setenv("WHOLE", "7", 1);
	expect(LIBITM_TRIED, ",counters=6");
	setenv("WHOLE", "7", 1);
	expect(LIBITM_TRIED, COMPLETE);
}

TEST_WITH(fixture, an_experiment_that_fails_has_found_nothing)
{
	setenv("FINDINGS", "", 1);
	expect(LIBITM_NOT, NULL);
	setenv("FINDINGS", "Segmentation fault", 1);
	expect(LIBITM_NOT, NULL);
	setenv("FINDINGS", COMPLETE, 1);
	setenv("STATUS", "1", 1);
	expect(LIBITM_NOT, NULL);
	assert_int_equal(unlink(at("stmlog-calibrate")), 0);
	expect(LIBITM_NOT, NULL);
}

/* ---- files that are no libitm ---- */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Nhdr note;
	char name[4];
	char bytes[64];
};

/* A program whose one segment is what stands in `bytes`, or with PT_NOTE a build-id of `len` bytes. */
static struct image image_of(uint32_t type, const char *bytes, size_t len)
{
	struct image image = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct image, segment),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1},
		.segment = {.p_type = type, .p_offset = offsetof(struct image, bytes), .p_filesz = len},
		.note = {.n_namesz = 4, .n_descsz = (Elf64_Word)len, .n_type = NT_GNU_BUILD_ID},
		.name = "GNU",
	};
	memcpy(image.bytes, bytes, len < sizeof image.bytes ? len : sizeof image.bytes);
	if (type == PT_NOTE) {
		image.segment.p_offset = offsetof(struct image, note);
		image.segment.p_filesz = sizeof image.note + sizeof image.name + len;
		image.segment.p_align = 4;
	}
	return image;
}

TEST_WITH(fixture, without_a_build_id_a_libitm_is_not_known)
{
	static const char bytes[64];
	struct image image = image_of(PT_NULL, "", 0);
	setenv("WHERE", at("other"), 1);
	expect(LIBITM_NOT, NULL);
	save_script("other", "no ELF file");
	expect(LIBITM_NOT, NULL);
	save("other", &image, sizeof image);
	expect(LIBITM_NOT, NULL);
	image = image_of(PT_NOTE, bytes, 32);
	save("other", &image, sizeof image);
	expect(LIBITM_TRIED, COMPLETE);
	image = image_of(PT_NOTE, bytes, 33); /* longer than there is room for */
	save("other", &image, sizeof image);
	expect(LIBITM_NOT, NULL);
}

/* ---- what the loader of a program says ---- */

static void expect_source(const struct image *image, enum libitm_source expected)
{
	enum libitm_source source;
	save("program", image, sizeof *image);
	OWNED(owned_free) char *found = libitm_find(at("program"), LIBITM_TRUSTED, &source);
	assert_int_equal(source, expected);
	assert_string_equal(found, at("libitm.so.1"));
}

static struct image program_of(const char *interpreter)
{
	return image_of(PT_INTERP, interpreter, strlen(interpreter) + 1);
}

TEST_WITH(fixture, the_loader_that_a_program_names_is_asked)
{
	struct image image = program_of(at("loader"));
	save_script("loader", "#!/bin/sh\nprintf '\\tlibitm.so.1 => %s (0x7)\\n' \"$WHERE\"\n");
	expect_source(&image, LIBITM_OF_PROGRAM);
	save_script("loader", "#!/bin/sh\necho '\tlibc.so.6 => /lib/libc.so.6 (0x7)'\n");
	expect_source(&image, LIBITM_BY_NAME);
	save_script("loader", "#!/bin/sh\nexit 1\n");
	expect_source(&image, LIBITM_BY_NAME);
	image = program_of("/nowhere");
	expect_source(&image, LIBITM_BY_NAME);
}

TEST_WITH(fixture, a_program_that_names_no_loader_may_load_any_libitm)
{
	enum libitm_source source;
	struct image image = program_of(at("loader"));
	save_script("loader", "#!/bin/sh\nprintf '\\tlibitm.so.1 => %s (0x7)\\n' \"$WHERE\"\n");
	image.segment.p_type = PT_LOAD;
	expect_source(&image, LIBITM_BY_NAME);
	image.segment.p_type = PT_INTERP;
	image.segment.p_offset = sizeof image; /* behind the end */
	expect_source(&image, LIBITM_BY_NAME);
	image.segment.p_offset = offsetof(struct image, bytes);
	image.segment.p_filesz = UINT64_MAX;
	expect_source(&image, LIBITM_BY_NAME);
	image.segment.p_filesz = 3; /* the name has no end */
	expect_source(&image, LIBITM_BY_NAME);
	image.header.e_ident[EI_MAG0] = 0;
	expect_source(&image, LIBITM_BY_NAME);
	free(libitm_find("/nowhere/at/all", LIBITM_TRUSTED, &source));
	assert_int_equal(source, LIBITM_BY_NAME);
}

TEST_WITH(fixture, nothing_of_an_untrusted_program_is_run)
{
	enum libitm_source source;
	char command[600];
	struct image image = program_of(at("loader"));
	snprintf(command, sizeof command, "#!/bin/sh\n: >%s\n", at("was_run"));
	save_script("loader", command);
	save("program", &image, sizeof image);
	free(libitm_find(at("program"), LIBITM_UNTRUSTED, &source));
	assert_int_equal(source, LIBITM_BY_NAME);
	assert_int_equal(access(at("was_run"), F_OK), -1);
	free(libitm_find(at("program"), LIBITM_TRUSTED, &source));
	assert_int_equal(access(at("was_run"), F_OK), 0);
}

/* ---- the copy ---- */

static int run_as_copy(const char *self)
{
	char template[] = "/tmp/stmlog-find.XXXXXX", command[1200];
	if (mkdtemp(template) == NULL)
		return 1;
	snprintf(command, sizeof command, "cp '%s' %s/libitm.so.1 && STMLOG_TEST_DIRECTORY=%s exec %s/libitm.so.1",
		self, template, template, template);
	int status = system(command);
	snprintf(command, sizeof command, "exec rm -rf %s", template);
	return system(command) != 0 || status != 0;
}

int main(int argc, char **argv)
{
	directory = getenv("STMLOG_TEST_DIRECTORY");
	if (directory == NULL && argc > 0)
		return run_as_copy(argv[0]);
	return test_run();
}
