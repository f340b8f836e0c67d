/* SPDX-License-Identifier: MIT
 * The variables with addresses of their own, global and static ones, by the debug information of the modules. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/* What is known already of the modules, which must outlive it. */
struct variables;
struct variables *variables_create(void);
void variables_destroy(struct variables **variables);

/* Sets the type of the variable that begins at `address` in the process that ran. False: none is known. */
bool variables_type(struct variables *variables, Dwfl_Module *module, uint64_t address, Dwarf_Die *type);

#endif
