/* SPDX-License-Identifier: MIT
 * C++ names as people write them, where the system's C++ library is there to do it. It is loaded when the first
 * mangled name is met: the command itself is not linked with it. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/* An owned copy of `name`: demangled when it is a mangled C++ name and can be, unchanged otherwise. The name of a
 * transactional clone (gcc prefixes it with _ZGTt) becomes that of the function it was made from. */
char *demangle(const char *name);

#endif
