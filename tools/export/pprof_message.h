/* SPDX-License-Identifier: MIT
 * Writes a profile of pprof field by field, compressed: a message is a sequence of fields, so that memory for one is
 * enough. */
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

/* Writes the rest of the file, and destroys the message. */
void pprof_message_end(struct pprof_message **message);

/* Writes the fields that are set. `max` is an upper limit of their bytes; without it they are counted first. */
void pprof_message_add(struct pprof_message *message, const Pprof__Profile *fields);
void pprof_message_add_max(struct pprof_message *message, const Pprof__Profile *fields, size_t max);

/* The number of a text. A new text is written. */
int64_t pprof_message_text(struct pprof_message *message, const char *text);

#endif
