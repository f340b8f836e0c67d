/* SPDX-License-Identifier: MIT */
#include "frame_ids.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dictionary.h"
#include "memory.h"

/* Invariants: frames[n] is the first frame with number n. site_at[s] is where the numbers of site s begin, plus 1; 0:
 * they were not asked for yet. */
struct frame_ids {
	struct symbols *symbols;
	struct dictionary names;
	const struct symbol_frame **frames;
	size_t frame_count, frames_cap;
	uint32_t *numbers;
	size_t number_count, numbers_cap;
	size_t *site_at;
};

struct frame_ids *frame_ids_create(const struct recording *recording, struct symbols *symbols)
{
	struct frame_ids *ids = memory_zeroed(1, sizeof *ids);
	ids->symbols = symbols;
	ids->site_at = memory_zeroed(recording->site_count, sizeof *ids->site_at);
	return ids;
}

void frame_ids_destroy(struct frame_ids **ids)
{
	if (*ids == NULL)
		return;
	dictionary_fini(&(*ids)->names);
	free((*ids)->frames);
	free((*ids)->numbers);
	free((*ids)->site_at);
	free(*ids);
	*ids = NULL;
}

/* The same text for frames that are the same, another text for others. Names may have any bytes, so the text has their
 * lengths, too. */
static char *key_of(const struct symbol_frame *frame)
{
	const char *file = frame->file != NULL ? frame->file : "", *module = frame->module != NULL ? frame->module : "";
	if (frame->function != NULL)
		return memory_format("%zu %s %s:%" PRIu32 "-%" PRIu32, strlen(frame->function), frame->function, file,
			frame->line, frame->last_line);
	return memory_format("+%zu %s:%" PRIu32 " %s+%" PRIx64, strlen(file), file, frame->line, module, frame->offset);
}

static uint32_t frame_number_of(struct frame_ids *ids, const struct symbol_frame *frame)
{
	char *key = key_of(frame);
	const struct dictionary_entry *entry = dictionary_find(&ids->names, key);
	uint32_t number = (uint32_t)(entry->number - 1);
	free(key);
	if (entry->is_new) {
		ids->frames = memory_grown(ids->frames, ids->frame_count, &ids->frames_cap, sizeof *ids->frames);
		ids->frames[ids->frame_count++] = frame;
	}
	return number;
}

struct frame_numbers frame_ids_site(struct frame_ids *ids, uint32_t site)
{
	const struct symbol_site *found = symbols_site(ids->symbols, site);
	if (ids->site_at[site] == 0) {
		ids->site_at[site] = ids->number_count + 1;
		for (size_t i = 0; i < found->len; i++) {
			ids->numbers =
				memory_grown(ids->numbers, ids->number_count, &ids->numbers_cap, sizeof *ids->numbers);
			ids->numbers[ids->number_count++] = frame_number_of(ids, &found->frames[i]);
		}
	}
	return (struct frame_numbers){ids->numbers + ids->site_at[site] - 1, found->len};
}

const struct symbol_frame *frame_ids_frame(const struct frame_ids *ids, uint32_t number)
{
	REQUIRES(number < ids->frame_count);
	return ids->frames[number];
}
