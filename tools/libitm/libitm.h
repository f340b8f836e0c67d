/* SPDX-License-Identifier: MIT
 *
 * Which libitm a program will load, and where that one keeps what the agent reads of it. The second is
 * found by experiment, in a process of its own, once for each build of libitm, and kept in the user's cache.
 * Nothing here fails: what was not found out is not known.
 */
#ifndef LIBITM_H
#define LIBITM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum libitm_source {
	LIBITM_OF_PROGRAM, /* the loader says that the program will load it */
	LIBITM_BY_NAME,    /* it is what the loader has by that name; the program, or what it runs, may load it */
};

enum libitm_how {
	LIBITM_NOT,    /* nothing is known of it */
	LIBITM_TRIED,  /* found by experiment just now */
	LIBITM_CACHED, /* at some time before */
};

struct libitm {
	char *path; /* NULL: there is none, or it cannot be read */
	enum libitm_source source;
	char id[65];    /* its build-id in hex; empty: it has none */
	char sum[17];   /* of all its bytes */
	char *findings; /* ",KEY=HEX,..."; NULL: nothing */
	enum libitm_how how;
};

/* Of `program`, which is looked for as execvp() does; NULL: of whichever. libitm_fini() ends it. */
struct libitm libitm_of(const char *program);
void libitm_fini(struct libitm *libitm);

/* What the agent is told, the value of LIBITM_VARIABLE; owned. NULL: nothing is known. */
#define LIBITM_VARIABLE "STMLOG_LIBITM"
char *libitm_variable(const struct libitm *libitm);

/* What is known piece by piece. */
enum libitm_piece { LIBITM_COUNTERS, LIBITM_COMMITS, LIBITM_LOCKS, LIBITM_DISPATCH, LIBITM_SERIAL, LIBITM_PIECES };
struct libitm_value {
	char hex[17]; /* empty: not known */
};

/* False: these are no findings; then nothing is known. */
bool libitm_read(const char *findings, struct libitm_value values[LIBITM_PIECES]);

/* ---- the parts ---- */

/* find.c: the path that the loader has for libitm; owned, NULL: none. */
char *libitm_find(const char *program, enum libitm_source *source);

/* The path in a list as the loader prints it; owned, NULL: there is no libitm in it. */
char *libitm_in_list(const char *list);

/* identity.c: fills in id and sum; false: it is no library. */
bool libitm_identify(struct libitm *libitm);

/* identity.c: the FNV-1a hash of all bytes up to now, begun with LIBITM_HASH, and of these. */
#define LIBITM_HASH UINT64_C(0xcbf29ce484222325)
uint64_t libitm_hash(uint64_t hash, const void *bytes, size_t len);

/* findings.c: whether each piece is known. */
bool libitm_is_complete(const char *findings);

/* child.c: what a program prints that says little and ends soon; owned. NULL: it failed. */
char *libitm_output_of(char *const *argv, bool is_alone);

/* cache.c: `libitm` has its identity. NULL: not there, or not as it was written. */
char *libitm_cache_read(const struct libitm *libitm);
void libitm_cache_write(const struct libitm *libitm);

/* The text of a cache file, owned; what of such a text is true, owned or NULL. */
char *libitm_cache_text(const struct libitm *libitm, const char *findings);
char *libitm_cache_findings(const struct libitm *libitm, const char *text);

#endif
