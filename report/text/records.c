/* SPDX-License-Identifier: MIT
 * Looks up records of a recording by number, address or name. */
#include "records.h"

#include <string.h>

#include "sort.h"

struct recording_traceback recording_traceback(const struct recording *recording, uint32_t traceback)
{
	struct recording_traceback view = {.is_known = traceback != 0};
	if (traceback < 2)
		return view;
	const uint32_t *words = recording->traceback_words + recording->traceback_at[traceback - 2];
	size_t inner = recording->traceback_inner != NULL ? recording->traceback_inner[traceback - 2] : 0;
	size_t len = words[0] - inner;
	view.len = len < recording->deepest ? len : recording->deepest;
	view.left_out = len - view.len;
	view.is_cut = (words[1] & STMLOG_TRACEBACK_CUT) != 0 || view.left_out != 0;
	view.sites = words + 2 + inner;
	return view;
}

static uint64_t thread_at(const void *threads, size_t index)
{
	return ((const struct stmlog_thread_record *)threads)[index].id;
}

const struct stmlog_thread_record *recording_thread(const struct recording *recording, uint32_t id)
{
	size_t up_to = bisect(recording->threads, recording->thread_count, id, thread_at);
	const struct stmlog_thread_record *thread = up_to > 0 ? &recording->threads[up_to - 1] : NULL;
	return thread != NULL && thread->id == id ? thread : NULL;
}

static uint64_t block_at(const void *blocks, size_t index)
{
	return ((const struct stmlog_block_record *)blocks)[index].address;
}

const struct stmlog_block_record *recording_block(const struct recording *recording, uint64_t address)
{
	size_t up_to = bisect(recording->blocks, recording->block_count, address, block_at);
	const struct stmlog_block_record *block = up_to > 0 ? &recording->blocks[up_to - 1] : NULL;
	return block != NULL && address - block->address < block->size ? block : NULL;
}

static uint64_t label_at(const void *labels, size_t index)
{
	return ((const struct stmlog_label_record *)labels)[index].address;
}

const struct stmlog_label_record *recording_label(const struct recording *recording, uint64_t address)
{
	size_t up_to = bisect(recording->labels, recording->label_count, address, label_at);
	const struct stmlog_label_record *label = up_to > 0 ? &recording->labels[up_to - 1] : NULL;
	return label != NULL && address - label->address < label->size ? label : NULL;
}

struct recording_sum recording_total(const struct recording *recording)
{
	struct recording_sum sum = {.count = 0};
	for (size_t i = 0; i < recording->total_count; i++) {
		sum.count += recording->totals[i].count;
		sum.lost_ns += recording->totals[i].lost_ns;
		sum.estimated_ns += recording->totals[i].estimated_ns;
	}
	double error_ns = (double)recording->info.lost_error_ns;
	sum.variance_ns2 = error_ns * error_ns;
	return sum;
}

bool recording_hides_losses(const struct recording *recording)
{
	return strcmp(recording->info.method, "htm") == 0;
}

bool recording_has_exact_totals(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	bool has_all_measured = !recording_is_sampled(recording) && recording_has_times(recording);
	return (has_all_measured || info->counters_known != 0) && info->aborts_estimated == 0 &&
	       info->attaches_refused == 0 && info->threads_uncounted == 0 && !recording_hides_losses(recording);
}

static size_t frames_of_block(const struct recording *recording, uint64_t address)
{
	const struct stmlog_block_record *block = recording_block(recording, address);
	return block != NULL ? recording_traceback(recording, block->traceback).len : 0;
}

static size_t frames_of_entry(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	size_t frames = recording_traceback(recording, entry->local).len;
	frames += recording_traceback(recording, entry->remote).len;
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		frames += frames_of_block(recording, entry->objects[i].address);
		frames += frames_of_block(recording, entry->object_others[i]);
	}
	return frames;
}

void recording_limit_depth(struct recording *recording)
{
	size_t frames = 0;
	recording->deepest = SIZE_MAX;
	for (size_t i = 0; i < recording->entry_count; i++) {
		frames += frames_of_entry(recording, &recording->entries[i]);
	}
	if (frames <= RECORDING_MAX_FRAMES)
		return;
	size_t tracebacks = recording->block_count != 0 ? 2 + 2 * RECORDING_OBJECTS : 2;
	size_t share = RECORDING_MAX_FRAMES / (tracebacks * recording->entry_count);
	recording->deepest = share > RECORDING_MIN_DEPTH ? share : RECORDING_MIN_DEPTH;
}

struct module_id module_build_id(const struct stmlog_module_record *record)
{
	struct module_id id = {""};
	_Static_assert(sizeof id.text == 2 * sizeof record->build_id + 1, "two digits for each byte");
	for (size_t i = 0; i < record->build_id_len; i++) {
		id.text[2 * i] = "0123456789abcdef"[record->build_id[i] >> 4];
		id.text[2 * i + 1] = "0123456789abcdef"[record->build_id[i] & 15];
	}
	return id;
}
