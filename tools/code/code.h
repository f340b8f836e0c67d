/* SPDX-License-Identifier: MIT
 * The machine code of an ELF file, and the names of the functions that it calls. Addresses are those in the file. */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

#include "instruction.h"

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

/* The number that the instruction moves into the register of a function's first argument; false: it does not. */
bool code_argument(const struct code *code, uint64_t address, uint32_t *argument);

#endif
