/* SPDX-License-Identifier: MIT
 * Reports make rows of the names of places, and the file does not have those of addresses. So they are looked up here,
 * and each address becomes a site with names (STMLOG_SITE_NAMED). The numbers of sites, tracebacks and threads stay. */
#include "anonymize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "dictionary.h"
#include "memory.h"
#include "symbol.h"

/* The new file. Invariant: copies[0 .. copy_count) are bytes of sections, freed at the end. */
struct anonymizer {
	const struct recording *recording;
	struct symbols *symbols;
	struct aliases aliases;
	struct unique strings; /* as in the section: the reference of a string is where its piece begins */
	struct recording_section sections[STMLOG_SECTION_LABELS];
	void *copies[STMLOG_SECTION_LABELS];
	size_t section_count, copy_count;
	size_t unknown_keys; /* of INFO */
	bool has_arguments;
};

/* ---- strings ---- */

/* The reference of a text, which is freed. */
static uint32_t put_string(struct anonymizer *made, char *text)
{
	size_t number = unique_find(&made->strings, text, strlen(text) + 1);
	free(text);
	return (uint32_t)made->strings.at[number];
}

/* NULL is the empty string. */
static uint32_t string_for(struct anonymizer *made, enum alias_kind kind, const char *text)
{
	return put_string(made, aliases_text(&made->aliases, kind, text != NULL ? text : ""));
}

static void replace(struct anonymizer *made, enum alias_kind kind, uint32_t *string)
{
	*string = string_for(made, kind, recording_string(made->recording, *string));
}

/* ---- sections ---- */

/* Only if the recording has one, too. */
static void add_section(struct anonymizer *made, enum stmlog_section type, size_t size, const void *bytes, size_t len)
{
	if (file_section(made->recording->file, type) != NULL)
		made->sections[made->section_count++] = (struct recording_section){type, (uint32_t)size, bytes, len};
}

/* Returns the copy, which may be changed. */
static void *add_copy(struct anonymizer *made, enum stmlog_section type, size_t size, const void *records, size_t count)
{
	void *copy = memory_zeroed(count, size);
	if (count != 0)
		memcpy(copy, records, count * size);
	add_section(made, type, size, copy, count * size);
	return made->copies[made->copy_count++] = copy;
}

