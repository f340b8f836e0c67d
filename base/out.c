/* SPDX-License-Identifier: MIT
 * The buffer, the formats of numbers, and the checksum of files. */
#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

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

/* Digits from the right; a separator after every `group` of them. */
static void digits(struct out *out, uint64_t number, unsigned base, unsigned group, char separator)
{
	char text[64];
	size_t at = sizeof text;
	unsigned written = 0;
	do {
		if (group != 0 && written != 0 && written % group == 0)
			text[--at] = separator;
		text[--at] = "0123456789abcdef"[number % base];
		number /= base;
		written++;
	} while (number != 0);
	out_bytes(out, text + at, sizeof text - at);
}

void out_number(struct out *out, uint64_t number)
{
	digits(out, number, 10, 0, 0);
}

void out_count(struct out *out, uint64_t number)
{
	digits(out, number, 10, 3, ',');
}

void out_counted(struct out *out, uint64_t number, const char *noun)
{
	out_count(out, number);
	out_texts(out, " ", noun, number == 1 ? "" : "s", NULL);
}

void out_hex(struct out *out, uint64_t number)
{
	out_text(out, "0x");
	digits(out, number, 16, 0, 0);
}

/* `value` / 10^decimals with that many decimals. */
static void fixed(struct out *out, uint64_t value, unsigned decimals)
{
	uint64_t scale = 1;
	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	out_count(out, value / scale);
	if (decimals == 0)
		return;
	out_text(out, ".");
	for (uint64_t place = scale / 10; place > 0 && value % scale < place; place /= 10)
		if (place > 1 || value % scale != 0)
			out_text(out, "0");
	digits(out, value % scale, 10, 0, 0);
}

void out_duration(struct out *out, uint64_t ns)
{
	static const struct {
		uint64_t unit_ns;
		const char *name;
	} units[] = {{1000000000u, " s"}, {1000000u, " ms"}, {1000u, " us"}};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		uint64_t unit = units[i].unit_ns;
		if (ns < unit)
			continue;
		unsigned decimals = ns < 10 * unit ? 2 : ns < 100 * unit ? 1 : 0;
		uint64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
		fixed(out, ns / (unit / scale),
			decimals); /* cut, not rounded: otherwise 999.9 us could become 1,000 us */
		out_text(out, units[i].name);
		return;
	}
	out_number(out, ns);
	out_text(out, " ns");
}

void out_percent(struct out *out, uint64_t part, uint64_t whole)
{
	if (whole == 0) {
		out_text(out, "-");
		return;
	}
	fixed(out, (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole), 1);
	out_text(out, " %");
}
