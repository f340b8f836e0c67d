/* SPDX-License-Identifier: MIT
 * libitm's begin on x86-64, instruction by instruction. It is the same from gcc 10 to 16, except for three instructions
 * that newer versions have for shadow stacks and branch tracking. */
#include "hardware_code.h"

#include <string.h>

#include "loaded.h"
#include "requires.h"

struct itm_hardware_code itm_hardware;

/* A piece of code. The four bytes at `hole`, an offset in the piece, are an operand and may have any value; NO_HOLE:
 * the piece has no operand. */
struct piece {
	uint8_t len;
	uint8_t hole;
	bool is_optional;
	const char *bytes;
};
#define NO_HOLE 0xff
#define ANY "\0\0\0\0"
#define PIECE(hole, bytes)                            \
	{                                             \
		sizeof(bytes) - 1, hole, false, bytes \
	}
#define MAYBE(bytes)                                    \
	{                                               \
		sizeof(bytes) - 1, NO_HOLE, true, bytes \
	}

enum { FASTPATH, WRITERS, FASTPATH_AGAIN, BEGIN, BACK, HOLES };

/* The index of the piece with xbegin: the last jump goes back there. */
enum { XBEGIN = 3 };

static const struct piece pieces[] = {
	MAYBE("\xf3\x0f\x1e\xfa"),                            /* endbr64 */
	PIECE(2, "\x83\x3d" ANY "\0"),                        /* fastpath? */
	PIECE(NO_HOLE, "\x74\x3c\xf7\xc7\x08\0\0\0\x74\x34"), /* no; or it may be cancelled: software */
	PIECE(NO_HOLE, "\xc7\xf8\x21\0\0\0"),                 /* xbegin */
	PIECE(2, "\x83\x3d" ANY "\0"),                        /* writers? */
	PIECE(NO_HOLE, "\x75\x15"),
	PIECE(2, "\x83\x3d" ANY "\0"),                                        /* fastpath? */
	PIECE(NO_HOLE, "\x74\x0c\x83\xe7\x02\xb8\x01\0\0\0\x0f\x45\xc7\xc3"), /* which code runs; return */
	PIECE(NO_HOLE, "\xc6\xf8\xff"),                                       /* xabort */
	PIECE(NO_HOLE, "\xa9\x03\0\0\0\x74\x06\x81\xcf\0\0\x80\0"),           /* worth another try? */
	PIECE(NO_HOLE, "\x48\x8d\x44\x24\x08\x48\x83\xec\x48\x89\x3c\x24"),   /* software: the frame */
	PIECE(NO_HOLE, "\x48\x89\x40\xb8\x48\x89\x58\xc0\x48\x89\x68\xc8\x4c\x89\x60\xd0"),
	PIECE(NO_HOLE, "\x4c\x89\x68\xd8\x4c\x89\x70\xe0\x4c\x89\x78\xe8\x48\x31\xd2"),
	MAYBE("\xf3\x48\x0f\x1e\xca"), /* rdsspq */
	PIECE(NO_HOLE, "\x48\x89\x50\xf0\x48\x8d\x70\xb8"),
	PIECE(1, "\xe8" ANY), /* GTM_begin_transaction() */
	PIECE(NO_HOLE, "\x8b\x3c\x24\x48\x83\xc4\x48\x83\xf8\x20\x75\x11"),
	PIECE(NO_HOLE, "\x81\xe7\xff\xff\x7f\xff\x81\xcf\0\0\0\x01"), /* try again: */
	PIECE(1, "\xe9" ANY),                                         /* back to xbegin */
	PIECE(NO_HOLE, "\xc3"),
};

static bool is_piece(const uint8_t *at, const struct piece *piece)
{
	for (uint8_t i = 0; i < piece->len; i++) {
		bool is_free = piece->hole != NO_HOLE && i >= piece->hole && i < piece->hole + 4;
		if (!is_free && at[i] != (uint8_t)piece->bytes[i])
			return false;
	}
	return true;
}

/* The address that the displacement at `at` stands for; `next` is the address of the next instruction. */
static uintptr_t target(const uint8_t *at, const uint8_t *next)
{
	int32_t displacement;
	memcpy(&displacement, at, sizeof displacement);
	return (uintptr_t)next + (uintptr_t)(intptr_t)displacement;
}

/* Finds the addresses that the operands stand for, and `try`, the address of xbegin. */
static bool match(const uint8_t *at, uintptr_t holes[HOLES], uintptr_t *try)
{
	size_t found = 0;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		const struct piece *piece = &pieces[i];
		if (!is_piece(at, piece)) {
			if (!piece->is_optional)
				return false;
			continue;
		}
		if (i == XBEGIN)
			*try = (uintptr_t)at;
		if (piece->hole != NO_HOLE)
			holes[found++] = target(at + piece->hole, at + piece->len);
		at += piece->len;
	}
	return true;
}

bool itm_hardware_code_read(const uint8_t *begin, struct itm_hardware_code *code)
{
	uintptr_t holes[HOLES], try = 0;
	REQUIRES(native_module_is_readable((uintptr_t)begin, ITM_HARDWARE_CODE_MAX));
	if (!match(begin, holes, &try) || holes[BACK] != try || holes[FASTPATH_AGAIN] != holes[FASTPATH] ||
		holes[FASTPATH] != holes[WRITERS] + offsetof(struct itm_serial_lock, fastpath))
		return false;
	code->lock = (const struct itm_serial_lock *)holes[WRITERS];
	code->software_begin = (const void *)holes[BEGIN];
	return true;
}
