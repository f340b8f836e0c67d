/* SPDX-License-Identifier: MIT
 *
 * The number of the process image: after exec a process has the same pid, but another image. The library appends this
 * number to the names of its outputs.
 */
#ifndef NATIVE_GENERATION_H
#define NATIVE_GENERATION_H

/* A copy of the environment with the number of the next image; without memory, `from` itself. It is never freed: if
 * exec succeeds it is gone anyway, and if exec fails it may be in use. */
char **native_next_generation(char *const *from);

#endif
