/* SPDX-License-Identifier: MIT
 * A profile of pprof (profile.proto) as a file. The profile is one message, a sequence of fields in any order. They are
 * written compressed one by one, so that memory for one field and for the texts is enough. */
#ifndef PPROF_MESSAGE_H
#define PPROF_MESSAGE_H

#include <stdint.h>
#include <stdio.h>

#include "profile.pb-c.h"

struct pprof_message;

/* Borrows the stream, which must outlive it. Ends the command without memory. */
struct pprof_message *pprof_message_create(FILE *out);

/* Writes the rest of the file, destroys the message, and sets *message to NULL. */
void pprof_message_end(struct pprof_message **message);

/* Writes the fields that are set. */
void pprof_message_add(struct pprof_message *message, const Pprof__Profile *fields);

/* Writes a sample. */
void pprof_message_add_sample(struct pprof_message *message, Pprof__Sample *sample);

/* The number of a text. A new text is written. */
int64_t pprof_message_text(struct pprof_message *message, const char *text);

/* The same; frees the text. */
int64_t pprof_message_text_and_free(struct pprof_message *message, char *text);

#endif
