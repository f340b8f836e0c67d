/* SPDX-License-Identifier: MIT
 * Writes small recordings that would cost much: one long name at many places; one site in each of the modules, all of
 * the build of this program; a section of three gigabytes that is a hole in the file.
 * usage: costly name|hole FILE
 *        costly modules FILE MODULE... */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/read.h>

#include "own_module.h"
#include "recording_writer.h"

enum { PLACES = 1600, LONG = 400000 };

static void begin(struct writer *writer)
{
	static const char *const info[] = {"version=0.1.0", "runtime=libitm", "clock=monotonic", "wall_ns=1000000"};
	writer_init(writer);
	for (size_t i = 0; i < sizeof info / sizeof info[0]; i++)
		writer_info(writer, info[i]);
}

static void lose_at(struct writer *writer, uint32_t site)
{
	uint32_t traceback = writer_traceback(writer, &site, 1, 0);
	writer_entry(writer, &(struct stmlog_entry_record){.reason = STMLOG_USER_ABORT,
				     .contention = STMLOG_NONE,
				     .local = traceback,
				     .local_thread = 1,
				     .count = 1,
				     .lost_ns = 10});
}

static void add_up(struct writer *writer, uint64_t losses)
{
	struct stmlog_thread_record thread = {.id = 1, .attached_ns = 10 * losses};
	thread.aborts[STMLOG_NONE] = losses;
	thread.aborted_ns[STMLOG_NONE] = 10 * losses;
	writer_thread(writer, &thread);
	writer_total(writer, STMLOG_USER_ABORT, STMLOG_NONE, losses, 10 * losses);
}

static void save(struct writer *writer, uint64_t losses, const char *path)
{
	add_up(writer, losses);
	writer_save(writer, path);
	writer_fini(writer);
}

/* Each place has another line, and another suffix of the name. */
static void write_name(const char *path)
{
	struct writer writer;
	static char name[LONG + 1];
	begin(&writer);
	memset(name, 'x', LONG);
	uint32_t at = writer_string(&writer, name);
	for (uint32_t i = 0; i < PLACES; i++) {
		struct stmlog_site_record site = {.kind = STMLOG_SITE_PLACE,
			.module = STMLOG_NO_MODULE,
			.code = 1,
			.line = i + 1,
			.function = at + i,
			.file = at};
		lose_at(&writer, writer_site(&writer, &site));
	}
	save(&writer, PLACES, path);
}

/* Each module is somewhere else. */
static void write_modules(const char *path, int count, char **modules)
{
	struct writer writer;
	begin(&writer);
	for (int i = 0; i < count; i++) {
		struct stmlog_module_record module = own_module();
		uint64_t moved = (uint64_t)i << 30;
		module.start += moved;
		module.end += moved;
		module.bias += moved;
		module.path = writer_string(&writer, modules[i]);
		uint64_t address = (uint64_t)(uintptr_t)write_modules + 4 + moved;
		lose_at(&writer, writer_address(&writer, writer_module(&writer, &module), address));
	}
	save(&writer, (uint64_t)count, path);
}

static void write_hole(const char *path)
{
	struct writer writer;
	begin(&writer);
	add_up(&writer, 0);
	struct writer_blob file = writer_file(&writer);
	writer_fini(&writer);
	uint8_t *at = file.bytes + sizeof(struct stmlog_file_header);
	struct stmlog_section_header header;
	for (memcpy(&header, at, sizeof header); header.type < STMLOG_SECTION_ENTRIES;
		memcpy(&header, at, sizeof header))
		at += sizeof header + ((header.length + 7) & ~(uint64_t)7);
	header.length = 3ull << 30;
	memcpy(at, &header, sizeof header);
	writer_mend_header(at);
	writer_save_bytes(file.bytes, (size_t)(at + sizeof header - file.bytes), path);
	int status = truncate(path, (off_t)(4ull << 30));
	assert(status == 0);
	(void)status;
	free(file.bytes);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "name") == 0)
		write_name(argv[2]);
	else if (argc == 3 && strcmp(argv[1], "hole") == 0)
		write_hole(argv[2]);
	else if (argc > 3 && strcmp(argv[1], "modules") == 0)
		write_modules(argv[2], argc - 3, argv + 3);
	else
		return 2;
	return 0;
}
