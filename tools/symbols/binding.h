/* SPDX-License-Identifier: MIT
 * Whether a module binds the functions that it calls in other modules lazily: at the first call of each, not when it is
 * loaded. */
#ifndef BINDING_H
#define BINDING_H

#include <stdbool.h>

#include <gelf.h>

/* Returns true if the file has relocations for lazy binding and does not ask for binding at load: then some functions
 * are bound lazily, unless LD_BIND_NOW is set. False for a static program. */
bool binding_is_lazy(Elf *elf);

#endif
