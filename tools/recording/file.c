/* SPDX-License-Identifier: MIT
 * A recording file as sections: read, and written as format.h says.
 *
 * A file is read section by section, and not mapped: if another process truncates it meanwhile, that is a short read
 * and no SIGBUS. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"
#include "output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are used and written as they lie in memory");
_Static_assert(sizeof(struct stmlog_file_header) == 16 && sizeof(struct stmlog_section_header) == 24, "format.h");

/* On the stack, which may be a small one. */
enum { CHUNK = 4096 };

enum { LONGEST_PAYLOAD = 1 << 30 };

/* ---- stdin: what comes through a pipe is kept in a temporary file, because sections are read by their offsets ---- */

#define STANDARD_INPUT "-" /* the path that stands for stdin */

/* Returns false with errno. */
static bool file_copy(int from, FILE *to)
{
	char bytes[CHUNK];
	for (;;) {
		ssize_t got = read(from, bytes, sizeof bytes);
		if (got == 0)
			return fflush(to) == 0;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0 && fwrite(bytes, 1, (size_t)got, to) != (size_t)got)
			return false;
	}
}

/* Returns a descriptor of a file without a name that holds all of stdin; -1 with errno. */
static int open_copy(void)
{
	FILE *file = tmpfile();
	if (file == NULL)
		return -1;
	int fd = file_copy(STDIN_FILENO, file) ? dup(fileno(file)) : -1;
	int saved = errno;
	fclose(file);
	errno = saved;
	return fd;
}

/* Returns a file descriptor to close. Returns -1 with `*fault` set, to a sentence about stdin or to NULL: errno says
 * why then. Waits until a pipe has ended. */
static int open_stdin(const char **fault)
{
	struct stat status;
	*fault = NULL;
	if (fstat(STDIN_FILENO, &status) != 0)
		return -1;
	if (isatty(STDIN_FILENO)) {
		*fault = "is the terminal; let stdin come from a file or a pipe";
		return -1;
	}
	/* A directory is refused by its reader. */
	return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? dup(STDIN_FILENO) : open_copy();
}

/* ---- sections ---- */

static bool fail(struct file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct file *file, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(file->fault, sizeof file->fault, format, arguments);
	va_end(arguments);
	return false;
}

static bool fail_cut(struct file *file)
{
	return fail(file, "ends early, at byte %" PRIu64 "; record it again", file->size);
}

static bool fail_damaged(struct file *file, const char *what)
{
	return fail(file, "damaged at byte %" PRIu64 ": %s; record it again", file->whole_len, what);
}

/* Reads exactly `len` bytes at `at`. */
static bool read_at(struct file *file, int fd, void *to, size_t len, uint64_t at)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = pread(fd, (uint8_t *)to + done, len - done, (off_t)(at + done));
		if (got == 0)
			return fail_cut(file);
		if (got < 0 && errno != EINTR)
			return fail(file, "cannot be read: %s", strerror(errno));
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

static uint32_t crc_of(const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(0, len != 0 ? bytes : "", len);
}

/* The sections that this reader knows. It skips others, such as those with the numbers that have no name. */
static const char *const section_names[] = {
	[STMLOG_SECTION_INFO] = "info",
	[STMLOG_SECTION_STRINGS] = "strings",
	[STMLOG_SECTION_MODULES] = "modules",
	[STMLOG_SECTION_SITES] = "sites",
	[STMLOG_SECTION_TRACEBACKS] = "tracebacks",
	[STMLOG_SECTION_TOTALS] = "totals",
	[STMLOG_SECTION_THREADS] = "threads",
	[STMLOG_SECTION_ENTRIES] = "entries",
	[STMLOG_SECTION_BLOCKS] = "blocks",
	[STMLOG_SECTION_PLACES] = "places",
	[STMLOG_SECTION_EVENTS] = "events",
	[STMLOG_SECTION_PATHS] = "paths",
	[STMLOG_SECTION_TRANSACTIONS] = "transactions",
	[STMLOG_SECTION_BLOCKED] = "blocked",
	[STMLOG_SECTION_OPEN] = "open",
	[STMLOG_SECTION_GREEN] = "green",
	[STMLOG_SECTION_OWN_WORK] = "own work",
	[STMLOG_SECTION_PROCESSES] = "processes",
	[STMLOG_SECTION_LABELS] = "labels",
};

