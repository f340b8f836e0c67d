/* SPDX-License-Identifier: MIT
 * Chooses the frames of a traceback that a report shows, and makes the names of frames, places, allocations and
 * objects. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/read.h>

#include "report.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

/* How many frames of an allocation are shown unless the report is full; bytes of a cache line. */
enum { ALLOCATION_GLANCE = 3, CACHE_LINE = 64 };

/* ---- frames of tracebacks ---- */

struct report_frames report_frames_of(const struct report *report, const struct recording_traceback *traceback)
{
	struct report_frames frames = {NULL, 0};
	size_t max = 0;
	for (size_t i = 0; i < traceback->len; i++)
		max += symbols_site(report->symbols, traceback->sites[i])->len;
	frames.at = memory_zeroed(max, sizeof *frames.at);
	for (size_t i = 0; i < traceback->len; i++) {
		const struct symbol_site *site = symbols_site(report->symbols, traceback->sites[i]);
		for (size_t k = 0; k < site->len; k++)
			frames.at[frames.len++] = &site->frames[k];
	}
	return frames;
}

/* Whether the code belongs to GHC's run-time system: its names begin with "stg_" and end with "_info". */
static bool is_haskell_runtime(const struct symbol_frame *frame)
{
	static const char begin[] = "stg_", end[] = "_info";
	size_t len = frame->function != NULL ? strlen(frame->function) : 0;
	return frame->file == NULL && len >= sizeof begin + sizeof end &&
	       memcmp(frame->function, begin, sizeof begin - 1) == 0 &&
	       strcmp(frame->function + len + 1 - sizeof end, end) == 0;
}

static bool is_of_haskell_source(const struct symbol_frame *frame)
{
	size_t len = frame->file != NULL ? strlen(frame->file) : 0;
	return len > 3 && strcmp(frame->file + len - 3, ".hs") == 0;
}

/* GHC gives no symbols to local functions of libraries. */
static bool is_nameless(const struct symbol_frame *frame)
{
	return frame->function == NULL && frame->file == NULL;
}

void report_frames_without_runtime(struct report_frames *frames)
{
	size_t len = 0;
	bool is_haskell = false;
	for (size_t i = 0; i < frames->len; i++)
		is_haskell |= is_of_haskell_source(frames->at[i]);
	for (size_t i = 0; i < frames->len; i++) {
		if (!is_haskell_runtime(frames->at[i]) && !(is_haskell && is_nameless(frames->at[i])))
			frames->at[len++] = frames->at[i];
	}
	if (len > 0)
		frames->len = len;
}

size_t report_frames_without_startup(const struct report_frames *frames)
{
	size_t len = frames->len;
	while (len > 0 && symbol_is_startup(frames->at[len - 1]))
		len--;
	return len > 0 ? len : frames->len;
}

/* ---- names of frames and places ---- */

const char *report_function_of(const struct symbol_frame *frame, char buffer[REPORT_FUNCTION])
{
	if (frame->function != NULL)
		return frame->function;
	if (frame->module != NULL && frame->module[0] != '\0')
		snprintf(buffer, REPORT_FUNCTION, "%s+0x%" PRIx64, symbol_basename(frame->module), frame->offset);
	else
		snprintf(buffer, REPORT_FUNCTION, "0x%" PRIx64, frame->offset);
	return buffer;
}

char *report_line_of(const struct report *report, const struct symbol_frame *frame)
{
	if (frame->file == NULL)
		return NULL;
	const char *file = report->options.is_full ? frame->file : symbol_basename(frame->file);
	return symbol_position(file, frame->line, frame->last_line);
}

char *report_name_of(const struct report *report, const struct symbol_frame *frame)
{
	char buffer[REPORT_FUNCTION];
	const char *name = report_function_of(frame, buffer);
	bool is_whole = report->options.is_full || short_names_is_shared(report->names, frame);
	return is_whole ? memory_text(name) : short_name(name);
}

