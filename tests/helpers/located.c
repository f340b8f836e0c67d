/* SPDX-License-Identifier: MIT
 * Writes a recording of a program that is not position-independent, with one loss for each line of stdin. A line has
 * the return addresses of the traceback, innermost first.
 * usage: located RECORDING PROGRAM */
#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stmlog/read.h>

#include "recording_writer.h"

enum { DEEPEST = 64, LINE = 2000 };

static const char *mapped(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &status) != 0) {
		perror(path);
		exit(2);
	}
	const char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert(file != MAP_FAILED);
	close(fd);
	return file;
}

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

static void find_build_id(struct stmlog_module_record *module, const char *notes, size_t len)
{
	for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= len;) {
		const Elf64_Nhdr *note = (const void *)(notes + at);
		const char *name = notes + at + sizeof *note;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
			assert(note->n_descsz <= sizeof module->build_id);
			module->build_id_len = note->n_descsz;
			memcpy(module->build_id, name + 4, note->n_descsz);
		}
		at += sizeof *note + padded(note->n_namesz) + padded(note->n_descsz);
	}
}

static struct stmlog_module_record module_of(const char *path)
{
	struct stmlog_module_record module = {.start = UINT64_MAX};
	const char *file = mapped(path);
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
	assert(header->e_type == ET_EXEC);
	for (size_t i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];
		if (segment->p_type == PT_NOTE)
			find_build_id(&module, file + segment->p_offset, segment->p_filesz);
		if (segment->p_type != PT_LOAD)
			continue;
		module.start = segment->p_vaddr < module.start ? segment->p_vaddr : module.start;
		module.end = segment->p_vaddr + segment->p_memsz;
	}
	return module;
}

/* The traceback of the line. */
static uint32_t traceback_of(struct writer *writer, uint32_t module, char *line)
{
	uint32_t sites[DEEPEST], len = 0;
	for (char *word = strtok(line, " \n"); word != NULL && len < DEEPEST; word = strtok(NULL, " \n"))
		sites[len++] = writer_address(writer, module, strtoull(word, NULL, 16));
	return writer_traceback(writer, sites, len, 0);
}

int main(int argc, char **argv)
{
	static const char *const info[] = {"version=0.1.0", "runtime=ghc", "clock=monotonic", "wall_ns=1000000"};
	struct writer writer;
	char line[LINE];
	uint64_t losses = 0;
	assert(argc == 3);
	writer_init(&writer);
	for (size_t i = 0; i < sizeof info / sizeof info[0]; i++)
		writer_info(&writer, info[i]);
	struct stmlog_module_record record = module_of(argv[2]);
	char *path = realpath(argv[2], NULL);
	record.path = writer_string(&writer, path);
	free(path);
	uint32_t module = writer_module(&writer, &record);
	for (; fgets(line, sizeof line, stdin) != NULL; losses++) {
		uint32_t traceback = traceback_of(&writer, module, line);
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_USER_ABORT,
					      .contention = STMLOG_NONE,
					      .local = traceback,
					      .local_thread = 1,
					      .count = 1,
					      .lost_ns = 1000 - losses});
	}
	struct stmlog_thread_record thread = {.id = 1, .attached_ns = 1000 * losses};
	thread.aborts[STMLOG_NONE] = losses;
	thread.aborted_ns[STMLOG_NONE] = 1000 * losses - losses * (losses - 1) / 2;
	writer_thread(&writer, &thread);
	writer_total(&writer, STMLOG_USER_ABORT, STMLOG_NONE, losses, thread.aborted_ns[STMLOG_NONE]);
	writer_save(&writer, argv[1]);
	writer_fini(&writer);
	return 0;
}
