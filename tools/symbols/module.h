/* SPDX-License-Identifier: MIT
 * The file that a module of a recording was loaded from, if it is still the same build. It is opened when it is first
 * needed, because most recordings name functions of only one or two of their many libraries. */
#ifndef MODULE_H
#define MODULE_H

#include <elfutils/libdwfl.h>

#include "records.h"

enum module_state {
	MODULE_UNTRIED,
	MODULE_SAME,      /* the build-ids are equal */
	MODULE_UNCHECKED, /* neither has a build-id; used */
	MODULE_CHANGED,   /* the file is another build; not used */
	MODULE_MISSING,   /* no such file, or no ELF file; not used */
	MODULE_TOO_LARGE  /* its debug information would fill the memory; not used */
};

/* Invariant: elf != NULL <=> the state is SAME or UNCHECKED. It is the only module of dwfl, and has the addresses that
 * the module had in the process. */
struct module {
	const char *path;
	const struct stmlog_module_record *record;
	enum module_state state;
	Dwfl *dwfl;
	Dwfl_Module *elf;
	enum { MODULE_NOT_ASKED, MODULE_WITHOUT_HASKELL, MODULE_WITH_HASKELL } haskell; /* code_name.h asks, once */
};

/* Opens the file unless that was tried before. */
enum module_state module_open(struct module *module);
void module_close(struct module *module);

const char *module_state_name(enum module_state state);

#endif
