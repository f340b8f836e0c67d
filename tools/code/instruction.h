/* SPDX-License-Identifier: MIT
 * Instructions of x86-64, as far as it takes to follow a function's calls and jumps, and to follow a pointer backwards:
 * their length, where they lead, and what they do to the registers. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_UNKNOWN, /* not decoded: its length is not known */
	INSTRUCTION_PLAIN,   /* goes on behind itself */
	INSTRUCTION_CALL,
	INSTRUCTION_CALL_SLOT, /* the address of the function lies at `target` */
	INSTRUCTION_CALL_ANY,  /* of an address that is computed */
	INSTRUCTION_JUMP,
	INSTRUCTION_JUMP_SLOT,
	INSTRUCTION_JUMP_ANY,
	INSTRUCTION_BRANCH, /* a jump under a condition */
	INSTRUCTION_END     /* returns or stops */
};

struct instruction {
	enum instruction_kind kind;
	size_t len;
	uint64_t target;
};

/* The instruction at `code`, where `size` bytes can be read. `address` is its address in the program. */
struct instruction instruction_decode(const uint8_t *code, size_t size, uint64_t address);

/* ---- registers ---- */

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

/* Requires `len` bytes that instruction_decode() finds to be one instruction that is PLAIN. */
struct effect instruction_effect(const uint8_t *code, size_t len);

/* The registers that a called function may change, a bit for each. */
enum {
	EFFECT_OF_CALL = 1 << REGISTER_RAX | 1 << REGISTER_RCX | 1 << REGISTER_RDX | 1 << REGISTER_RSI |
			 1 << REGISTER_RDI | 0xf00
};

#endif