char *report_spot_of(const struct report *report, const struct symbol_frame *frame)
{
	char *name = report_name_of(report, frame), *line = report_line_of(report, frame);
	char *text = line != NULL ? memory_format("%s %s", line, name) : memory_text(name);
	memory_free(name);
	memory_free(line);
	return text;
}

char *report_frame(const struct report *report, const struct symbol_frame *frame)
{
	char buffer[REPORT_FUNCTION];
	const char *name = report_function_of(frame, buffer);
	char *line = report_line_of(report, frame);
	char *text = line != NULL ? memory_format("%s %s", name, line) : memory_text(name);
	memory_free(line);
	return text;
}

char *report_spot(const struct report *report, const struct places *places, uint32_t place)
{
	const struct symbol_frame *frame = places_frame(places, place);
	return utf8_cleaned(frame != NULL ? report_spot_of(report, frame) : memory_text(place_fixed_name(place)));
}

char *report_innermost(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	struct report_frames frames = report_frames_of(report, &traceback);
	report_frames_without_runtime(&frames);
	char *spot = frames.len > 0 ? utf8_cleaned(report_spot_of(report, frames.at[0])) : NULL;
	memory_free(frames.at);
	return spot;
}

const struct symbol_frame *report_unsafe_call(const struct report *report, const struct stmlog_entry_record *entry)
{
	struct recording_traceback remote = recording_traceback(report->recording, entry->remote);
	if (entry->contention != STMLOG_INEVITABLE || remote.len == 0)
		return NULL;
	return symbols_unsafe_call(report->symbols, remote.sites[0]);
}

/* ---- names of allocations ---- */

/* Whether the frame belongs to a library that allocates for the program. Templates of the C++ library are compiled into
 * the modules that use them, so they are recognized by their source file. */
static bool is_allocator(const struct symbol_frame *frame)
{
	static const char *const libraries[] = {"libitm.so", "libstdc++.so", "libc.so", NULL};
	bool is_template = frame->file != NULL && strstr(frame->file, "/include/c++/") != NULL;
	return is_template || symbol_is_in(frame, libraries);
}

/* Appends the frame to the text, which it frees. */
static char *with_frame(const struct report *report, char *text, const struct symbol_frame *frame)
{
	char *name = report_frame(report, frame);
	char *longer = text != NULL ? memory_format("%s < %s", text, name) : memory_text(name);
	memory_free(text);
	memory_free(name);
	return longer;
}

/* The place of an allocation: "make_node list.c:33 < build list.c:50". Frames of libraries that allocate for the
 * program are left out. NULL: not known. */
static char *allocation_of(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	struct report_frames frames = report_frames_of(report, &traceback);
	size_t end = report_frames_without_startup(&frames), first = 0;
	char *text = NULL;
	while (first < end && is_allocator(frames.at[first]))
		first++;
	if (first == end)
		first = 0;
	size_t max = report->options.is_full ? end : first + ALLOCATION_GLANCE;
	for (size_t i = first; i < end && i < max; i++)
		text = with_frame(report, text, frames.at[i]);
	memory_free(frames.at);
	return text;
}

/* ---- names of objects ---- */

static char *address_block_name(const struct report *report, const struct stmlog_block_record *block, uint64_t address)
{
	char *allocation = allocation_of(report, block->traceback);
	char *name = memory_format("%sblock of %" PRIu64 " bytes +%" PRIu64 "%s%s",
		(block->flags & STMLOG_BLOCK_FREED) != 0 ? "freed " : "", block->size, address - block->address,
		allocation != NULL ? ", allocated at " : "", allocation != NULL ? allocation : "");
	memory_free(allocation);
	return name;
}

const char *report_stripe_word(const struct report *report)
{
	return report->recording->info.stripe_bytes != 0 ? "stripe" : "cache line";
}

/* An address without a name is shown with the stripe or cache line that it lies in: accesses to other addresses there
 * can conflict with it. */
