/* SPDX-License-Identifier: MIT
 * The file that a module of a recording was loaded from, if it is still the same build. It is opened when it is first
 * needed, because most recordings name functions of only one or two of their many libraries. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>

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
	enum { MODULE_NOT_ASKED, MODULE_WITHOUT_HASKELL, MODULE_WITH_HASKELL } haskell; /* code_name() asks, once */
};

/* Opens the file unless that was tried before. */
enum module_state module_open(struct module *module);
void module_close(struct module *module);

const char *module_state_name(enum module_state state);

/* Whether the file has a compressed section that is made to fill the memory: libdw inflates debug information as a
 * whole, and some megabytes may become as many gigabytes. Such a section becomes fifty times as large. Debug
 * information becomes three to five times as large. Inflates nothing. False for what is no ELF file. */
bool compressed_is_bomb(int fd);

/* ---- plain_open.c ---- */

/* What libdw may open. A recording names modules, and a module names further files with its debug information
 * (.gnu_debuglink, dwo names, .gnu_debugaltlink), which libdw opens by itself. A name may be that of a FIFO, which
 * would be waited for without end, or of a device. So this file has open() for the whole command: a program's function
 * stands before the C library's for all libraries that it is linked with. Whoever opens a file to read it gets only
 * regular files, unless O_NONBLOCK says that the caller takes care itself. It has dlopen(), too, which does not load
 * the libraries that ask servers for debug information. */

/* From then on libdw asks no server for debug information, either (DEBUGINFOD_URLS). The caller calls it before libdw
 * looks for any: a server would learn which programs are looked at, and its answer may take minutes. */
void plain_open_only(void);

#endif
