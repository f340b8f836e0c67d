/* SPDX-License-Identifier: MIT
 * A profile of pprof (profile.proto) as a file: its fields, compressed one by one, and its texts; its locations, and
 * their functions and modules. */
#include "export_pprof.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dictionary.h"
#include "memory.h"
#include "module.h"
#include "output.h"
#include "source_file.h"
#include "utf8.h"

/* ---- the message ---- */

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

/* ---- locations ----
 * pprof's source pages: file names are whole paths, so that it finds the sources from any directory. And a location
 * whose line is known has no mapping: for one with a mapping, the page disassembles the file of the mapping instead of
 * using the lines of the profile, which `go tool pprof` can do for Go's programs only; others get an empty page. */

/* The id of a function, which is written at its first use. */
static uint64_t function_of(struct pprof *pprof, const char *name, const char *file, uint32_t first_line)
{
	char *key = memory_format("%s\n%s", name, file); /* neither holds a newline */
	const struct dictionary_entry *entry = dictionary_find(&pprof->functions, key);
	free(key);
	if (!entry->is_new)
		return entry->number;
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *list[1] = {&function};
	function.id = entry->number;
	function.name = function.system_name = pprof_message_text(pprof->message, name);
	function.filename = pprof_message_text(pprof->message, file);
	function.start_line = first_line;
	fields.n_function = 1;
	fields.function = list;
	pprof_message_add(pprof->message, &fields);
	return entry->number;
}

/* "" where it is not known. The caller frees it. */
static char *path_of(const struct symbol_frame *frame)
{
	if (frame->file == NULL)
		return memory_text("");
	return utf8_cleaned(source_path(frame->file, frame->directory));
}

/* A line of pprof is one line. Where the frame's line is one of several, the function's name has them. */
static char *pprof_name_of(const struct symbol_frame *frame)
{
	return frame->last_line != 0 ? loss_frame_place(frame) : loss_frame_name(frame);
}

static void fill_line(struct pprof *pprof, const struct symbol_frame *frame, Pprof__Line *line)
{
	char *name = pprof_name_of(frame), *file = path_of(frame);
	pprof__line__init(line);
	line->function_id = function_of(pprof, name, file, frame->first_line);
	line->line = frame->line;
	free(name);
	free(file);
}

void pprof_add_location(struct pprof *pprof, Pprof__Location *location, const struct symbol_frame *frames, size_t len)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__Line *lines = memory_zeroed(len, sizeof *lines);
	Pprof__Line **list = memory_zeroed(len, sizeof *list);
	for (size_t i = 0; i < len; i++) {
		list[i] = &lines[i];
		fill_line(pprof, &frames[i], &lines[i]);
	}
	location->n_line = len;
	location->line = list;
	fields.n_location = 1;
	fields.location = &location;
	pprof_message_add(pprof->message, &fields);
	free(list);
	free(lines);
}

static void note_module(struct pprof_module *module, const struct symbol_site *site)
{
	module->is_used = true;
	module->has_inlined |= site->len > 1;
	for (size_t i = 0; i < site->len; i++) {
		module->has_functions |= site->frames[i].function != NULL;
		module->has_files |= site->frames[i].file != NULL;
	}
}

static bool has_line(const struct symbol_site *site)
{
	return site->frames[0].file != NULL && site->frames[0].line != 0;
}

/* The address is that of the call: a return address may belong to another line or function. */
static void add_site(struct pprof *pprof, uint32_t number)
{
	const struct stmlog_site_record *record = &pprof->export->recording->sites[number];
	const struct symbol_site *site = symbols_site(pprof->export->symbols, number);
	Pprof__Location location = PPROF__LOCATION__INIT;
	location.id = (uint64_t)number + 1;
	if (record->kind == STMLOG_SITE_ADDRESS && record->module != STMLOG_NO_MODULE) {
		location.mapping_id = has_line(site) ? 0 : (uint64_t)record->module + 1;
		note_module(&pprof->modules[record->module], site);
	}
	if (record->kind == STMLOG_SITE_ADDRESS && record->position > 0)
		location.address = record->position - 1;
	pprof_add_location(pprof, &location, site->frames, site->len);
}

/* With -tagroot=blocked_by pprof makes functions of labels: of equal names it would take the victim's unknown place for
 * the unknown culprit. */
static void add_gap(struct pprof *pprof, enum loss_gap gap)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	location.id = pprof_gap_location(pprof, gap) + 1;
	char *name = memory_text(gap == LOSS_UNKNOWN ? "unknown place" : loss_gap_name(gap));
	struct symbol_frame frame = {.function = name};
	pprof_add_location(pprof, &location, &frame, 1);
	free(name);
}

static void add_places(struct pprof *pprof)
{
	size_t sites = pprof->export->recording->site_count;
	for (uint32_t site = 0; site < sites; site++) {
		if (pprof->is_used[site])
			add_site(pprof, site);
	}
	for (int gap = 0; gap < LOSS_GAPS; gap++) {
		if (pprof->is_used[pprof_gap_location(pprof, (enum loss_gap)gap)])
			add_gap(pprof, (enum loss_gap)gap);
	}
}

/* In a position-independent file the address of code is mostly its offset in the file. */
static void add_mapping(struct pprof *pprof, size_t i)
{
	const struct stmlog_module_record *record = &pprof->export->recording->modules[i];
	const struct pprof_module *module = &pprof->modules[i];
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *list[1] = {&mapping};
	const char *path = recording_string(pprof->export->recording, record->path);
	mapping.id = i + 1;
	mapping.memory_start = record->start;
	mapping.memory_limit = record->end;
	mapping.file_offset = record->bias != 0 ? record->start - record->bias : 0;
	mapping.filename = pprof_message_text_and_free(pprof->message, utf8_clean(path, UTF8_HIDE_CONTROLS));
	mapping.build_id = pprof_message_text(pprof->message, module_build_id(record).text);
	mapping.has_functions = module->has_functions;
	mapping.has_filenames = mapping.has_line_numbers = module->has_files;
	mapping.has_inline_frames = module->has_inlined;
	fields.n_mapping = 1;
	fields.mapping = list;
	pprof_message_add(pprof->message, &fields);
}

/* pprof names the profile after the first mapping: it is written even if no location uses it. */
static bool is_program(const struct recording *recording, size_t module)
{
	return module == 0 &&
	       strcmp(recording_string(recording, recording->modules[0].path), recording->info.program) == 0;
}

void pprof_add_locations(struct pprof *pprof)
{
	const struct recording *recording = pprof->export->recording;
	add_places(pprof);
	for (size_t i = 0; i < recording->module_count; i++) {
		if (pprof->modules[i].is_used || is_program(recording, i))
			add_mapping(pprof, i);
	}
}
