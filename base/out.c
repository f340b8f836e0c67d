/* SPDX-License-Identifier: MIT
 * Buffers and writes output, computes the checksum of files, and remembers which file stderr was when the library was
 * loaded. */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the checksum of files ---- */

/* Reflected CRC-32, polynomial 0xedb88320: what becomes of the register when four bits, zeros, follow. */
static uint32_t followed(uint32_t crc)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4,
		0xa00ae278, 0xbdbdf21c};
	return table[crc & 15] ^ (crc >> 4);
}

/* Each four bits of a word are looked up by themselves, so that a processor does many at a time. The tables are made
 * for each call: as constants they would be 1 KiB in each program. */
static uint32_t crc_of_words(uint32_t crc, const unsigned char *at, size_t words)
{
	enum { DIGITS = 2 * sizeof(uint64_t) };
	uint32_t tables[DIGITS][16];
	for (uint32_t value = 0; value < 16; value++) {
		uint32_t shifted = value;
		for (size_t digit = DIGITS; digit-- > 0;)
			tables[digit][value] = shifted = followed(shifted);
	}
	for (size_t i = 0; i < words; i++) {
		uint64_t word;
		memcpy(&word, at + i * sizeof word, sizeof word);
		word ^= crc;
		crc = 0;
#pragma GCC unroll 16
		for (size_t digit = 0; digit < DIGITS; digit++)
			crc ^= tables[digit][word >> 4 * digit & 15];
	}
	return crc;
}

enum { WORTH_TABLES = 1024 };

uint32_t crc32_of(uint32_t crc, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	size_t words = len >= WORTH_TABLES ? len / sizeof(uint64_t) : 0;
	crc = ~crc;
	if (words != 0)
		crc = crc_of_words(crc, at, words);
	for (size_t i = words * sizeof(uint64_t); i < len; i++)
		crc = followed(followed(crc ^ at[i]));
	return ~crc;
}

/* ---- buffered output ---- */

void out_begin(struct out *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->len = 0;
}

void out_begin_memory(struct out *out, char *memory, size_t room)
{
	out_begin(out, OUT_MEMORY);
	out->memory = memory;
	out->room = room;
	out->done = 0;
}

static void put_into_memory(struct out *out, const char *bytes, size_t len)
{
	if (out->memory != NULL && len > out->room - out->done)
		out->error = -ENOSPC;
	if (out->error != 0)
		return;
	if (out->memory != NULL)
		memcpy(out->memory + out->done, bytes, len);
	out->done += len;
}

static void write_all(struct out *out, const char *bytes, size_t len)
{
	size_t done = 0;
	if (out->fd == OUT_MEMORY) {
		put_into_memory(out, bytes, len);
		return;
	}
	while (done < len && out->error == 0) {
		ssize_t written = write(out->fd, bytes + done, len - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			out->error = -errno;
	}
}

int out_end(struct out *out)
{
	write_all(out, out->bytes, out->len);
	out->len = 0;
	return out->error;
}

void out_bytes(struct out *out, const void *bytes, size_t len)
{
	if (len > sizeof out->bytes - out->len)
		out_end(out);
	if (len > sizeof out->bytes) {
		write_all(out, bytes, len);
	} else if (len > 0) {
		memcpy(out->bytes + out->len, bytes, len);
		out->len += len;
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* ---- stderr: once the program has reopened descriptor 2, nothing is written there unless it is a log ---- */

static struct {
	bool is_noted;
	dev_t device;
	ino_t inode;
} noted;

void standard_error_note(void)
{
	struct stat status;
	int saved = errno;
	noted.is_noted = fstat(STDERR_FILENO, &status) == 0;
	if (noted.is_noted) {
		noted.device = status.st_dev;
		noted.inode = status.st_ino;
	}
	errno = saved;
}

/* Before the constructors in which agents open their sessions, which may print warnings. (gcc forgets the priority of a
 * function that was declared without it.) */
__attribute__((constructor(101))) static void at_load(void)
{
	standard_error_note();
}

static bool is_as_noted(void)
{
	struct stat status;
	return noted.is_noted && fstat(STDERR_FILENO, &status) == 0 && status.st_dev == noted.device &&
	       status.st_ino == noted.inode;
}

/* Whether it is open for appending only, as a log is and a database is not. */
static bool is_log(void)
{
	int flags = fcntl(STDERR_FILENO, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && (flags & O_APPEND) != 0;
}

int standard_error(void)
{
	int saved = errno;
	bool is_ours = is_as_noted() || is_log();
	errno = saved;
	return is_ours ? STDERR_FILENO : -1;
}

void standard_error_tell(const char *first, ...)
{
	struct out out;
	va_list rest;
	out_begin(&out, standard_error());
	out_text(&out, "stmlog: ");
	va_start(rest, first);
	for (const char *text = first; text != NULL; text = va_arg(rest, const char *))
		out_text(&out, text);
	va_end(rest);
	out_text(&out, "\n");
	out_end(&out);
}
