/* SPDX-License-Identifier: MIT
 *
 * A shared library of the process: its code, its exported symbols, and where its functions lie. Even a stripped
 * library tells that, since the tables for unwinding stacks are sorted by function.
 */
#ifndef GHC_LIBRARY_H
#define GHC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function written in C: distances from the table to where it begins, and to its entry in .eh_frame. */
struct library_function {
	int32_t start, entry;
};

struct library {
	const char *path; /* the loader's */
	void *handle;
	unsigned char *code;
	size_t code_size;
	const struct library_function *functions; /* in ascending order */
	size_t functions_len;
	uintptr_t table;
};

/* Finds the library whose file's name begins with this. Returns false if the process has none, or none whose functions
 * are known. library_close() is then called in the other case only. */
bool library_open(struct library *library, const char *name);
void library_close(struct library *library);

/* The address of an exported symbol; 0: there is none. */
uintptr_t library_symbol(const struct library *library, const char *name);

/* The code of a function. */
struct library_span {
	uintptr_t start, end;
};

/* The function that has the address; `start` is 0 if none has it. */
struct library_span library_function(const struct library *library, uintptr_t address);

#endif
