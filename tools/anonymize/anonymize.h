/* SPDX-License-Identifier: MIT
 * Writes a recording anew, without any of its strings. Its records stay as they are otherwise, and so does each sum
 * that a report makes of them. */
#ifndef ANONYMIZE_H
#define ANONYMIZE_H

#include <stdbool.h>

#include "dictionary.h"
#include "recording.h"

/* Writes the recording of the file `in`, which is whole, to `out`, and prints which parts are left out, as it does not
 * know them. Returns false, and prints why, if it cannot be written; an older file is left as it was then. */
bool anonymize(struct recording *recording, const char *in, const char *out);

/* ---- aliases.c: new names for texts, such as "function_12"; equal texts of one kind have equal new names ---- */

enum alias_kind {
	ALIAS_FIGURE, /* a number, or the version of stmlog: it stays */
	ALIAS_FUNCTION,
	ALIAS_FILE,   /* the ending of a usual source file stays */
	ALIAS_MODULE, /* a path; the name of a library that reports know stays */
	ALIAS_PROGRAM,
	ALIAS_ARGUMENT,
	ALIAS_OPTION, /* a key of STMLOG_OPTIONS */
	ALIAS_VALUE,  /* of an option; a number stays */
	ALIAS_THREAD,
	ALIAS_LABEL, /* of a green thread */
	ALIAS_WORD,  /* of a cause, an event, the runtime's method or work, the clock */
	ALIAS_RUNTIME,
	ALIAS_NAME,     /* a part of the name of an object; a number stays */
	ALIAS_RUNTIMES, /* "libitm, my-stm": each has an alias of its own */
	ALIAS_OBJECT,   /* "accounts[16].balance" becomes "object_1[16].object_2" */
	ALIAS_KINDS
};

/* An empty one is zeroed. */
struct aliases {
	struct dictionary known[ALIAS_KINDS];
};

/* The new name of the text, or the text itself, if it stays. Owned by the caller. */
char *aliases_text(struct aliases *aliases, enum alias_kind kind, const char *text);
void aliases_fini(struct aliases *aliases);

#endif
