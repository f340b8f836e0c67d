/* SPDX-License-Identifier: MIT
 * Losses for pprof, like Go's profiles of contention, so that the options for those apply. The stack of a sample is the
 * victim's. The culprit is a label: if its stack were put behind the victim's, as folded stacks do, the sample's
 * innermost function would be the culprit's outermost one.
 *
 * A location is a site of the recording; its id is the site's number plus 1. Behind the sites come the gaps of loss.h,
 * which stand for missing frames. Samples are written first, then the locations that they use, then the modules that
 * these locations are from.
 *
 * pprof's source pages: file names are whole paths, so that it finds the sources from any directory. And a location
 * whose line is known has no mapping: for one with a mapping, the page disassembles the file of the mapping instead of
 * using the lines of the profile, which `go tool pprof` can do for Go's programs only; others get an empty page. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "dictionary.h"
#include "export.h"
#include "gzip.h"
#include "loss.h"
#include "memory.h"
#include "module.h"
#include "profile.pb-c.h"
#include "source_file.h"
#include "utf8.h"

/* ---- the message: a sequence of fields, written compressed one by one, so that memory for one field is enough ---- */

struct message {
	struct dictionary texts;
	struct gzip gzip;
};

/* Writes the fields that are set, which have at most `max` bytes. */
static void message_add_max(struct message *message, const Pprof__Profile *fields, size_t max)
{
	gzip_add(&message->gzip, pprof__profile__pack(fields, gzip_room(&message->gzip, max)));
}

/* The same; counts the bytes first. */
static void message_add(struct message *message, const Pprof__Profile *fields)
{
	message_add_max(message, fields, pprof__profile__get_packed_size(fields));
}

static void add_text(struct message *message, const char *text)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	char *list[1] = {(char *)(uintptr_t)text}; /* packing changes nothing */
	fields.n_string_table = 1;
	fields.string_table = list;
	message_add(message, &fields);
}

/* Ends the command without memory. */
static struct message *message_create(FILE *out)
{
	struct message *message = memory_zeroed(1, sizeof *message);
	gzip_begin(&message->gzip, out);
	add_text(message, "");
	return message;
}

/* Writes the rest of the file, and destroys the message. */
static void message_end(struct message **message)
{
	gzip_end(&(*message)->gzip);
	dictionary_fini(&(*message)->texts);
	free(*message);
	*message = NULL;
}

/* The number of a text. A new text is written. */
static int64_t message_text(struct message *message, const char *text)
{
	if (text[0] == '\0')
		return 0;
	const struct dictionary_entry *entry = dictionary_find(&message->texts, text);
	if (entry->is_new)
		add_text(message, text);
	return (int64_t)entry->number;
}

/* ---- texts ---- */

enum { LABELS = 4, FIXED = 24 };

struct fixed_text {
	const char *text;
	int64_t number;
};

/* What is known of those locations that samples use and that are from a module. */
struct pprof_module {
	bool is_used, has_functions, has_files, has_inlined;
};

struct pprof {
	const struct export *export;
	struct message *message;
	struct dictionary functions; /* of "name\nfile" */
	bool *is_used;               /* by location */
	int64_t *culprits;           /* by site, the text of its label; 0: not made yet */
	struct pprof_module *modules;
	uint64_t *stack; /* of the present sample */
	size_t cap;
	int64_t reason, contention, runtime, blocked_by; /* keys of labels */
	int64_t runtime_name;
	struct fixed_text fixed[FIXED]; /* constant texts that have a number; the rest is zeroed */
};

static int64_t text_of(struct pprof *pprof, const char *text)
{
	return message_text(pprof->message, text);
}

/* The same for a constant text, found by its address. There are few. */
static int64_t fixed_text(struct pprof *pprof, const char *text)
{
	size_t i = 0;
	while (i < FIXED - 1 && pprof->fixed[i].text != NULL && pprof->fixed[i].text != text)
		i++;
	if (pprof->fixed[i].text != text)
		pprof->fixed[i] = (struct fixed_text){text, text_of(pprof, text)};
	return pprof->fixed[i].number;
}

/* The same; frees the text. */
static int64_t text_and_free(struct pprof *pprof, char *text)
{
	int64_t number = text_of(pprof, text);
	free(text);
	return number;
}

/* ---- the head ---- */

static void add_type(struct pprof *pprof, const char *type, const char *unit)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT, *list[1] = {&value};
	value.type = text_of(pprof, type);
	value.unit = text_of(pprof, unit);
	fields.n_sample_type = 1;
	fields.sample_type = list;
	message_add(pprof->message, &fields);
}

/* Frees the text. */
static void add_comment(struct pprof *pprof, char *text)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	int64_t comment = text_and_free(pprof, text);
	fields.n_comment = 1;
	fields.comment = &comment;
	message_add(pprof->message, &fields);
}

