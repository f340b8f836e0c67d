/* SPDX-License-Identifier: MIT
 * Names of the sites and objects of a recording, from debug information and symbol tables of the files that ran
 * (tools/code/symbol.c); and places, which are sites of one name. */
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
	uint32_t last_line;    /* the line is one from `line` to this one; 0: it is `line` */
	const char *module;    /* path; NULL: not known */
	uint32_t first_line;   /* where the function begins in `file`; 0: not known */
	uint64_t offset;       /* the return address in the module's ELF file; without a module, the address */
	const char *directory; /* the directory of a relative `file`; NULL: not known. Borrowed from the site */
};

/* The frames of a site, innermost first: more than one where functions were inlined. len >= 1. */
struct symbol_site {
	struct symbol_frame *frames;
	size_t len;
	char *directory;     /* in which the code was compiled; NULL: not known */
	struct json_t *json; /* symbols_kept_json() */
	bool is_call;        /* of Haskell, where the code of the call was found */
};

struct symbols;

/* Borrows the recording, which must outlive the symbols. Puts functions that have left the stack by a tail call into
 * its tracebacks. */
struct symbols *symbols_create(struct recording *recording);
void symbols_destroy(struct symbols **symbols);

/* Borrowed until symbols_destroy(). Each site is looked up once. */
const struct symbol_site *symbols_site(struct symbols *symbols, uint32_t site);

/* Where the command keeps the site's frames as JSON: NULL at first. The symbols own what is put there. */
struct json_t **symbols_kept_json(struct symbols *symbols, uint32_t site);

/* Whether the site's module exists and has no line information: it was built without -g, or it is stripped. */
bool symbols_lack_lines(struct symbols *symbols, uint32_t site);

/* The call that made the transaction irrevocable at this site: its function, file and line. NULL: it is not known for
 * certain. Borrowed until symbols_destroy(). */
const struct symbol_frame *symbols_unsafe_call(struct symbols *symbols, uint32_t site);

/* "accounts[16].balance": the variable that `address` lies in, with the member if debug information has its type;
 * otherwise "accounts+128". NULL: none that is known. Free it with memory_free(). */
char *symbols_object(struct symbols *symbols, uint64_t address);

/* How the program accesses an address that is not a variable's, according to entries with this address. */
struct symbol_access {
	const char *member; /* "Book::stats.volume"; NULL: not known */
	const char *line;   /* the source of an access: "id = book->next_id++"; NULL: not known, or the member is */
};

/* The first access about which anything is known. Borrowed until symbols_destroy(). */
struct symbol_access symbols_access(struct symbols *symbols, uint64_t address);

/* ---- from the recording alone ---- */

/* The frame of a site as far as the records alone tell it. Free its function and file with memory_free(). */
struct symbol_frame symbol_recorded(const struct recording *recording, const struct stmlog_site_record *site);

/* Whether the frame is code of a module whose file's name begins with one of these; NULL ends the array. */
bool symbol_is_in(const struct symbol_frame *frame, const char *const libraries[]);

/* Whether the frame is code of the C or C++ library that starts a program or a thread. */
bool symbol_is_startup(const struct symbol_frame *frame);

/* Whether two names of functions, files or modules are the same, or both are not known (NULL). */
bool symbol_same_names(const char *left, const char *right);

/* "bank.c:51", or "Bank.hs:51-53" if the line is one of these: all outputs write the lines of a frame so. `file` is a
 * name of the frame's file. Free it with memory_free(). */
char *symbol_position(const char *file, uint32_t line, uint32_t last_line);

/* The last part of a path. */
const char *symbol_basename(const char *path);

/* ---- places ---- */

/* Sites with the same name are one place, even if their addresses differ. Likewise, tracebacks whose frames have the
 * same names are one. Names are looked up when they are first needed. */
struct places;

/* Borrows the recording and the symbols, which must outlive the places. Lookups change the places, so only one thread
 * may use them at a time. */
struct places *places_create(const struct recording *recording, struct symbols *symbols);
void places_destroy(struct places **places);

/* The place of a traceback's innermost frame: PLACE_UNKNOWN, PLACE_NO_FRAMES, or a number from PLACE_FIRST on, one for
 * each name. */
enum { PLACE_UNKNOWN, PLACE_NO_FRAMES, PLACE_FIRST };
uint32_t places_innermost(struct places *places, uint32_t traceback);

/* The place of a site. */
uint32_t places_site(struct places *places, uint32_t site);

/* By place: whether a transaction is known to begin there. Owned: memory_free(). */
bool *places_begins(struct places *places);

/* Where the transaction of a traceback begins. */
struct place_begin {
	uint32_t site;  /* if no site is known to be a begin, the innermost one; STMLOG_NO_SITE: there is none */
	size_t callers; /* the number of the first site of the traceback around it */
	bool is_known;  /* whether the site is known to be a begin */
	bool is_outer;  /* whether it is, and is not the innermost site */
};
struct place_begin places_begin_of(struct places *places, const bool *begins, uint32_t traceback);

/* The frame that gives a place its name; NULL for PLACE_UNKNOWN and PLACE_NO_FRAMES. Borrowed from the symbols. */
const struct symbol_frame *places_frame(const struct places *places, uint32_t place);

/* Whether frames of two sites are one place. */
bool place_same_frames(const struct symbol_frame *left, const struct symbol_frame *right);

/* The names of PLACE_UNKNOWN and PLACE_NO_FRAMES; NULL for other places. */
const char *place_fixed_name(uint32_t place);

/* Returns one reference for all tracebacks whose frames have the same names. A cut traceback and a whole one are never
 * the same. */
uint32_t places_traceback(struct places *places, uint32_t traceback);

#endif
