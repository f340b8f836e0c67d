/* SPDX-License-Identifier: MIT
 * Demangles C++ names by the system's C++ library, which is loaded at the first mangled name: the command is not linked
 * with it. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/* Returns an owned copy of `name`, demangled if it is a mangled C++ name and the C++ library is there. The name of a
 * transactional clone (prefix _ZGTt) becomes that of the function from which gcc has made it. */
char *demangle(const char *name);

#endif