static void add_comments(struct pprof *pprof)
{
	const struct recording *recording = pprof->export->recording;
	char *version = utf8_clean(recording->info.version, UTF8_HIDE_CONTROLS);
	add_comment(pprof, memory_format("recorded by stmlog %s", version));
	free(version);
	if (recording->info.method[0] != '\0') {
		char *method = utf8_clean(recording->info.method, UTF8_HIDE_CONTROLS);
		add_comment(pprof, memory_format("transactions were run by method %s", method));
		free(method);
	}
	if (recording->info.processors != 0)
		add_comment(pprof,
			memory_format("the process might use %" PRIu64 " processors", recording->info.processors));
	if (!recording_is_sampled(recording))
		add_comment(pprof, memory_text("delays are measured"));
	else
		add_comment(pprof,
			memory_text("delays are estimates of what all transactions lost, each rounded so that they add "
				    "up to the rounded total; contentions are those that were measured closely, 1 of "
				    "several"));
	if (recording->info.waits_estimated != 0)
		add_comment(
			pprof, memory_text("pauses and waits are estimates, from how long the STM's calls have taken"));
}

static int64_t clamped(uint64_t number)
{
	return number <= INT64_MAX ? (int64_t)number : INT64_MAX;
}

static void add_head(struct pprof *pprof)
{
	const struct recording_info *info = &pprof->export->recording->info;
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	add_type(pprof, "contentions", "count");
	add_type(pprof, "delay", "nanoseconds");
	period.type = text_of(pprof, "contentions");
	period.unit = text_of(pprof, "count");
	fields.period_type = &period;
	fields.period = 1;
	fields.default_sample_type = text_of(pprof, "delay");
	fields.time_nanos = clamped(info->unix_ns);
	fields.duration_nanos = clamped(info->wall_ns);
	message_add(pprof->message, &fields);
	add_comments(pprof);
	pprof->reason = text_of(pprof, "reason");
	pprof->contention = text_of(pprof, "contention");
	pprof->runtime = text_of(pprof, "runtime");
	pprof->blocked_by = text_of(pprof, "blocked_by");
	pprof->runtime_name = text_and_free(pprof, utf8_clean(info->runtime, UTF8_HIDE_CONTROLS));
}

/* ---- samples ---- */

static uint64_t location_of(struct pprof *pprof, size_t location)
{
	pprof->is_used[location] = true;
	return location + 1;
}

static size_t location_of_gap(const struct pprof *pprof, enum loss_gap gap)
{
	return pprof->export->recording->site_count + (size_t)gap;
}

/* Returns the number of locations. */
static size_t set_stack(struct pprof *pprof, const struct loss_stack *stack)
{
	if (stack->len >= pprof->cap) {
		free(pprof->stack);
		pprof->cap = 2 * (stack->len + 1);
		pprof->stack = memory_zeroed(pprof->cap, sizeof *pprof->stack);
	}
	for (size_t i = 0; i < stack->len; i++)
		pprof->stack[i] = location_of(pprof, stack->sites[i]);
	if (stack->gap == LOSS_WHOLE)
		return stack->len;
	pprof->stack[stack->len] = location_of(pprof, location_of_gap(pprof, stack->gap));
	return stack->len + 1;
}

static int64_t culprit_at(struct pprof *pprof, uint32_t site)
{
	int64_t *culprit = &pprof->culprits[site];
	if (*culprit != 0)
		return *culprit;
	char *name = loss_site_name(pprof->export->recording, pprof->export->symbols, site);
	*culprit = text_and_free(pprof, name != NULL ? name : memory_text("unknown"));
	return *culprit;
}

static int64_t culprit_of(struct pprof *pprof, const struct loss_stack *culprit)
{
	if (culprit->len > 0)
		return culprit_at(pprof, culprit->sites[0]);
	if (culprit->gap == LOSS_NO_FRAMES)
		return fixed_text(pprof, loss_gap_name(culprit->gap));
	return fixed_text(pprof, culprit->gap == LOSS_NOBODY ? "nobody" : "unknown");
}

struct labels {
	Pprof__Label label[LABELS], *list[LABELS];
	size_t len;
};

static void add_label(struct labels *labels, int64_t key, int64_t text)
{
	if (text == 0)
		return;
	Pprof__Label *label = &labels->label[labels->len];
	pprof__label__init(label);
	label->key = key;
	label->str = text;
	labels->list[labels->len++] = label;
}

/* Evicted entries have no cause. */
static void add_labels(struct pprof *pprof, const struct loss *loss, struct labels *labels)
{
	labels->len = 0;
	if (loss->entry != NULL) {
		add_label(labels, pprof->reason, fixed_text(pprof, cause_reason_name(loss->entry->reason)));
		add_label(labels, pprof->contention, fixed_text(pprof, cause_contention_name(loss->entry->contention)));
	}
	add_label(labels, pprof->runtime, pprof->runtime_name);
	add_label(labels, pprof->blocked_by, culprit_of(pprof, &loss->culprit));
}

/* An upper limit: the numbers of the two arrays and of the labels, with the tags and lengths before them. */
static size_t max_bytes(const Pprof__Sample *sample)
{
	enum { TAG = 1, NUMBER = 10 };
	return (TAG + NUMBER) * (3 + 3 * sample->n_label) + NUMBER * (sample->n_location_id + sample->n_value);
}

