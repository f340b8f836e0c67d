/* SPDX-License-Identifier: MIT
 * Instructions of x86-64, as far as it takes to follow a function's calls and jumps: their length, and where they lead.
 * Not decoded, since compilers use it for other things than transactions: AVX, x87, and instructions of the system. */
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
	INSTRUCTION_BRANCH, /* a jump under a condition */
	INSTRUCTION_END     /* returns, stops, or jumps to a computed address */
};

struct instruction {
	enum instruction_kind kind;
	size_t len;
	uint64_t target;
};

/* The instruction at `code`, of which `size` bytes can be read; `address` is where they lie. */
struct instruction instruction_decode(const uint8_t *code, size_t size, uint64_t address);

#endif
