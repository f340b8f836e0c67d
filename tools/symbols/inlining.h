/* SPDX-License-Identifier: MIT
 * The frames of an address of machine code: several, if the compiler has inlined functions there. */
#ifndef INLINING_H
#define INLINING_H

#include <dwarf.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

enum { INLINING_DEPTH = 16 };

/* Pointers are borrowed from the module's debug information. */
struct inlining_frame {
	const char *function;  /* the linkage name, if there is one; NULL: not known */
	const char *file;      /* NULL: not known */
	const char *directory; /* in which it was compiled; NULL: inlining_directory(), if that is known */
	uint32_t line;
	uint32_t last_line;  /* the line is one from `line` to this one; 0: it is `line` */
	uint32_t first_line; /* where the function begins, if that is in `file`; 0: not known */
	uint32_t end_line;   /* where it ends; 0: not known */
};

/* A cache of look-ups in the modules' debug information, which must outlive it. */
struct inlining;
struct inlining *inlining_create(void);
void inlining_destroy(struct inlining **inlining);

/* Finds the frames at `address` (in the process that ran), innermost first. Returns how many, at most INLINING_DEPTH:
 * any further out are left out. 0: there is no debug information. A function that the compiler has split, and inlined
 * in part, is one frame. */
size_t inlining_frames(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, struct inlining_frame frames[INLINING_DEPTH]);

/* The unit of Haskell with the machine code at `address`; NULL: it is of another language. Borrowed from the cache.
 * Sets *bias to the address in the process less the one in the unit. */
const struct haskell_unit *inlining_haskell(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias);

/* The function of the machine code at `address`, and what is nested in it there: blocks and inlined functions.
 * Outermost first. Sets *bias to the address in the process less the one in the debug information. Returns how many
 * there are, at most INLINING_SCOPES; 0: there is no debug information, or they are more. */
enum { INLINING_SCOPES = 64 };
size_t inlining_scopes(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	Dwarf_Die scopes[INLINING_SCOPES], Dwarf_Addr *bias);

/* The compiler gives a call that it adds itself, like that of a transaction's begin, the place of any function around
 * it. So a call at `address` may belong to an inlined function that has no code there: to the one that was entered last
 * before it. Of that function's pieces of code behind the address, takes the one that begins with the lowest line, and
 * finds the frames there, as inlining_frames() does; 0: there is no such piece. The innermost frame gets the line of
 * the last statement before that has no code of its own. Sets *entry to where the function was entered. The caller has
 * to make sure that no instruction from *entry to the address jumps. */
size_t inlining_frames_entered(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	struct inlining_frame frames[INLINING_DEPTH], uint64_t *entry);

/* The call of a transaction's begin may have the place of an inlined function that has ended before it. But the
 * compiler marks where the transaction's statement begins, also if no code of its own is there. Finds the frames of the
 * last statement that begins at the address or before, as inlining_frames() does; 0: they are those of the address.
 * Sets *mark to the address of that mark. The caller has to make sure that no instruction from *mark to the address
 * jumps. */
size_t inlining_frames_stated(struct inlining *inlining, Dwfl_Module *module, uint64_t address,
	struct inlining_frame frames[INLINING_DEPTH], uint64_t *mark);

/* The directory in which the code at `address` was compiled; NULL: not known. Borrowed as above. */
const char *inlining_directory(Dwfl_Module *module, uint64_t address);

/* ---- a unit of debug information ---- */

/* The unit itself, or the split unit in another file for which it is a skeleton. */
static inline Dwarf_Die unit_whole(const Dwarf_Die *die)
{
	Dwarf_Die whole;
	uint8_t type;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
		dwarf_tag(&whole) != DW_TAG_invalid)
		return whole;
	return *die;
}

/* ---- module.c: the code at an address, by the symbol table ---- */

struct module;

/* Requires a module that is open. Returns the readable name; the caller frees it. NULL: it is not known. Of a
 * local function of GHC's, which has no symbol, it is "package:Module.?". */
char *code_name(struct module *module, uint64_t address);

/* The line of the code by the line table, if that is of the same function by the symbol table. Its function is NULL. */
struct inlining_frame code_line(Dwfl_Module *module, uint64_t address);

#endif