static char *bare_name(const struct report *report, uint64_t address)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	uint64_t unit = stripe != 0 ? stripe : CACHE_LINE;
	return memory_format(
		"0x%" PRIx64 " (%s 0x%" PRIx64 ")", address, report_stripe_word(report), address - address % unit);
}

/* "Book::next_id", or "`book->next_id++`": how the program accesses the address. NULL: not known. */
static char *access_name(const struct report *report, uint64_t address)
{
	struct symbol_access access = symbols_access(report->symbols, address);
	if (access.member != NULL)
		return memory_text(access.member);
	return access.line != NULL ? memory_format("`%s`", access.line) : NULL;
}

/* The name of an address that is not a variable's. */
static char *memory_name(const struct report *report, uint64_t address)
{
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	char *access = access_name(report, address);
	char *name = block != NULL ? address_block_name(report, block, address) : bare_name(report, address);
	if (access == NULL)
		return name;
	char *both = memory_format("%s%s%s", access, block != NULL ? ", " : " at ", name);
	memory_free(access);
	memory_free(name);
	return both;
}

/* The name that the runtime gave to the object in this entry; NULL: none. Borrowed from the recording. */
static const char *runtime_name(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		const char *name = recording_string(report->recording, entry->object_names[i]);
		if (entry->objects[i].address == address && name[0] != '\0')
			return name;
	}
	return NULL;
}

static char *runtime_object_text(const struct report *report, const char *name)
{
	return report->options.is_full ? memory_text(name) : short_object_name(name);
}

/* Where an object was created that the runtime names: "file:line function". NULL: not known. */
static char *creation(const struct report *report, uint64_t address)
{
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	return block != NULL ? report_innermost(report, block->traceback) : NULL;
}

/* Appends where the object was created to the name, which it frees. */
static char *with_creation(const struct report *report, char *name, uint64_t address)
{
	char *place = creation(report, address);
	if (place == NULL)
		return name;
	char *both = memory_format("%s, created at %s", name, place);
	memory_free(place);
	memory_free(name);
	return both;
}

/* The name of a symbol or of a block. */
static char *address_name(const struct report *report, uint64_t address)
{
	char *symbol = symbols_object(report->symbols, address);
	return symbol != NULL ? symbol : memory_name(report, address);
}

char *report_object_of(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	const char *name = runtime_name(report, entry, address);
	return name != NULL ? with_creation(report, runtime_object_text(report, name), address)
			    : address_name(report, address);
}

/* An entry has the runtime's names only for the objects of the transaction that lost, not for those of the other
 * transaction. But in false conflicts mostly each side loses at times, and then an entry of the other side has the
 * name. Only the costliest entries are searched, to save time. */
enum { ENTRIES_SEARCHED = 1024 };

char *report_other_of(const struct report *report, uint64_t address)
{
	const struct recording *recording = report->recording;
	const struct stmlog_label_record *label = recording_label(recording, address);
	if (label != NULL)
		return memory_text(label->text);
	for (size_t i = 0; i < recording->entry_count && i < ENTRIES_SEARCHED; i++) {
		const char *name = runtime_name(report, &recording->entries[i], address);
		if (name != NULL)
			return with_creation(report, runtime_object_text(report, name), address);
	}
	return address_name(report, address);
}

/* All blocks that were allocated at one place have one name: the place says more than the address of one block. */
static char *blocks_name(const struct report *report, const struct stmlog_block_record *block)
{
	char *allocation = allocation_of(report, block->traceback);
	char *name = allocation != NULL ? memory_format("blocks allocated at %s", allocation)
					: memory_format("blocks of %" PRIu64 " bytes", block->size);
	memory_free(allocation);
	return name;
}

char *report_object_group(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	const char *name = runtime_name(report, entry, address);
	char *symbol = name == NULL ? symbols_object(report->symbols, address) : NULL;
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	if (name != NULL || symbol != NULL)
		return name != NULL ? with_creation(report, memory_text(name), address) : symbol;
	return block != NULL ? blocks_name(report, block) : memory_name(report, address);
}
