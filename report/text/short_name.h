/* SPDX-License-Identifier: MIT
 * Shortens names of functions so that they fit a line. */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol.h"

/* A copy of a C++ name without arguments, template arguments, the type of the result and anonymous namespaces:
 * "Book::place" for "void Book<unsigned long>::place<int>(int) const". Of a Haskell name, the function with the last
 * part of its module: "TBQueue.readTBQueue" for "stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue"; without it if
 * that is Main. Names of other forms are copied as they are. Free it with memory_free(). */
char *short_name(const char *name);

/* Shortens the Haskell name behind " of " in a name that a runtime has given to an object: "TVar #3 of
 * ghc-prim:GHC.Types.I#" becomes "TVar #3 of Types.I#". Names of other forms are copied as they are. Free it with
 * memory_free(). */
char *short_object_name(const char *name);

/* The number of bytes of a Haskell name that are its package and its module, with the dot before the function. 0: it is
 * not a Haskell name. */
size_t short_name_module(const char *name);

struct short_names;

/* Collects the short names of the functions at the first sites of the recording, some thousands: several instances of a
 * template have one line and one short name. */
struct short_names *short_names_create(const struct recording *recording, struct symbols *symbols);
void short_names_destroy(struct short_names **names);

/* Whether another function has the same short name at the same line. False if `names` is NULL, and for a frame without
 * a function. */
bool short_names_is_shared(const struct short_names *names, const struct symbol_frame *frame);

#endif
