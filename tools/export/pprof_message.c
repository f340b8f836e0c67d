/* SPDX-License-Identifier: MIT */
#include "pprof_message.h"

#include <stdlib.h>

#include "check.h"
#include "dictionary.h"
#include "memory.h"
#include "output.h"

struct pprof_message {
	struct dictionary texts;
	struct gzip gzip;
};

/* Requires that the fields have at most `max` bytes. */
static void add_max(struct pprof_message *message, const Pprof__Profile *fields, size_t max)
{
	REQUIRES(pprof__profile__get_packed_size(fields) <= max);
	gzip_add(&message->gzip, pprof__profile__pack(fields, gzip_room(&message->gzip, max)));
}

void pprof_message_add(struct pprof_message *message, const Pprof__Profile *fields)
{
	add_max(message, fields, pprof__profile__get_packed_size(fields));
}

/* An upper limit, because to count the bytes takes long: the numbers of the two arrays and of the labels, with the tags
 * and lengths before them. */
static size_t max_bytes(const Pprof__Sample *sample)
{
	enum { TAG = 1, NUMBER = 10 };
	return (TAG + NUMBER) * (3 + 3 * sample->n_label) + NUMBER * (sample->n_location_id + sample->n_value);
}

void pprof_message_add_sample(struct pprof_message *message, Pprof__Sample *sample)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	fields.n_sample = 1;
	fields.sample = &sample;
	add_max(message, &fields, max_bytes(sample));
}

static void add_text(struct pprof_message *message, const char *text)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	char *list[1] = {(char *)(uintptr_t)text}; /* packing changes nothing */
	fields.n_string_table = 1;
	fields.string_table = list;
	pprof_message_add(message, &fields);
}

struct pprof_message *pprof_message_create(FILE *out)
{
	struct pprof_message *message = memory_zeroed(1, sizeof *message);
	gzip_begin(&message->gzip, out);
	add_text(message, "");
	return message;
}

void pprof_message_end(struct pprof_message **message)
{
	gzip_end(&(*message)->gzip);
	dictionary_fini(&(*message)->texts);
	free(*message);
	*message = NULL;
}

int64_t pprof_message_text(struct pprof_message *message, const char *text)
{
	if (text[0] == '\0')
		return 0;
	const struct dictionary_entry *entry = dictionary_find(&message->texts, text);
	if (entry->is_new)
		add_text(message, text);
	return (int64_t)entry->number;
}

int64_t pprof_message_text_and_free(struct pprof_message *message, char *text)
{
	int64_t number = pprof_message_text(message, text);
	free(text);
	return number;
}