static bool is_known(uint32_t type)
{
	return type < sizeof section_names / sizeof *section_names && section_names[type] != NULL;
}

/* Half of the machine's memory for a timeline, a gigabyte for any other section: a file with holes may be of any size
 * and take no room on the disk. */
static uint64_t longest_payload(uint32_t type)
{
	static uint64_t half;
	if (half == 0)
		half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
	return type == STMLOG_SECTION_EVENTS || half < LONGEST_PAYLOAD ? half : LONGEST_PAYLOAD;
}

/* Keeps a payload. */
static bool load_payload(struct file *file, int fd, struct file_section *section, uint64_t at, uint32_t *crc)
{
	if (section->length > longest_payload(section->type))
		return fail(file, "has a section '%s' of %" PRIu64 " bytes, more than this machine can read",
			file_section_name(section->type), section->length);
	section->bytes = malloc(section->length);
	if (section->bytes == NULL)
		return fail(file, "needs more memory than there is: a section of %" PRIu64 " bytes", section->length);
	if (!read_at(file, fd, section->bytes, section->length, at))
		return false;
	*crc = crc_of(section->bytes, section->length);
	return true;
}

/* Computes the checksum of a payload that is not kept. */
static bool skim_payload(struct file *file, int fd, const struct file_section *section, uint64_t at, uint32_t *crc)
{
	uint8_t chunk[CHUNK];
	*crc = crc_of("", 0);
	for (uint64_t done = 0; done < section->length;) {
		uint64_t left = section->length - done;
		size_t len = left < CHUNK ? (size_t)left : CHUNK;
		if (!read_at(file, fd, chunk, len, at + done))
			return false;
		*crc = (uint32_t)crc32_z(*crc, chunk, len);
		done += len;
	}
	return true;
}

static bool read_padding(struct file *file, int fd, uint64_t at, size_t len)
{
	static const uint8_t zeros[8];
	uint8_t padding[8];
	if (!read_at(file, fd, padding, len, at))
		return false;
	return memcmp(padding, zeros, len) == 0 || fail_damaged(file, "padding that is not zero");
}

static bool read_section_header(struct file *file, int fd, struct stmlog_section_header *header)
{
	if (!read_at(file, fd, header, sizeof *header, file->whole_len))
		return false;
	if (crc_of(header, offsetof(struct stmlog_section_header, header_crc)) != header->header_crc)
		return fail_damaged(file, "the checksum of a section's header is wrong");
	uint32_t last = file->section_count > 0 ? file->sections[file->section_count - 1].type : 0;
	if (header->type <= last || header->type > STMLOG_SECTION_END)
		return fail_damaged(file, "a section out of order");
	if (header->length > file->size - file->whole_len - sizeof *header)
		return fail_cut(file);
	return true;
}

/* Reads the section at whole_len. If it is whole, keeps it and moves whole_len behind it. */
static bool read_section(struct file *file, int fd)
{
	struct stmlog_section_header header;
	if (!read_section_header(file, fd, &header))
		return false;
	struct file_section section = {header.type, header.record_size, header.length, NULL};
	uint64_t at = file->whole_len + sizeof header;
	size_t padding = (size_t)(-header.length & 7u);
	uint32_t crc = crc_of("", 0);
	bool is_read = true;
	if (is_known(section.type) && section.length > 0)
		is_read = load_payload(file, fd, &section, at, &crc);
	else
		is_read = skim_payload(file, fd, &section, at, &crc);
	is_read = is_read && (crc == header.payload_crc || fail_damaged(file, "the checksum of a section is wrong"));
	is_read = is_read && read_padding(file, fd, at + section.length, padding);
	if (!is_read) {
		free(section.bytes);
		return false;
	}
	file->sections[file->section_count++] = section;
	file->whole_len = at + section.length + padding;
	return true;
}

static void read_sections(struct file *file, int fd)
{
	do {
		if (!read_section(file, fd))
			return;
	} while (file->sections[file->section_count - 1].type != STMLOG_SECTION_END);
	if (file->sections[file->section_count - 1].length != 0)
		fail_damaged(file, "an end that is not empty");
	else if (file->whole_len != file->size)
		fail_damaged(file, "bytes behind the end");
	else
		file->is_complete = true;
}

