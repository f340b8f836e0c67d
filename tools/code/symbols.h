/* SPDX-License-Identifier: MIT
 * What the command knows of the names of a recording: symbol.c has the names of places, symbol_objects.c those of data,
 * symbol_modules.c the files that have both. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accesses.h"
#include "inlining.h"
#include "module.h"
#include "symbol.h"
#include "variables.h"

/* Invariant: at most one of the texts is not NULL. */
struct site_access {
	bool is_tried;
	char *member, *line;
};

/* What is known of all accesses to an address; borrowed from the sites. */
struct address_access {
	bool is_tried;
	struct symbol_access found;
};

/* Invariants: sites[i].len == 0 <=> site i was not looked up yet; first[i] is the first module of the path and the
 * build-id of module i: no other one of them is opened, and `opened` are. */
struct symbols {
	const struct recording *recording;
	struct module *modules;
	uint32_t *first;
	size_t opened;
	bool has_told;
	struct inlining *inlining;
	struct variables *variables;
	struct symbol_site *sites;
	struct symbol_site *unsafe_calls;  /* by site; NULL until the first lookup, and len == 0 likewise for each */
	struct accesses *accesses;         /* NULL until the first lookup, like the next */
	struct site_access *site_accesses; /* by site */
	struct address_access *address_accesses; /* by the number of the address in `accesses` */
};

/* A text of debug information may be of any length: it is cut. Takes over the text. */
char *symbols_shortened(char *text);

/* ---- symbol_modules.c ---- */

/* Sets up and closes the modules. */
void symbol_modules_init(struct symbols *symbols);
void symbol_modules_fini(struct symbols *symbols);

/* The module with the file of module `number`, opened; NULL: it cannot be had. */
struct module *symbols_module(struct symbols *symbols, uint32_t number);

/* Where the address of module `number` is in the module that has its file. */
uint64_t symbols_moved(const struct symbols *symbols, uint32_t number, uint64_t address);

/* The module that has a site's code, opened; NULL: no names can be had but the recorded ones. */
struct module *symbols_module_of(struct symbols *symbols, const struct stmlog_site_record *record);

/* Whether it is the C library, where tracebacks end. Its debug information, where it is installed, is megabytes that
 * libdw inflates as a whole: longer than the rest of a report. It would tell lines of sources that nobody has here. So
 * its functions are named by its symbol table alone. */
bool symbols_is_c_library(const struct module *module);

#endif
