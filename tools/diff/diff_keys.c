/* SPDX-License-Identifier: MIT
 * A key is found by a text of all its names and lines. */
#include "diff_keys.h"

#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "memory.h"
#include "source_file.h"

struct diff_keys diff_keys_init(size_t runs)
{
	return (struct diff_keys){.runs = runs};
}

static void traceback_fini(struct diff_traceback *traceback)
{
	free(traceback->frames);
}

static void key_destroy(struct diff_key *key)
{
	traceback_fini(&key->local);
	traceback_fini(&key->remote);
	free(key->detail);
	free(key->names);
	free(key->losses);
	free(key);
}

void diff_keys_fini(struct diff_keys *keys)
{
	for (size_t i = 0; i < keys->len; i++)
		key_destroy(keys->at[i]);
	free(keys->at);
	free(keys->text);
	dictionary_fini(&keys->dictionary);
	dictionary_fini(&keys->words);
	*keys = (struct diff_keys){.runs = 0};
}

/* ---- a key from an entry ---- */

/* Names are kept once for all frames. */
static const char *word_or_null(struct diff_keys *keys, const char *text)
{
	return text != NULL ? dictionary_find(&keys->words, text)->text : NULL;
}

/* NULL: not known. */
static const char *source_of(struct diff_keys *keys, const struct symbol_site *site, const struct symbol_frame *frame)
{
	if (frame->function == NULL || frame->file == NULL)
		return NULL;
	char *path = source_path(frame->file, site->directory);
	const char *word = word_or_null(keys, path);
	free(path);
	return word;
}

static struct diff_frame frame_of(
	struct diff_keys *keys, const struct symbol_site *site, const struct symbol_frame *frame)
{
	const char *path = frame->function != NULL ? frame->file : frame->module;
	return (struct diff_frame){
		.function = word_or_null(keys, frame->function),
		.file = word_or_null(keys, path != NULL ? symbol_basename(path) : NULL),
		.line = frame->function != NULL ? frame->line : 0,
		.last_line = frame->function != NULL ? frame->last_line : 0,
		.path = source_of(keys, site, frame),
	};
}

static struct diff_traceback traceback_of(
	struct diff_keys *keys, const struct recording *recording, struct symbols *symbols, uint32_t number)
{
	struct recording_traceback from = recording_traceback(recording, number);
	struct diff_traceback traceback = {.is_known = from.is_known};
	size_t cap = 0;
	for (size_t i = 0; i < from.len; i++) {
		const struct symbol_site *site = symbols_site(symbols, from.sites[i]);
		for (size_t k = 0; k < site->len; k++) {
			if (symbol_is_startup(&site->frames[k]))
				continue;
			traceback.frames =
				memory_grown(traceback.frames, traceback.len, &cap, sizeof *traceback.frames);
			traceback.frames[traceback.len++] = frame_of(keys, site, &site->frames[k]);
		}
	}
	return traceback;
}

/* ---- texts of keys: made in the keys' buffer ---- */

static void add(struct diff_keys *keys, const char *text)
{
	size_t len = strlen(text);
	while (keys->text_cap - keys->text_len <= len)
		keys->text = memory_grown(keys->text, keys->text_cap, &keys->text_cap, 1);
	memcpy(keys->text + keys->text_len, text, len + 1);
	keys->text_len += len;
}

static void add_number(struct diff_keys *keys, uint64_t number, const char *behind)
{
	char text[24], *at = text + sizeof text - 1;
	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	add(keys, at);
	add(keys, behind);
}

static void add_line(struct diff_keys *keys, const char *text)
{
	add(keys, text != NULL ? text : "");
	add(keys, "\n");
}

/* Each part ends with a newline, so that different names make different texts. */
static void add_names(struct diff_keys *keys, const struct diff_traceback *traceback)
{
	add_line(keys, traceback->is_known ? "known" : "unknown");
	for (size_t i = 0; i < traceback->len; i++) {
		const struct diff_frame *frame = &traceback->frames[i];
		add(keys, frame->function != NULL ? "=" : "?");
		add_line(keys, frame->function);
		add_line(keys, frame->file);
	}
}

static void add_lines(struct diff_keys *keys, const struct diff_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++) {
		add_number(keys, traceback->frames[i].line, "-");
		add_number(keys, traceback->frames[i].last_line, " ");
	}
}

static char *names_of(struct diff_keys *keys, const struct diff_key *key)
{
	if (key->is_evicted)
		return memory_text("evicted");
	keys->text_len = 0;
	/* The numbers of frames come first: keys of equal names have equally many, whatever bytes the names have. */
	add_number(keys, key->local.len, " ");
	add_number(keys, key->remote.len, "\n");
	add_line(keys, cause_reason_name(key->reason));
	add_line(keys, cause_contention_name(key->contention));
	add_line(keys, key->detail);
	add_names(keys, &key->local);
	add_names(keys, &key->remote);
	return memory_text(keys->text);
}

/* Valid until the next text. */
static const char *names_and_lines_of(struct diff_keys *keys, const struct diff_key *key)
{
	keys->text_len = 0;
	add(keys, key->names);
	add_lines(keys, &key->local);
	add_lines(keys, &key->remote);
	return keys->text;
}

/* Takes over `key`. If there is a key of the same names and lines already, returns that one and frees `key`; otherwise
 * adds `key` and returns it. */
static struct diff_key *find(struct diff_keys *keys, struct diff_key *key)
{
	key->names = names_of(keys, key);
	const struct dictionary_entry *entry = dictionary_find(&keys->dictionary, names_and_lines_of(keys, key));
	if (!entry->is_new) {
		key_destroy(key);
		return keys->at[entry->number - 1];
	}
	key->losses = memory_zeroed(keys->runs, sizeof *key->losses);
	keys->at = memory_grown(keys->at, keys->len, &keys->cap, sizeof(struct diff_key *));
	keys->at[keys->len++] = key;
	return key;
}

static struct diff_key *key_of(struct diff_keys *keys, const struct recording *recording, struct symbols *symbols,
	const struct stmlog_entry_record *entry)
{
	struct diff_key *key = memory_zeroed(1, sizeof *key);
	key->reason = entry->reason;
	key->contention = entry->contention;
	key->detail = memory_text(recording_string(recording, entry->detail));
	key->local = traceback_of(keys, recording, symbols, entry->local);
	key->remote = traceback_of(keys, recording, symbols, entry->remote);
	return find(keys, key);
}

/* ---- losses ---- */

void diff_keys_add(struct diff_keys *keys, size_t run, const struct recording *recording, struct symbols *symbols,
	double aborts_per_entry)
{
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct diff_loss *loss = &key_of(keys, recording, symbols, entry)->losses[run];
		loss->lost_ns += entry->estimated_ns;
		if (cause_is_abort(entry->reason))
			loss->aborts += (double)entry->count * aborts_per_entry;
		else
			loss->paused_ns += entry->estimated_ns;
	}
	if (recording->evicted_count == 0)
		return;
	struct diff_key *evicted = memory_zeroed(1, sizeof *evicted);
	evicted->is_evicted = true;
	struct diff_loss *loss = &find(keys, evicted)->losses[run];
	loss->lost_ns = recording->evicted_estimated_ns;
	loss->aborts = (double)recording->evicted_count * aborts_per_entry;
}
