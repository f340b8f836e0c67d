/* SPDX-License-Identifier: MIT
 * What the command knows of the names of a recording: symbol.c has the names of places, symbol_objects.c those of data
 * (pointer.c: of data that have no name of their own), symbol_modules.c the files that have both. tail_frames.c finds
 * places that tracebacks lack, and those that are no frames of them; itm_call.c has the calls of libitm. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "accesses.h"
#include "code.h"
#include "inlining.h"
#include "module.h"
#include "symbol.h"
#include "variables.h"

/* Invariant: at most one of the texts is not NULL. */
struct site_access {
	bool is_tried;
	char *member, *line;
};

/* What is known of all accesses to an address; borrowed from the sites. */
struct address_access {
	bool is_tried;
	struct symbol_access found;
};

/* Invariants: sites[i].len == 0 <=> site i was not looked up yet; first[i] is the first module of the path and the
 * build-id of module i: no other one of them is opened, and `opened` are. */
struct symbols {
	const struct recording *recording;
	struct module *modules;
	uint32_t *first;
	size_t opened;
	bool has_told;
	struct inlining *inlining;
	struct variables *variables;
	struct symbol_site *sites;
	struct symbol_site *unsafe_calls;  /* by site; NULL until the first lookup, and len == 0 likewise for each */
	struct accesses *accesses;         /* NULL until the first lookup, like the next */
	struct site_access *site_accesses; /* by site */
	struct address_access *address_accesses; /* by the number of the address in `accesses` */
};

/* A text of debug information may be of any length: it is cut. Takes over the text. */
char *symbols_shortened(char *text);

/* ---- symbol_modules.c ---- */

/* Sets up and closes the modules. */
void symbol_modules_init(struct symbols *symbols);
void symbol_modules_fini(struct symbols *symbols);

/* The module with the file of module `number`, opened; NULL: it cannot be had. */
struct module *symbols_module(struct symbols *symbols, uint32_t number);

/* Where the address of module `number` is in the module that has its file. */
uint64_t symbols_moved(const struct symbols *symbols, uint32_t number, uint64_t address);

/* The module that has a site's code, opened; NULL: no names can be had but the recorded ones. */
struct module *symbols_module_of(struct symbols *symbols, const struct stmlog_site_record *record);

/* Whether it is the C library, where tracebacks end. Its debug information, where it is installed, is megabytes that
 * libdw inflates as a whole: longer than the rest of a report. It would tell lines of sources that nobody has here. So
 * its functions are named by its symbol table alone. */
bool symbols_is_c_library(const struct module *module);

/* ---- pointer.c ---- */

/* Which structure the argument of a call points into, by the machine code before the call and the places that debug
 * information has for variables: `lea 0x18(%rbx), %rdi` with a variable in rbx that is a pointer to a Book leads to
 * what lies at offset 24 of a Book. */

struct pointer {
	Dwarf_Die type; /* as the variable's type names it, or a member's */
	uint64_t offset;
	bool is_indexed; /* of an array: the offset is that of its first element, and another one may be meant */
};

/* Of the first argument of the call that returns to `address` (in the file). False: it is not known for certain. */
bool pointer_before_call(const struct code *code, struct inlining *inlining, struct variables *variables,
	uint64_t address, struct pointer *pointer);

/* ---- tail_frames.c ---- */

/* Frames of functions that had left the stack by a tail call when a traceback was recorded. A function that ends with a
 * call may jump instead, and leaves the stack: the call of its caller leads to it, and another function is on the
 * stack. */

/* Where the function begins that was called before `returned`, if it has left the stack, since another one has the
 * address `below`. Addresses are those in the file. 0: none has left, or that is not known: the call is of a computed
 * address, or of another file. Sets *jumped to the address behind its jump to the other function; 0: it has none, or
 * several. */
uint64_t tail_call_find(const struct code *code, uint64_t returned, uint64_t below, uint64_t *jumped);

/* `last_line` of a site that was added where a function begins, since it is not known which jump it has left by. An
 * address has no line otherwise. */
enum { TAIL_FRAMES_FUNCTION = 1 };

/* A function that has ended with a jump is missing between two frames: its caller seems to call the function that it
 * has jumped to. Adds a site for each function that is missing, at its jump, and puts the site into the tracebacks of
 * the recording.
 *     libitm's agent often knows of a transaction where it has accessed data, where it began, and the callers of that:
 * not the stack of the access. So it records the begin behind the access, as if it were the caller of that. If both are
 * in one function, its call has one frame, which is now at the access: a stack never had both. The begin is left out
 * then, and kept beside the traceback (traceback_begin). Otherwise the transaction has called the function of the
 * access; functions between may be missing.
 *     The modules are known. Requires that there are no frames of sites yet. */
void tail_frames_add(struct symbols *symbols, struct recording *recording);

/* ---- itm_call.c: calls of libitm in machine code ---- */

/* "beginTransaction" of "_ITM_beginTransaction"; NULL: the function is none of libitm's. Part of `function`. */
const char *itm_entry(const char *function);

/* The function of libitm whose call returns to `address`, as itm_entry() names it; NULL: there is no such call. */
const char *itm_call_before(const struct code *code, uint64_t address);

/* Whether that call is of a function that reads or writes a value at the address in its first argument. */
bool itm_accesses_before(const struct code *code, uint64_t address);

/* How many bytes a function of libitm reads or writes, by the end of its name; 0: not known. */
size_t itm_access_size(const char *entry);

/* Whether that call begins a transaction. */
bool itm_begins_before(const struct code *code, uint64_t address);

/* The call because of which a transaction of libitm became irrevocable, say of fprintf(), found in the machine code.
 * Two places lead to it: where the transaction asked for it during its run, by _ITM_changeTransactionMode(), directly
 * before that call; and where a transaction begins of which the compiler knew that it makes such a call. */

struct unsafe_call {
	const char *function; /* NULL: not found for certain; borrowed from the module */
	uint64_t address;     /* of the call, in the process that ran */
};

/* `address`, in the process that ran, is the return address of a call of libitm. Finds nothing unless exactly one
 * function is possible. */
struct unsafe_call unsafe_call_find(Dwfl_Module *module, uint64_t address);

#endif