static void add_sample(struct pprof *pprof, const struct loss *loss)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *list[1] = {&sample};
	struct labels labels;
	int64_t values[2] = {(int64_t)loss->count, (int64_t)loss->lost_ns};
	add_labels(pprof, loss, &labels);
	sample.n_location_id = set_stack(pprof, &loss->victim);
	sample.location_id = pprof->stack;
	sample.n_value = 2;
	sample.value = values;
	sample.n_label = labels.len;
	sample.label = labels.list;
	fields.n_sample = 1;
	fields.sample = list;
	message_add_max(pprof->message, &fields, max_bytes(&sample));
}

/* ---- locations ---- */

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
	function.name = function.system_name = text_of(pprof, name);
	function.filename = text_of(pprof, file);
	function.start_line = first_line;
	fields.n_function = 1;
	fields.function = list;
	message_add(pprof->message, &fields);
	return entry->number;
}

/* "" where it is not known. The caller frees it. */
static char *path_of(const struct symbol_site *site, const struct symbol_frame *frame)
{
	if (frame->file == NULL)
		return memory_text("");
	return utf8_cleaned(source_path(frame->file, site->directory));
}

static void fill_line(
	struct pprof *pprof, const struct symbol_site *site, const struct symbol_frame *frame, Pprof__Line *line)
{
	char *name = loss_frame_name(frame), *file = path_of(site, frame);
	pprof__line__init(line);
	line->function_id = function_of(pprof, name, file, frame->first_line);
	line->line = frame->line;
	free(name);
	free(file);
}

static void add_location(struct pprof *pprof, Pprof__Location *location, const struct symbol_site *site)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__Line *lines = memory_zeroed(site->len, sizeof *lines);
	Pprof__Line **list = memory_zeroed(site->len, sizeof *list);
	for (size_t i = 0; i < site->len; i++) {
		list[i] = &lines[i];
		fill_line(pprof, site, &site->frames[i], &lines[i]);
	}
	location->n_line = site->len;
	location->line = list;
	fields.n_location = 1;
	fields.location = &location;
	message_add(pprof->message, &fields);
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
	add_location(pprof, &location, site);
}

/* With -tagroot=blocked_by pprof makes functions of labels: of equal names it would take the victim's unknown place for
 * the unknown culprit. */
static void add_gap(struct pprof *pprof, enum loss_gap gap)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	location.id = location_of_gap(pprof, gap) + 1;
	char *name = memory_text(gap == LOSS_UNKNOWN ? "unknown place" : loss_gap_name(gap));
	struct symbol_frame frame = {.function = name};
	add_location(pprof, &location, &(struct symbol_site){.frames = &frame, .len = 1});
	free(name);
}

static void add_locations(struct pprof *pprof)
{
	size_t sites = pprof->export->recording->site_count;
	for (uint32_t site = 0; site < sites; site++) {
		if (pprof->is_used[site])
			add_site(pprof, site);
	}
	for (int gap = 0; gap < LOSS_GAPS; gap++) {
		if (pprof->is_used[location_of_gap(pprof, (enum loss_gap)gap)])
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
	mapping.filename = text_and_free(pprof, utf8_clean(path, UTF8_HIDE_CONTROLS));
	mapping.build_id = text_of(pprof, module_build_id(record).text);
	mapping.has_functions = module->has_functions;
	mapping.has_filenames = mapping.has_line_numbers = module->has_files;
	mapping.has_inline_frames = module->has_inlined;
	fields.n_mapping = 1;
	fields.mapping = list;
	message_add(pprof->message, &fields);
}

/* pprof names the profile after the first mapping: it is written even if no location uses it. */
static bool is_program(const struct recording *recording, size_t module)
{
	return module == 0 &&
	       strcmp(recording_string(recording, recording->modules[0].path), recording->info.program) == 0;
}

/* ---- the file ---- */

static void write_all(struct pprof *pprof)
{
	const struct recording *recording = pprof->export->recording;
	struct losses losses = losses_of(recording);
	struct loss loss;
	add_head(pprof);
	while (losses_next(&losses, &loss))
		add_sample(pprof, &loss);
	add_locations(pprof);
	for (size_t i = 0; i < recording->module_count; i++) {
		if (pprof->modules[i].is_used || is_program(recording, i))
			add_mapping(pprof, i);
	}
}

void export_pprof(const struct export *export)
{
	const struct recording *recording = export->recording;
	struct pprof pprof = {
		.export = export,
		.message = message_create(export->out),
		.is_used = memory_zeroed(recording->site_count + LOSS_GAPS, sizeof *pprof.is_used),
		.culprits = memory_zeroed(recording->site_count, sizeof *pprof.culprits),
		.modules = memory_zeroed(recording->module_count, sizeof *pprof.modules),
	};
	write_all(&pprof);
	message_end(&pprof.message);
	dictionary_fini(&pprof.functions);
	free(pprof.is_used);
	free(pprof.culprits);
	free(pprof.modules);
	free(pprof.stack);
}
