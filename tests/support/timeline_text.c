/* SPDX-License-Identifier: MIT */
#include "timeline_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

static uint8_t kind_of(const char *name)
{
	uint8_t kind = 0;
	while (kind < STMLOG_EVENT_KINDS && strcmp(stmlog_event_name(kind), name) != 0)
		kind++;
	assert(kind < STMLOG_EVENT_KINDS);
	return kind;
}

/* A place for each word: they are few. */
static uint32_t place_of(struct writer *writer, const char *word)
{
	size_t places = writer->sections[STMLOG_SECTION_PLACES].len / sizeof(struct stmlog_place_record);
	writer_event_place(writer, &(struct stmlog_place_record){.word = writer_string(writer, word)});
	return (uint32_t)places;
}

static void add_line(struct writer *writer, const char *line)
{
	char kind[32], word[64] = "";
	struct stmlog_event_record event = {0};
	int read = sscanf(line, "%" SCNu64 " %" SCNu32 " %31s %" SCNu64 " %63s %" SCNu8 " %" SCNu32, &event.time_ns,
		&event.thread, kind, &event.argument, word, &event.detail, &event.other);
	assert(read >= 3);
	(void)read;
	event.kind = kind_of(kind);
	if (word[0] != '\0' && strcmp(word, "-") != 0)
		event.place =
			event.kind == STMLOG_EVENT_MISSING ? (uint32_t)strtoul(word, NULL, 10) : place_of(writer, word);
	writer_event(writer, &event);
}

void timeline_text(struct writer *writer, uint32_t threads, const char *text)
{
	writer_init(writer);
	writer->has[STMLOG_SECTION_EVENTS] = 1;
	writer_event_place(writer, &(struct stmlog_place_record){0});
	for (uint32_t i = 1; i <= threads; i++)
		writer_event(writer, &(struct stmlog_event_record){.thread = i, .kind = STMLOG_EVENT_ATTACH});
	while (*text != '\0') {
		char line[128];
		size_t len = strcspn(text, "\n");
		assert(len < sizeof line);
		memcpy(line, text, len);
		line[len] = '\0';
		if (len > 0)
			add_line(writer, line);
		text += len + (text[len] == '\n');
	}
}
