/* SPDX-License-Identifier: MIT
 * When the functions that a module calls in others are found: as it is loaded, or at the first call of each. */
#ifndef BINDING_H
#define BINDING_H

#include <stdbool.h>

#include <gelf.h>

/* True if some of them are bound lazily unless the environment has LD_BIND_NOW: the file has relocations for that, and
 * nothing in it asks for all at once. False of a static program, and of what is no ELF file that can be read. */
bool binding_is_lazy(Elf *elf);

#endif
