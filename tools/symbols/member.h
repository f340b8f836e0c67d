/* SPDX-License-Identifier: MIT
 * What lies at an offset within a value of a type, by debug information: a member, or an element of an array. */
#ifndef MEMBER_H
#define MEMBER_H

#include <stdint.h>

#include <elfutils/libdw.h>

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
