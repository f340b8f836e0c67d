/* SPDX-License-Identifier: MIT
 * The file that a module of a recording was loaded from, if it is still the one that ran. It is opened when it is
 * first asked for: most recordings name functions of one or two of their many libraries. */
#ifndef MODULE_H
#define MODULE_H

#include <elfutils/libdwfl.h>

#include <stmlog/format.h>

enum module_state {
	MODULE_UNTRIED,
	MODULE_SAME,      /* the build-ids are equal */
	MODULE_UNCHECKED, /* neither has a build-id; used */
	MODULE_CHANGED,   /* another build stands there now; not used */
	MODULE_MISSING    /* no such file, or no ELF file; not used */
};

/* Invariant: elf != NULL <=> the state is SAME or UNCHECKED; it lives in dwfl, whose only module it is, at the
 * addresses at which it ran. */
struct module {
	const char *path;
	const struct stmlog_module_record *record;
	enum module_state state;
	Dwfl *dwfl;
	Dwfl_Module *elf;
};

/* Opens it unless that was tried before. */
enum module_state module_open(struct module *module);
void module_close(struct module *module);

/* In hexadecimal digits; "" where it has none. */
struct module_id {
	char text[65];
};
struct module_id module_build_id(const struct stmlog_module_record *record);

const char *module_state_name(enum module_state state);

#endif
