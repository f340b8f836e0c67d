/* SPDX-License-Identifier: MIT
 * Names of the sites and objects of a recording. There are two sources of them beyond the recording itself, and the
 * build chooses one: the command reads debug information and symbol tables of the files that ran
 * (tools/code/symbol.c); the library does not, since that is no work for somebody else's process, and shows
 * addresses as module+offset (report_symbols.c). */
#ifndef SYMBOL_H
#define SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records.h"

/* One frame of source code. */
struct symbol_frame {
	char *function;        /* NULL: not known */
	char *file;            /* NULL: not known */
	uint32_t line;         /* 0: not known */
	const char *module;    /* path; NULL: not known */
	uint32_t first_line;   /* where the function begins in `file`; 0: not known */
	uint64_t offset;       /* the return address in the module's ELF file; without a module, the address */
	const char *directory; /* from where a relative `file` goes; NULL: not known. Borrowed from the site */
};

/* The frames of a site, innermost first: more than one where functions were inlined. len >= 1. */
struct symbol_site {
	struct symbol_frame *frames;
	size_t len;
	char *directory; /* in which the code was compiled; NULL: not known */
};

struct symbols;

/* ---- by either source ---- */

/* Borrows the recording, which must outlive it. */
struct symbols *symbols_create(const struct recording *recording);
/* In the command alone: in the library symbols go with the memory of the report. */
void symbols_destroy(struct symbols **symbols);

/* Borrowed until destroy; looked up once. */
const struct symbol_site *symbols_site(struct symbols *symbols, uint32_t site);

/* Whether the site's module is still there and leaves functions that it calls to be bound when they are first called.
 */
bool symbols_is_bound_lazily(struct symbols *symbols, uint32_t site);

/* Whether the site's module is there and has no lines: it was built without -g, or it is stripped. */
bool symbols_lack_lines(struct symbols *symbols, uint32_t site);

/* The call because of which the transaction became irrevocable that did so at this site: its function, file and line.
 * NULL: it is not known for certain. Borrowed until destroy. */
const struct symbol_frame *symbols_unsafe_call(struct symbols *symbols, uint32_t site);

/* "accounts[16].balance": the variable that `address` lies in, with the member if debug information has its type;
 * otherwise "accounts+128". NULL: none that is known. Free it with memory_free(). */
char *symbols_object(struct symbols *symbols, uint64_t address);

/* The bytes of that variable or member; 0: none is known. */
uint64_t symbols_object_size(struct symbols *symbols, uint64_t address);

/* How the program accesses an address that no variable has, as far as the entries tell where it does. */
struct symbol_access {
	const char *member; /* "Book::stats.volume"; NULL: not known */
	const char *line;   /* the source of an access: "id = book->next_id++"; NULL: not known, or the member is */
};

/* What the first access tells of which something is known. Borrowed until destroy. */
struct symbol_access symbols_access(struct symbols *symbols, uint64_t address);

/* ---- by the recording alone ---- */

/* The frame of a site as far as the records alone tell it. Free its function and file with memory_free(). */
struct symbol_frame symbol_recorded(const struct recording *recording, const struct stmlog_site_record *site);

/* Whether the frame is the C library's or the C++ library's own way into a program or a thread. */
bool symbol_is_startup(const struct symbol_frame *frame);

/* The last part of a path. */
const char *symbol_basename(const char *path);

#endif
