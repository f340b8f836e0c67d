/* SPDX-License-Identifier: MIT
 * Names sites from the recording alone, and finds places by the names of sites and tracebacks, in hash tables. The
 * first site or traceback that was looked up under a name stands for all others of the same name. */
#include "symbol.h"

#include <inttypes.h>
#include <string.h>

#include "report_memory.h"

/* A hash table with open addressing: sites or tracebacks by their names. At least half of the slots are free. */
struct name_index {
	uint32_t *slots; /* the number + 1; 0: free. NULL until the first lookup */
	size_t mask;
};

/* Invariant: site_place[i] == 0 <=> site i was not looked up yet; traceback_first[i] == 0 likewise. */
struct places {
	const struct recording *recording;
	struct symbols *symbols;
	struct name_index site_names;
	struct name_index traceback_names;
	uint32_t *site_place;
	uint32_t *traceback_first;
};

/* ---- names from the recording alone ---- */

static char *copy_string(const struct recording *recording, uint32_t string)
{
	const char *text = recording_string(recording, string);
	return text[0] != '\0' ? memory_text(text) : NULL;
}

static struct symbol_frame address_frame(const struct recording *recording, const struct stmlog_site_record *site)
{
	if (site->module == STMLOG_NO_MODULE)
		return (struct symbol_frame){.offset = site->position};
	const struct stmlog_module_record *module = &recording->modules[site->module];
	return (struct symbol_frame){
		.module = recording_string(recording, module->path), .offset = site->position - module->bias};
}

struct symbol_frame symbol_recorded(const struct recording *recording, const struct stmlog_site_record *site)
{
	bool is_named = site->kind == STMLOG_SITE_NAMED;
	struct symbol_frame frame = {.offset = site->position};
	if (is_named || site->kind == STMLOG_SITE_ADDRESS)
		frame = address_frame(recording, site);
	if (site->kind == STMLOG_SITE_ADDRESS)
		return frame;
	frame.function = copy_string(recording, site->function);
	frame.file = copy_string(recording, site->file);
	frame.line = site->line;
	frame.last_line = site->last_line;
	if (frame.function == NULL && !is_named)
		frame.function = memory_format("code 0x%" PRIx64 " position 0x%" PRIx64, site->code, site->position);
	return frame;
}

