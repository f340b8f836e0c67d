/* SPDX-License-Identifier: MIT
 *
 * A shared library of the process: its code, its exported symbols, and where its functions lie; and the functions of
 * the RTS in its shared library.
 */
#ifndef GHC_LIBRARY_H
#define GHC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- any library ----
 *
 * Even a stripped library tells where its functions lie, since the tables for unwinding stacks are sorted by function.
 */

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

/* ---- the functions of functions.def ----
 *
 * They are numbered in its order, which is that of struct ghc_real: PLACE_ of all, and HOOK_, the same numbers, of
 * those with hooks. The numbers below NEEDED are of those that each RTS has.
 */

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) HOOK_##member,
#include "functions.def"
	HOOKS
};

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) PLACE_##member,
#define CALLED(member, name) PLACE_##member,
#define OPTIONAL(member, name) PLACE_##member,
#include "functions.def"
	PLACES
};

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) NEEDED_##member,
#define CALLED(member, name) NEEDED_##member,
#include "functions.def"
	NEEDED
};

/* ---- these functions in the RTS's shared library ----
 *
 * Most have no names there: they are hidden, and distributions strip libraries. But what compiled Haskell calls is
 * exported, and that code calls the hidden functions.
 */

/* Sets the addresses, by their PLACE_. `is_debug`: the library is an RTS for -debug. Returns false if a function is not
 * found. What is found may be wrong if the library is not that of a known GHC: then the functions have other numbers of
 * calls (functions.def). */
bool hidden_find(const struct library *library, bool is_debug, uintptr_t addresses[PLACES]);

#endif
