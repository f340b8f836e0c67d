/* SPDX-License-Identifier: MIT
 * A key is found by a text of all its names and lines. */
#include "diff_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "memory.h"

struct diff_keys diff_keys_init(size_t runs)
{
	return (struct diff_keys){.runs = runs};
}

static void traceback_fini(struct diff_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++) {
		free(traceback->frames[i].function);
		free(traceback->frames[i].file);
	}
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
	dictionary_fini(&keys->dictionary);
	*keys = (struct diff_keys){.runs = 0};
}

/* ---- a key from an entry ---- */

static char *copy_or_null(const char *text)
{
	return text != NULL ? memory_text(text) : NULL;
}

static struct diff_frame frame_of(const struct symbol_frame *frame)
{
	const char *path = frame->function != NULL ? frame->file : frame->module;
	return (struct diff_frame){
		.function = copy_or_null(frame->function),
		.file = copy_or_null(path != NULL ? symbol_basename(path) : NULL),
		.line = frame->function != NULL ? frame->line : 0,
	};
}

static struct diff_traceback traceback_of(const struct recording *recording, struct symbols *symbols, uint32_t number)
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
			traceback.frames[traceback.len++] = frame_of(&site->frames[k]);
		}
	}
	return traceback;
}

/* Each part ends with a newline, so that different names make different texts. */
static void write_names(FILE *out, const struct diff_traceback *traceback)
{
	fputs(traceback->is_known ? "known\n" : "unknown\n", out);
	for (size_t i = 0; i < traceback->len; i++) {
		const struct diff_frame *frame = &traceback->frames[i];
		fprintf(out, "%s%s\n%s\n", frame->function != NULL ? "=" : "?",
			frame->function != NULL ? frame->function : "", frame->file != NULL ? frame->file : "");
	}
}

static void write_lines(FILE *out, const struct diff_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++)
		fprintf(out, " %" PRIu32, traceback->frames[i].line);
}

static FILE *text_begin(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);
	if (out == NULL)
		memory_end();
	return out;
}

static char *text_end(FILE *out, char **text)
{
	if (fclose(out) != 0)
		memory_end();
	return *text;
}

static char *names_of(const struct diff_key *key)
{
	char *text;
	size_t size;
	if (key->is_evicted)
		return memory_text("evicted");
	FILE *out = text_begin(&text, &size);
	/* The numbers of frames come first: keys of equal names have equally many, whatever bytes the names have. */
	fprintf(out, "%zu %zu\n%s\n%s\n%s\n", key->local.len, key->remote.len, cause_reason_name(key->reason),
		cause_contention_name(key->contention), key->detail);
	write_names(out, &key->local);
	write_names(out, &key->remote);
	return text_end(out, &text);
}

static char *names_and_lines_of(const struct diff_key *key)
{
	char *text;
	size_t size;
	FILE *out = text_begin(&text, &size);
	fputs(key->names, out);
	write_lines(out, &key->local);
	write_lines(out, &key->remote);
	return text_end(out, &text);
}

/* Takes over `key`. If there is a key of the same names and lines already, returns that one and frees `key`; otherwise
 * adds `key` and returns it. */
static struct diff_key *find(struct diff_keys *keys, struct diff_key *key)
{
	key->names = names_of(key);
	char *text = names_and_lines_of(key);
	const struct dictionary_entry *entry = dictionary_find(&keys->dictionary, text);
	free(text);
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
	key->local = traceback_of(recording, symbols, entry->local);
	key->remote = traceback_of(recording, symbols, entry->remote);
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
