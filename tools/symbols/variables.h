/* SPDX-License-Identifier: MIT
 * The variables with addresses of their own, global and static ones, by the debug information of the modules; and what
 * lies at an offset within a value of a type: a member, or an element of an array. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* What is known already of the modules, which must outlive it. */
struct variables;
struct variables *variables_create(void);
void variables_destroy(struct variables **variables);

/* Sets the type of the variable that begins at `address` in the process that ran. False: none is known. */
bool variables_type(struct variables *variables, Dwfl_Module *module, uint64_t address, Dwarf_Die *type);

/* ---- members ---- */

struct member {
	char *path;     /* ".levels[3].price": as it is written behind the name of a variable; "": the whole value */
	uint64_t rest;  /* how many bytes further it lies: within a value without members, or between two members */
	uint64_t size;  /* of what the path names; 0: not known */
	Dwarf_Die type; /* of what the path names, without typedefs and qualifiers; not set if the value has no type */
};

/* Of overlapping members the first that has the offset; members of base classes and of unnamed members as if they were
 * members of the type itself. The caller frees the path. */
struct member member_at(const Dwarf_Die *type, uint64_t offset);

#endif
