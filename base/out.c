/* SPDX-License-Identifier: MIT
 * Buffers and writes output, and computes the checksum of files. */
#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "decimal.h"

/* Reflected CRC-32, polynomial 0xedb88320, four bits at a time: recordings are small enough for a table of 64 bytes. */
uint32_t crc32_of(uint32_t crc, const void *bytes, size_t len)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4,
		0xa00ae278, 0xbdbdf21c};
	const unsigned char *at = bytes;
	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= at[i];
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return ~crc;
}

void out_begin(struct out *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->len = 0;
}

static void flush(struct out *out)
{
	size_t done = 0;
	while (done < out->len && out->error == 0) {
		ssize_t written = write(out->fd, out->bytes + done, out->len - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			out->error = -errno;
	}
	out->len = 0;
}

int out_end(struct out *out)
{
	flush(out);
	return out->error;
}

void out_bytes(struct out *out, const void *bytes, size_t len)
{
	const char *from = bytes;
	while (len > 0) {
		if (out->len == sizeof out->bytes)
			flush(out);
		size_t room = sizeof out->bytes - out->len;
		size_t now = len < room ? len : room;
		memcpy(out->bytes + out->len, from, now);
		out->len += now;
		from += now;
		len -= now;
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_texts(struct out *out, ...)
{
	va_list texts;
	const char *text;
	va_start(texts, out);
	while ((text = va_arg(texts, const char *)) != NULL)
		out_text(out, text);
	va_end(texts);
}

void out_number(struct out *out, uint64_t number)
{
	char text[DECIMAL_SIZE];
	out_text(out, decimal_text(text, number));
}
