/* SPDX-License-Identifier: MIT
 * Building a shared object in a test, from a source text and with compiler flags of the test's choice. */
#ifndef BUILT_MODULE_H
#define BUILT_MODULE_H

/* Compiles `source`, a function or two, to `path` with gcc and these flags. */
void built_module(const char *path, const char *source, const char *flags);

#endif
