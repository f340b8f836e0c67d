/* SPDX-License-Identifier: MIT
 * Symbols as the names that people know: of C++, and of Haskell. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

/* ---- C++ ---- */

/* Demangles C++ names by the system's C++ library, which is loaded at the first mangled name: the command is not linked
 * with it. */

/* Returns an owned copy of `name`, demangled if it is a mangled C++ name and the C++ library is there. The name of a
 * transactional clone (prefix _ZGTt) becomes that of the function from which gcc has made it. */
char *demangle(const char *name);

/* ---- Haskell ---- */

/* The names that GHC gives to code. A symbol is the package, the module and the function, each encoded
 * (z_decoded()), joined by underscores, and a suffix that tells which part of the function it is. */

enum haskell_label {
	HASKELL_OTHER,   /* not of a Haskell function: a function of C, or of GHC's own run time */
	HASKELL_UNNAMED, /* a function of the program, under a number of the compiler's: s3ml_info */
	HASKELL_NAMED,
};

/* Reads the symbol. If it is HASKELL_NAMED, *name is "package:Module.function", without the package where it has none,
 * or "Module.function_s3ml" if it is local to the module; of the worker of a function it is the function's name. The
 * caller frees it. Otherwise *name is NULL. */
enum haskell_label haskell_name(const char *symbol, char **name);

/* Decodes a name that GHC has encoded in letters and digits: "zi" is a dot, "z03bbU" the character of that code, "Z2T"
 * the type of pairs. Returns UTF-8, which the caller frees; NULL: the text is not encoded so. */
char *z_decoded(const char *text, size_t len);

#endif
