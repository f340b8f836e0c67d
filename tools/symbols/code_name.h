/* SPDX-License-Identifier: MIT
 * The name of the code at an address, by the symbol table alone. */
#ifndef CODE_NAME_H
#define CODE_NAME_H

#include <stdint.h>

#include "inlining.h"
#include "module.h"

/* Requires a module that is open. Returns the readable name; the caller frees it. NULL: it is not known. Of a
 * local function of GHC's, which has no symbol, it is "package:Module.?". */
char *code_name(struct module *module, uint64_t address);

/* The line of the code by the line table, if that is of the same function by the symbol table. Its function is NULL. */
struct inlining_frame code_line(Dwfl_Module *module, uint64_t address);

#endif
