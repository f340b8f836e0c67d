/* SPDX-License-Identifier: MIT
 * A shared object, built by the test as it is told to. */
#ifndef BUILT_MODULE_H
#define BUILT_MODULE_H

/* Compiles `source`, a function or two, to `path` with gcc and these flags. */
void built_module(const char *path, const char *source, const char *flags);

#endif