#define ADD_COPY(type, array, count) \
	add_copy(made, STMLOG_SECTION_##type, sizeof *recording->array, recording->array, recording->count)
#define ADD_SAME(type, array, count)                                                         \
	add_section(made, STMLOG_SECTION_##type, sizeof *recording->array, recording->array, \
		(recording->count) * sizeof *recording->array)

/* ---- INFO ---- */

static const struct info_key {
	const char *name;
	enum alias_kind kind;
} info_keys[] = {
#define STMLOG_INFO_NUMBER(key, absent, merge, doc) {#key, ALIAS_FIGURE},
#include <stmlog/info.def>
	{"version", ALIAS_FIGURE}, {"runtime", ALIAS_RUNTIMES}, {"clock", ALIAS_WORD}, {"program", ALIAS_PROGRAM},
	{"arg", ALIAS_ARGUMENT}, {"option", ALIAS_OPTION}, {"value", ALIAS_VALUE}, {"method", ALIAS_WORD}};

/* NULL: the key is not known. */
static const struct info_key *key_of(const char *line)
{
	size_t len = strcspn(line, "=");
	for (size_t i = 0; i < sizeof info_keys / sizeof info_keys[0]; i++)
		if (strlen(info_keys[i].name) == len && memcmp(info_keys[i].name, line, len) == 0)
			return &info_keys[i];
	return NULL;
}

/* The program's name is the last part of its path, as in the records of processes; the first argument is it again. */
static void put_line(struct anonymizer *made, FILE *info, const char *line)
{
	const struct info_key *key = key_of(line);
	if (key == NULL) {
		made->unknown_keys++;
		return;
	}
	const char *value = line + strlen(key->name) + 1;
	bool is_argument = key->kind == ALIAS_ARGUMENT;
	bool is_program = key->kind == ALIAS_PROGRAM || (is_argument && !made->has_arguments);
	made->has_arguments |= is_argument;
	char *alias = is_program ? aliases_text(&made->aliases, ALIAS_PROGRAM, symbol_basename(value))
				 : aliases_text(&made->aliases, key->kind, value);
	fprintf(info, "%s=%s%c", key->name, alias, '\0');
	free(alias);
}

static void add_info(struct anonymizer *made)
{
	const struct file_section *section = file_section(made->recording->file, STMLOG_SECTION_INFO);
	const char *lines = (const char *)section->bytes;
	char *text = NULL;
	size_t len;
	FILE *info = open_memstream(&text, &len);
	if (info == NULL)
		memory_end();
	for (size_t at = 0; at < section->length; at += strlen(lines + at) + 1)
		put_line(made, info, lines + at);
	if (fclose(info) != 0)
		memory_end();
	made->copies[made->copy_count++] = text;
	add_section(made, STMLOG_SECTION_INFO, 0, text, len);
}

/* ---- modules, sites, tracebacks ---- */

static void add_modules(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	struct stmlog_module_record *modules = ADD_COPY(MODULES, modules, module_count);
	for (size_t i = 0; i < recording->module_count; i++) {
		const char *path = recording_string(recording, modules[i].path);
		bool is_program = strcmp(path, recording->info.program) == 0;
		modules[i].path = is_program ? string_for(made, ALIAS_PROGRAM, symbol_basename(path))
					     : string_for(made, ALIAS_MODULE, path);
		modules[i].build_id_len = 0;
		memset(modules[i].build_id, 0, sizeof modules[i].build_id);
	}
}

/* The site of a frame at this address. */
static struct stmlog_site_record named_site(
	struct anonymizer *made, const struct stmlog_site_record *address, const struct symbol_frame *frame)
{
	return (struct stmlog_site_record){.kind = STMLOG_SITE_NAMED,
		.module = address->module,
		.position = address->position,
		.function = string_for(made, ALIAS_FUNCTION, frame->function),
		.file = string_for(made, ALIAS_FILE, frame->file),
		.line = frame->line,
		.last_line = frame->last_line};
}

/* How many sites an address becomes: itself, the functions into which it was inlined, and the call that makes
 * transactions irrevocable there. */
static size_t sites_for(struct anonymizer *made, uint32_t i)
{
	if (made->recording->sites[i].kind != STMLOG_SITE_ADDRESS)
		return 1;
	return symbols_site(made->symbols, i)->len + (symbols_unsafe_call(made->symbols, i) != NULL);
}

/* Site i stays site i. The others become sites from `next` on. Returns where the next ones begin. */
static size_t name_address(struct anonymizer *made, struct stmlog_site_record *sites, uint32_t i, size_t next)
{
	const struct stmlog_site_record *address = &made->recording->sites[i];
	const struct symbol_site *found = symbols_site(made->symbols, i);
	const struct symbol_frame *call = symbols_unsafe_call(made->symbols, i);
	sites[i] = named_site(made, address, found->frames);
	for (size_t k = 1, inner = i; k < found->len; k++, inner = next++) {
		sites[inner].code = 1 + next;
		sites[next] = named_site(made, address, &found->frames[k]);
	}
	if (call != NULL) {
		sites[i].code |= (1 + next) << 32;
		sites[next++] = named_site(made, address, call);
	}
	return next;
}

static void add_sites(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	size_t next = recording->site_count, count = 0;
	for (uint32_t i = 0; i < recording->site_count; i++)
		count += sites_for(made, i);
	struct stmlog_site_record *sites = memory_zeroed(count, sizeof *sites);
	for (uint32_t i = 0; i < recording->site_count; i++) {
		sites[i] = recording->sites[i];
		if (sites[i].kind == STMLOG_SITE_ADDRESS) {
			next = name_address(made, sites, i, next);
		} else {
			replace(made, ALIAS_FUNCTION, &sites[i].function);
			replace(made, ALIAS_FILE, &sites[i].file);
		}
	}
	made->copies[made->copy_count++] = sites;
	add_section(made, STMLOG_SECTION_SITES, sizeof *sites, sites, count * sizeof *sites);
}

/* Without the innermost frames that reports leave out, since they know GHC's libraries by their names. A begin that is
 * no frame of its own stands behind the access, as the agent has recorded it, and is marked: without the machine code
 * nothing else tells. */
static void add_tracebacks(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	size_t len = 0;
	for (size_t i = 0; i < recording->traceback_count; i++)
		len += 3 + recording->traceback_words[recording->traceback_at[i]];
	uint32_t *words = memory_zeroed(len, sizeof *words), *to = words;
	for (size_t i = 0; i < recording->traceback_count; i++) {
		const uint32_t *from = recording->traceback_words + recording->traceback_at[i];
		uint32_t inner = recording->traceback_inner[i], count = from[0] - inner;
		uint32_t begin = recording->traceback_begin[i];
		*to++ = count + (begin != 0);
		*to++ = from[1] | (begin != 0 ? STMLOG_TRACEBACK_BEGIN : 0);
		for (uint32_t k = 0; k < count; k++) {
			*to++ = from[2 + inner + k];
			if (begin != 0 && k == 0)
				*to++ = begin - 1;
		}
	}
	made->copies[made->copy_count++] = words;
	add_section(made, STMLOG_SECTION_TRACEBACKS, 0, words, (size_t)(to - words) * sizeof *words);
}

/* ---- entries ---- */

/* "object_1.object_2 at 0x404080": what the program's code calls it. NULL: nothing is known. */
static char *access_text(struct anonymizer *made, uint64_t address)
{
	struct symbol_access access = symbols_access(made->symbols, address);
	const char *quote = access.member != NULL ? "" : "`",
		   *name = access.member != NULL ? access.member : access.line;
	if (name == NULL)
		return NULL;
	char *alias = aliases_text(&made->aliases, ALIAS_OBJECT, name);
	char *text = memory_format("%s%s%s at 0x%" PRIx64, quote, alias, quote, address);
	free(alias);
	return text;
}

/* Reports add up the objects of one name: so the file gets the names that they would look up. In a block the block's
 * counts. */
static uint32_t object_name(struct anonymizer *made, uint32_t recorded, uint64_t address)
{
	const char *name = recording_string(made->recording, recorded);
	if (name[0] != '\0' || address == 0)
		return string_for(made, ALIAS_OBJECT, name);
	char *variable = symbols_object(made->symbols, address);
	uint32_t string = string_for(made, ALIAS_OBJECT, variable);
	free(variable);
	bool is_in_block = recording_block(made->recording, address) != NULL;
	char *access = string == 0 && !is_in_block ? access_text(made, address) : NULL;
	return access != NULL ? put_string(made, access) : string;
}

static void add_entries(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	struct stmlog_entry_record *entries = ADD_COPY(ENTRIES, entries, entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct stmlog_entry_record *entry = &entries[i];
		replace(made, ALIAS_WORD, &entry->detail);
		for (size_t k = 0; k < RECORDING_OBJECTS; k++)
			entry->object_names[k] = object_name(made, entry->object_names[k], entry->objects[k].address);
	}
}

/* ---- others ---- */

static void add_threads(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	struct stmlog_thread_record *threads = ADD_COPY(THREADS, threads, thread_count);
	for (size_t i = 0; i < recording->thread_count; i++) {
		replace(made, ALIAS_THREAD, &threads[i].name);
		replace(made, ALIAS_RUNTIMES, &threads[i].runtime);
	}
}

static void add_places(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	struct stmlog_place_record *places = ADD_COPY(PLACES, places, place_count);
	for (size_t i = 0; i < recording->place_count; i++)
		replace(made, ALIAS_WORD, &places[i].word);
}

/* Replaces a text within a record. */
static void replace_text(struct anonymizer *made, enum alias_kind kind, char *text, size_t size)
{
	char *alias = aliases_text(&made->aliases, kind, text);
	memset(text, 0, size);
	snprintf(text, size, "%s", alias);
	free(alias);
}

static void add_texts(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	struct stmlog_green_record *green = ADD_COPY(GREEN, green, green_count);
	struct stmlog_own_work_record *own_work = ADD_COPY(OWN_WORK, own_work, own_work_count);
	struct stmlog_process_record *processes = ADD_COPY(PROCESSES, processes, process_count);
	struct stmlog_label_record *labels = ADD_COPY(LABELS, labels, label_count);
	for (size_t i = 0; i < recording->green_count; i++)
		replace_text(made, ALIAS_LABEL, green[i].label, sizeof green[i].label);
	for (size_t i = 0; i < recording->own_work_count; i++)
		replace_text(made, ALIAS_WORD, own_work[i].word, sizeof own_work[i].word);
	for (size_t i = 0; i < recording->process_count; i++)
		replace(made, ALIAS_PROGRAM, &processes[i].program);
	for (size_t i = 0; i < recording->label_count; i++)
		replace_text(made, ALIAS_OBJECT, labels[i].text, sizeof labels[i].text);
}

/* ---- the whole ---- */

/* In the order of their types. The strings are known last. */
static void add_sections(struct anonymizer *made)
{
	const struct recording *recording = made->recording;
	unique_find(&made->strings, "", 1);
	add_info(made);
	size_t strings = made->section_count++;
	add_modules(made);
	add_sites(made);
	add_tracebacks(made);
	ADD_SAME(TOTALS, totals, total_count + 1); /* the last one is of what was evicted */
	add_threads(made);
	add_entries(made);
	ADD_SAME(BLOCKS, blocks, block_count);
	add_places(made);
	ADD_SAME(EVENTS, events, event_count);
	ADD_SAME(PATHS, paths, path_count);
	ADD_SAME(TRANSACTIONS, transactions, transaction_count);
	ADD_SAME(BLOCKED, blocked, blocked_count);
	ADD_SAME(OPEN, open, open_count);
	add_texts(made);
	made->sections[strings] =
		(struct recording_section){STMLOG_SECTION_STRINGS, 0, made->strings.bytes, made->strings.len};
}

static size_t unknown_sections(const struct file *file)
{
	size_t count = 0;
	for (uint32_t i = 0; i < file->section_count; i++)
		count += strcmp(file_section_name(file->sections[i].type), "unknown") == 0;
	return count;
}

static void anonymizer_fini(struct anonymizer *made)
{
	for (size_t i = 0; i < made->copy_count; i++)
		free(made->copies[i]);
	unique_fini(&made->strings);
	aliases_fini(&made->aliases);
	symbols_destroy(&made->symbols);
}

bool anonymize(struct recording *recording, const char *in, const char *out)
{
	if (recording->event_count > UINT32_MAX / sizeof *recording->events) {
		diag(in, "has a timeline of more than 4 GB; record a shorter one");
		return false;
	}
	struct anonymizer made = {.recording = recording, .symbols = symbols_create(recording)};
	add_sections(&made);
	size_t unknown = unknown_sections(recording->file);
	bool is_saved = recording_save(out, made.sections, made.section_count);
	if (is_saved && unknown + made.unknown_keys != 0)
		diag(in,
			"has unknown parts (sections: %zu, keys of INFO: %zu); they are left out, as they may hold "
			"names",
			unknown, made.unknown_keys);
	anonymizer_fini(&made);
	return is_saved;
}
