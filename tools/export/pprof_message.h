/* SPDX-License-Identifier: MIT
 * A profile of pprof's, written field by field: a message is nothing but its fields one after the other, so that no
 * memory is needed for more than one of them. */
#ifndef PPROF_MESSAGE_H
#define PPROF_MESSAGE_H

#include <stdint.h>
#include <stdio.h>

#include "dictionary.h"
#include "gzip.h"
#include "profile.pb-c.h"

struct pprof_message {
	struct dictionary texts;
	struct gzip gzip;
};

/* Ends the command without memory. */
struct pprof_message *pprof_message_create(FILE *out);

/* Writes what is left, and destroys it. */
void pprof_message_end(struct pprof_message **message);

/* Writes the fields that are set. Whoever knows how many bytes they are at most saves counting them. */
void pprof_message_add(struct pprof_message *message, const Pprof__Profile *fields);
void pprof_message_add_most(struct pprof_message *message, const Pprof__Profile *fields, size_t most);

/* The number of a text; one that is new is written. */
int64_t pprof_message_text(struct pprof_message *message, const char *text);

#endif