static bool read_file_header(struct file *file, int fd)
{
	struct stmlog_file_header header;
	if (file->size < sizeof header)
		return fail(file, "is no recording of stmlog: too short");
	if (!read_at(file, fd, &header, sizeof header, 0))
		return false;
	if (memcmp(header.magic, STMLOG_FILE_MAGIC, sizeof header.magic) != 0)
		return fail(file, "is no recording of stmlog");
	if (header.version != STMLOG_FILE_VERSION)
		return fail(file, "has format version %" PRIu32 ", this stmlog reads %d; use the stmlog that wrote it",
			header.version, STMLOG_FILE_VERSION);
	if (header.header_size < sizeof header || header.header_size > file->size)
		return fail(file, "is damaged: a header of %" PRIu32 " bytes; record it again", header.header_size);
	file->whole_len = header.header_size;
	return true;
}

static bool read_open(struct file *file, int fd)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return fail(file, "cannot be read: %s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return fail(file, "is a directory; name a recording");
	if (!S_ISREG(status.st_mode))
		return fail(file, "is no regular file; copy it into one");
	file->size = (uint64_t)status.st_size;
	if (!read_file_header(file, fd))
		return false;
	read_sections(file, fd);
	return true;
}

/* Returns -1, with `fault` set, if that fails. */
static int open_file(struct file *file, const char *path)
{
	const char *fault = NULL;
	bool is_input = strcmp(path, STANDARD_INPUT) == 0;
	/* Not blocking: a FIFO without a writer is refused rather than waited for. */
	int fd = is_input ? open_stdin(&fault) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && fault != NULL)
		fail(file, "%s", fault);
	else if (fd < 0 && is_input)
		fail(file, "cannot be read: %s", strerror(errno));
	else if (fd < 0)
		fail(file, "cannot be opened: %s; 'stmlog record' makes a recording", strerror(errno));
	return fd;
}

bool file_read(struct file *file, const char *path)
{
	memset(file, 0, sizeof *file);
	int fd = open_file(file, path);
	if (fd < 0)
		return false;
	bool is_recording = read_open(file, fd);
	close(fd);
	return is_recording;
}

void file_fini(struct file *file)
{
	for (uint32_t i = 0; i < file->section_count; i++)
		free(file->sections[i].bytes);
	memset(file, 0, sizeof *file);
}

struct file_section *file_section(struct file *file, enum stmlog_section type)
{
	for (uint32_t i = 0; i < file->section_count; i++) {
		if (file->sections[i].type == (uint32_t)type)
			return &file->sections[i];
	}
	return NULL;
}

const char *file_section_name(uint32_t type)
{
	if (type == STMLOG_SECTION_END)
		return "end";
	return is_known(type) ? section_names[type] : "unknown";
}

bool file_is_recording(const char *path)
{
	char magic[sizeof STMLOG_FILE_MAGIC - 1];
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool has_magic = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
			 pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
			 memcmp(magic, STMLOG_FILE_MAGIC, sizeof magic) == 0;
	if (fd >= 0)
		close(fd);
	return has_magic;
}

/* ---- writing ---- */

static void write_section(FILE *file, const struct recording_section *section)
{
	static const char zeros[8];
	struct stmlog_section_header header = {
		.type = section->type,
		.record_size = section->record_size,
		.length = section->len,
		.payload_crc = crc_of(section->bytes, section->len),
	};
	header.header_crc = crc_of(&header, offsetof(struct stmlog_section_header, header_crc));
	fwrite(&header, sizeof header, 1, file);
	if (section->len != 0)
		fwrite(section->bytes, 1, section->len, file);
	fwrite(zeros, 1, -section->len & 7u, file);
}

bool recording_save(const char *path, const struct recording_section *sections, size_t count)
{
	static const struct recording_section end = {.type = STMLOG_SECTION_END};
	struct stmlog_file_header header = {.version = STMLOG_FILE_VERSION, .header_size = sizeof header};
	struct output output;
	if (!output_begin_binary(&output, path))
		return false;
	memcpy(header.magic, STMLOG_FILE_MAGIC, sizeof header.magic);
	fwrite(&header, sizeof header, 1, output.file);
	for (size_t i = 0; i < count; i++) {
		REQUIRES(sections[i].type < STMLOG_SECTION_END && sections[i].len <= UINT32_MAX);
		REQUIRES(i == 0 || sections[i - 1].type < sections[i].type);
		write_section(output.file, &sections[i]);
	}
	write_section(output.file, &end);
	return output_end(&output);
}
