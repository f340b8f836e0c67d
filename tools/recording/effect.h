/* SPDX-License-Identifier: MIT
 * What an instruction of x86-64 does to the registers, as far as it takes to follow a pointer backwards. */
#ifndef EFFECT_H
#define EFFECT_H

#include <stddef.h>
#include <stdint.h>

/* Registers by their numbers in machine code. */
enum {
	REGISTER_RAX,
	REGISTER_RCX,
	REGISTER_RDX,
	REGISTER_RBX,
	REGISTER_RSP,
	REGISTER_RBP,
	REGISTER_RSI,
	REGISTER_RDI,
	REGISTER_RIP = 16, /* the address behind the instruction */
	REGISTER_NONE
};

enum effect_kind {
	EFFECT_OTHER,
	EFFECT_SUM, /* target = base + index * scale + offset */
	EFFECT_LOAD /* target = the 8 bytes at base + offset */
};

struct effect {
	enum effect_kind kind;
	uint8_t target, base, index, scale;
	int64_t offset;
	uint32_t written; /* a bit for each register that may have changed */
};

/* Requires an instruction that was decoded (instruction.h), of `len` bytes, and that is no call and no jump. */
struct effect effect_of(const uint8_t *code, size_t len);

/* The registers that a called function may change, a bit for each. */
enum {
	EFFECT_OF_CALL = 1 << REGISTER_RAX | 1 << REGISTER_RCX | 1 << REGISTER_RDX | 1 << REGISTER_RSI |
			 1 << REGISTER_RDI | 0xf00
};

#endif
