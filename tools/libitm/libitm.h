/* SPDX-License-Identifier: MIT
 *
 * Which libitm a program will load, and the addresses of its private data that the agent reads. An experiment finds the
 * addresses, in a process of its own. Nothing here fails: a failure means that an address is not known.
 */
#ifndef LIBITM_H
#define LIBITM_H

#include <stdbool.h>

enum libitm_source {
	LIBITM_OF_PROGRAM, /* the loader says that the program will load it */
	LIBITM_BY_NAME,    /* the loader finds it by its name; the program, or a program that it runs, may load it */
};

enum libitm_how {
	LIBITM_NOT,   /* nothing is known of it */
	LIBITM_UNRUN, /* nothing is known of it, and the experiment was not allowed */
	LIBITM_TRIED, /* found by the experiment */
};

struct libitm {
	char *path; /* NULL: there is no libitm, or it cannot be read */
	enum libitm_source source;
	char id[65];    /* its build-id in hex; empty: it has none */
	char *findings; /* ",KEY=HEX,...", an offset for each piece that was found; NULL: none was */
	enum libitm_how how;
};

/* What is run to find out. A program names its loader, and may bring a libitm along: both are code of its own. */
enum libitm_trust {
	LIBITM_TRUSTED,   /* all that is needed: the program is about to run */
	LIBITM_UNTRUSTED, /* the loader of this command, and the libitm that it finds by its name */
};

/* Returns the libitm of `program`, which is looked up as by execvp(); NULL: the libitm that the loader finds by its
 * name. End it with libitm_fini(). */
struct libitm libitm_of(const char *program, enum libitm_trust trust);
void libitm_fini(struct libitm *libitm);

/* Returns what the agent is given as the value of LIBITM_VARIABLE; owned. NULL: nothing is known. */
#define LIBITM_VARIABLE "STMLOG_LIBITM"
char *libitm_variable(const struct libitm *libitm);

/* The offset of each piece of private data. */
enum libitm_piece { LIBITM_COUNTERS, LIBITM_COMMITS, LIBITM_LOCKS, LIBITM_DISPATCH, LIBITM_SERIAL, LIBITM_PIECES };
struct libitm_value {
	char hex[17]; /* empty: not known */
};

/* Reads findings. Requires that they are not NULL. Returns false if the text is something else. */
bool libitm_read(const char *findings, struct libitm_value values[LIBITM_PIECES]);

/* ---- the parts ---- */

/* The path of the libitm that the loader will load; owned, NULL: none. `program` may be NULL. */
char *libitm_find(const char *program, enum libitm_trust trust, enum libitm_source *source);

/* The path of libitm in a list that the loader has printed; owned, NULL: it is not in the list. */
char *libitm_in_list(const char *list);

/* Runs a program and returns its output, owned. NULL: it failed, printed too much or took too long.
 * `is_alone`: nothing is preloaded into it. */
char *libitm_output_of(char *const *argv, bool is_alone);

#endif