bool symbol_same_names(const char *left, const char *right)
{
	return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

char *symbol_position(const char *file, uint32_t line, uint32_t last_line)
{
	if (line == 0)
		return memory_text(file);
	if (last_line == 0)
		return memory_format("%s:%" PRIu32, file, line);
	return memory_format("%s:%" PRIu32 "-%" PRIu32, file, line, last_line);
}

const char *symbol_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

bool symbol_is_in(const struct symbol_frame *frame, const char *const libraries[])
{
	const char *name = frame->module != NULL ? symbol_basename(frame->module) : "";
	while (*libraries != NULL && strncmp(name, *libraries, strlen(*libraries)) != 0)
		libraries++;
	return *libraries != NULL;
}

bool symbol_is_startup(const struct symbol_frame *frame)
{
	static const char *const libraries[] = {"libc.so", "libc-", "libpthread", "ld-linux", "libstdc++.so", NULL};
	bool is_start = frame->function != NULL && frame->module != NULL && strcmp(frame->function, "_start") == 0;
	return is_start || symbol_is_in(frame, libraries);
}

/* ---- places ---- */

struct places *places_create(const struct recording *recording, struct symbols *symbols)
{
	struct places *places = memory_zeroed(1, sizeof *places);
	places->recording = recording;
	places->symbols = symbols;
	places->site_place = memory_zeroed(recording->site_count, sizeof *places->site_place);
	places->traceback_first = memory_zeroed(recording->traceback_count, sizeof *places->traceback_first);
	return places;
}

void places_destroy(struct places **places)
{
	if (*places == NULL)
		return;
	memory_free((*places)->site_names.slots);
	memory_free((*places)->traceback_names.slots);
	memory_free((*places)->site_place);
	memory_free((*places)->traceback_first);
	memory_free(*places);
	*places = NULL;
}

/* ---- names of places compared ---- */

/* Frames are the same if their function, file and line are. If the function is unknown, module and offset must be the
 * same, too. */
bool place_same_frames(const struct symbol_frame *left, const struct symbol_frame *right)
{
	bool is_same = symbol_same_names(left->function, right->function) &&
		       symbol_same_names(left->file, right->file) && left->line == right->line &&
		       left->last_line == right->last_line;
	if (left->function != NULL || !is_same)
		return is_same;
	return symbol_same_names(left->module, right->module) && left->offset == right->offset;
}

static const struct symbol_site *places_site_of(const struct places *places, uint32_t site)
{
	return symbols_site(places->symbols, site);
}

static bool same_innermost(const struct places *places, uint32_t left, uint32_t right)
{
	return place_same_frames(places_site_of(places, left)->frames, places_site_of(places, right)->frames);
}

static bool same_sites(const struct places *places, uint32_t left_site, uint32_t right_site)
{
	const struct symbol_site *left = places_site_of(places, left_site), *right = places_site_of(places, right_site);
	bool is_same = left->len == right->len;
	for (size_t i = 0; i < left->len && is_same; i++)
		is_same = place_same_frames(&left->frames[i], &right->frames[i]);
	return is_same;
}

static bool same_tracebacks(const struct places *places, uint32_t left_number, uint32_t right_number)
{
	struct recording_traceback left = recording_traceback(places->recording, left_number);
	struct recording_traceback right = recording_traceback(places->recording, right_number);
	bool is_same = left.len == right.len && left.is_cut == right.is_cut;
	for (size_t i = 0; i < left.len && is_same; i++)
		is_same = same_sites(places, left.sites[i], right.sites[i]);
	return is_same;
}

/* ---- names of places hashed ---- */

static uint64_t name_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t text_hash(const char *text)
{
	uint64_t hash = 0;
	for (; text != NULL && *text != '\0'; text++)
		hash = name_mix(hash, (unsigned char)*text);
	return hash;
}

/* Equal hashes for frames that are the same by place_same_frames(). */
static uint64_t frame_hash(const struct symbol_frame *frame)
{
	uint64_t hash = name_mix(name_mix(text_hash(frame->function), text_hash(frame->file)), frame->line);
	return frame->function != NULL ? hash : name_mix(hash, frame->offset);
}

static uint64_t innermost_hash(const struct places *places, uint32_t site)
{
	return frame_hash(places_site_of(places, site)->frames);
}

static uint64_t traceback_hash(const struct places *places, uint32_t number)
{
	struct recording_traceback traceback = recording_traceback(places->recording, number);
	uint64_t hash = traceback.is_cut;
	for (size_t i = 0; i < traceback.len; i++)
		hash = name_mix(hash, innermost_hash(places, traceback.sites[i]));
	return hash;
}

static void name_index_init(struct name_index *index, size_t max)
{
	size_t slots = 4;
	while (slots / 2 < max)
		slots *= 2;
	index->slots = memory_zeroed(slots, sizeof *index->slots);
	index->mask = slots - 1;
}

typedef bool same_name(const struct places *places, uint32_t left, uint32_t right);

/* Returns the number that was first looked up under the same name as `number`. `number` itself was not looked up
 * yet. */
static uint32_t first_of_name(
	const struct places *places, struct name_index *index, uint64_t hash, uint32_t number, same_name *is_same)
{
	size_t at = hash & index->mask;
	for (; index->slots[at] != 0; at = (at + 1) & index->mask)
		if (is_same(places, index->slots[at] - 1, number))
			return index->slots[at] - 1;
	index->slots[at] = number + 1;
	return number;
}

/* ---- places looked up ---- */

uint32_t places_site(struct places *places, uint32_t site)
{
	uint32_t *place = &places->site_place[site];
	if (places->site_names.slots == NULL)
		name_index_init(&places->site_names, places->recording->site_count);
	if (*place == 0)
		*place = PLACE_FIRST +
			 first_of_name(places, &places->site_names, innermost_hash(places, site), site, same_innermost);
	return *place;
}

uint32_t places_innermost(struct places *places, uint32_t traceback)
{
	struct recording_traceback view = recording_traceback(places->recording, traceback);
	if (view.len == 0)
		return view.is_known ? PLACE_NO_FRAMES : PLACE_UNKNOWN;
	return places_site(places, view.sites[0]);
}

static void places_note_begin(struct places *places, bool *begins, uint32_t site)
{
	if (site < places->recording->site_count)
		begins[places_site(places, site)] = true;
}

bool *places_begins(struct places *places)
{
	const struct recording *recording = places->recording;
	bool *begins = memory_zeroed(recording->site_count + PLACE_FIRST, sizeof *begins);
	for (size_t i = 0; i < recording->entry_count; i++)
		places_note_begin(places, begins, recording->entries[i].site);
	for (size_t i = 0; i < recording->transaction_count; i++)
		places_note_begin(places, begins, recording->transactions[i].site);
	for (size_t i = 0; i < recording->blocked_count; i++)
		places_note_begin(places, begins, recording->blocked[i].site);
	return begins;
}

/* An access on the line where its transaction begins is one place with it. */
struct place_begin places_begin_of(struct places *places, const bool *begins, uint32_t traceback)
{
	struct recording_traceback view = recording_traceback(places->recording, traceback);
	for (size_t i = 0; i < view.len; i++) {
		if (begins[places_site(places, view.sites[i])])
			return (struct place_begin){view.sites[i], i + 1, true, i > 0};
		if (view.begin != STMLOG_NO_SITE && begins[places_site(places, view.begin)])
			return (struct place_begin){view.begin, 1, true, true};
	}
	return (struct place_begin){view.len > 0 ? view.sites[0] : STMLOG_NO_SITE, 1, false, false};
}

const struct symbol_frame *places_frame(const struct places *places, uint32_t place)
{
	return place >= PLACE_FIRST ? places_site_of(places, place - PLACE_FIRST)->frames : NULL;
}

const char *place_fixed_name(uint32_t place)
{
	static const char *const names[PLACE_FIRST] = {"unknown", "(no frames)"};
	return place < PLACE_FIRST ? names[place] : NULL;
}

uint32_t places_traceback(struct places *places, uint32_t traceback)
{
	if (traceback < 2)
		return traceback;
	uint32_t *first = &places->traceback_first[traceback - 2];
	if (places->traceback_names.slots == NULL)
		name_index_init(&places->traceback_names, places->recording->traceback_count);
	if (*first == 0)
		*first = first_of_name(places, &places->traceback_names, traceback_hash(places, traceback), traceback,
			same_tracebacks);
	return *first;
}
