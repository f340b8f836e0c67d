/* SPDX-License-Identifier: MIT
 * Machine code of x86-64. Instructions, as far as it takes to follow a function's calls and jumps, and to follow a
 * pointer backwards: their length, where they lead, and what they do to the registers. The code of an ELF file, and the
 * names of the functions that it calls. */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/* ---- instructions ---- */

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

/* ---- the code of a file ---- */

/* Addresses are those in the file. */
struct code {
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* the address in the process less the one in the file */
};

/* False: the file is not for x86-64, or cannot be read. */
bool code_open(struct code *code, Dwfl_Module *module);

/* The bytes from `address` on; *size: how many there are. NULL: none. */
const uint8_t *code_bytes(const struct code *code, uint64_t address, size_t *size);

/* The instruction at `address`. INSTRUCTION_UNKNOWN if that is not in the file. */
struct instruction code_at(const struct code *code, uint64_t address);

/* The call that returns to the address; INSTRUCTION_UNKNOWN: it is of a computed address, or there is none. */
struct instruction code_call_before(const struct code *code, uint64_t returned);

/* Whether all instructions from `start` up to `end` run one after the other: none of them jumps. */
bool code_is_straight(const struct code *code, uint64_t start, uint64_t end);

/* The name of the function that an instruction calls or jumps to, of the file itself or of a library; NULL: there is
 * none, or it is not known. Borrowed from the module. */
const char *code_callee(const struct code *code, const struct instruction *instruction);

/* The address that an instruction calls or jumps to, past a stub; 0: it leads nowhere, or to another file, or that is
 * not known. */
uint64_t code_target(const struct code *code, const struct instruction *instruction);

/* The function that `address` lies in; all zero: not known. */
struct code_function {
	uint64_t start, end;
	const char *name; /* of the symbol table; borrowed from the module */
};
struct code_function code_function(const struct code *code, uint64_t address);

/* Whether they are parts of one function, which the compiler has split: "f", "f.part.0", "f.cold". */
bool code_are_parts(const struct code_function *left, const struct code_function *right);

/* Whether two addresses are in one function, or in parts of one. False: they are not, or that is not known. */
bool code_is_one_function(const struct code *code, uint64_t address, uint64_t other);

/* The number that the instruction moves into the register of a function's first argument; false: it does not. */
bool code_argument(const struct code *code, uint64_t address, uint32_t *argument);

#endif
