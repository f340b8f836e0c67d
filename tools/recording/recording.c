/* SPDX-License-Identifier: MIT
 * Makes verified records of sections: all references are checked here, once. A reference to a record that does not
 * exist makes the whole file unusable, since the rest cannot be trusted either. */
#include "recording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "memory.h"

/* ---- records ---- */

static void set_fault(struct recording *recording, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_fault(struct recording *recording, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(recording->fault, sizeof recording->fault, format, arguments);
	va_end(arguments);
}

/* Returns false; analyzers, which do not look into functions of variable arguments, see that it does. */
#define fail(recording, ...) (set_fault(recording, __VA_ARGS__), false)

/* A section of records, and where the recording has the array and its length. */
struct record_kind {
	enum stmlog_section type;
	size_t size;      /* of a record, as this stmlog knows it */
	size_t shortest;  /* where records of an earlier version may end */
	size_t at, count; /* offsets in struct recording */
	/* Returns false, with `fault` set, if the record refers to what is not there, or is none. NULL: all are right.
	 */
	bool (*check)(struct recording *recording, size_t number);
};

/* Moves each record to where it stands in an array of records that are as long as this stmlog knows them. */
static void cut_records(struct file_section *section, size_t count, size_t size)
{
	size_t stride = section->record_size;
	for (size_t i = 1; i < count && stride > size; i++)
		memmove(section->bytes + i * size, section->bytes + i * stride, size);
}

/* Adds zeros to each record. Returns false without memory. */
static bool lengthen_records(struct file_section *section, size_t count, size_t size)
{
	size_t stride = section->record_size;
	uint8_t *longer = calloc(count, size);
	if (longer == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		memcpy(longer + i * size, section->bytes + i * stride, stride);
	free(section->bytes);
	section->bytes = longer;
	return true;
}

/* Takes the records of a section. Those of a later stmlog may be longer, and those of an earlier one shorter. An absent
 * section has no records. */
static bool read_records(struct recording *recording, const struct record_kind *kind)
{
	struct file_section *section = file_section(recording->file, kind->type);
	if (section == NULL)
		return true;
	size_t stride = section->record_size;
	if (stride < kind->shortest || section->length % stride != 0)
		return fail(recording, "section '%s' has %" PRIu64 " bytes in records of %zu; record it again",
			file_section_name(kind->type), section->length, stride);
	size_t count = section->length / stride;
	cut_records(section, count, kind->size);
	if (stride < kind->size && count > 0 && !lengthen_records(section, count, kind->size))
		return fail(recording, "needs more memory than there is");
	memcpy((char *)recording + kind->at, &section->bytes, sizeof section->bytes);
	memcpy((char *)recording + kind->count, &count, sizeof count);
	return true;
}

static bool check_records(struct recording *recording, const struct record_kind *kind)
{
	size_t count;
	memcpy(&count, (char *)recording + kind->count, sizeof count);
	for (size_t i = 0; i < count && kind->check != NULL; i++)
		if (!kind->check(recording, i))
			return false;
	return true;
}

/* Ends each string after RECORDING_LONGEST_NAME bytes, before a character rather than within it. What follows becomes a
 * string of its own, since a reference may lead into the middle of a string. Returns how many were cut. */
static size_t cut_names(char *at, const char *end)
{
	size_t count = 0;
	for (size_t len; at < end; at += len + 1) {
		len = strlen(at);
		if (len <= RECORDING_LONGEST_NAME)
			continue;
		len = RECORDING_LONGEST_NAME;
		for (int back = 0; back < 3 && (at[len - 3] & 0xc0) == 0x80; back++)
			len--;
		memcpy(at + len - 3, "...", 4);
		count++;
	}
	return count;
}

static bool read_strings(struct recording *recording)
{
	struct file_section *section = file_section(recording->file, STMLOG_SECTION_STRINGS);
	if (section == NULL)
		return true;
	if (section->length == 0 || section->bytes[0] != '\0' || section->bytes[section->length - 1] != '\0')
		return fail(recording, "section 'strings' does not begin and end with an empty byte; record it again");
	recording->strings = (const char *)section->bytes;
	recording->strings_len = section->length;
	recording->names_cut = cut_names((char *)section->bytes, (const char *)section->bytes + section->length);
	return true;
}

/* Offset 0 is the empty string, even in a file without strings. */
static bool is_string(const struct recording *recording, uint32_t string)
{
	return string == 0 || string < recording->strings_len;
}

static bool fail_reference(struct recording *recording, const char *kind, size_t ordinal, const char *what)
{
	return fail(recording, "%s %zu refers to a %s that is not there; record it again", kind, ordinal, what);
}

static bool is_site(const struct recording *recording, uint32_t site)
{
	return site == STMLOG_NO_SITE || site < recording->site_count;
}

static bool is_traceback(const struct recording *recording, uint32_t traceback)
{
	return traceback < 2 || traceback - 2 < recording->traceback_count;
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* The number of words of the traceback at `at`, with its two leading words; 0: it does not end within the section. */
static size_t traceback_words(const uint32_t *words, size_t len, size_t at)
{
	if (len - at < 2 || words[at] > len - at - 2)
		return 0;
	return 2 + (size_t)words[at];
}

static bool check_traceback(struct recording *recording, const uint32_t *sites, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (sites[i] >= recording->site_count)
			return fail_reference(recording, "traceback", recording->traceback_count, "site");
	}
	return true;
}

static bool read_tracebacks(struct recording *recording)
{
	struct file_section *section = file_section(recording->file, STMLOG_SECTION_TRACEBACKS);
	if (section == NULL || section->length == 0)
		return true;
	const uint32_t *words = (const void *)section->bytes;
	size_t len = section->length / sizeof *words;
	recording->traceback_words = words;
	recording->traceback_at = malloc((len / 2 + 1) * sizeof *recording->traceback_at);
	if (recording->traceback_at == NULL)
		return fail(recording, "needs more memory than there is");
	for (size_t at = 0; at < len; recording->traceback_count++) {
		size_t taken = traceback_words(words, len, at);
		if (taken == 0 || section->length % sizeof *words != 0)
			return fail(recording, "section 'tracebacks' ends within one; record it again");
		if (!check_traceback(recording, words + at + 2, taken - 2))
			return false;
		recording->traceback_at[recording->traceback_count] = at;
		at += taken;
	}
	recording->traceback_begin = calloc(recording->traceback_count + 1, sizeof *recording->traceback_begin);
	recording->traceback_inner = calloc(recording->traceback_count + 1, sizeof *recording->traceback_inner);
	return (recording->traceback_begin != NULL && recording->traceback_inner != NULL) ||
	       fail(recording, "needs more memory than there is");
}

/* ---- records of each kind ---- */

static bool check_module(struct recording *recording, size_t i)
{
	const struct stmlog_module_record *module = &recording->modules[i];
	if (!is_string(recording, module->path))
		return fail_reference(recording, "module", i, "string");
	return module->build_id_len <= sizeof module->build_id ||
	       fail(recording, "module %zu has a build-id that is too long; record it again", i);
}

static bool check_site(struct recording *recording, size_t i)
{
	const struct stmlog_site_record *site = &recording->sites[i];
	if (site->module != STMLOG_NO_MODULE && site->module >= recording->module_count)
		return fail_reference(recording, "site", i, "module");
	size_t count = recording->site_count;
	if (site->kind == STMLOG_SITE_NAMED && ((uint32_t)site->code > count || site->code >> 32 > count))
		return fail_reference(recording, "site", i, "site");
	return (is_string(recording, site->function) && is_string(recording, site->file)) ||
	       fail_reference(recording, "site", i, "string");
}

static bool check_thread(struct recording *recording, size_t i)
{
	const struct stmlog_thread_record *thread = &recording->threads[i];
	return (is_string(recording, thread->name) && is_string(recording, thread->runtime)) ||
	       fail_reference(recording, "thread", i, "string");
}

static bool check_entry(struct recording *recording, size_t i)
{
	const struct stmlog_entry_record *entry = &recording->entries[i];
	bool has_names = is_string(recording, entry->detail);
	for (size_t k = 0; k < sizeof entry->object_names / sizeof entry->object_names[0]; k++)
		has_names = has_names && is_string(recording, entry->object_names[k]);
	if (!is_traceback(recording, entry->local) || !is_traceback(recording, entry->remote))
		return fail_reference(recording, "entry", i, "traceback");
	if (!is_site(recording, entry->site))
		return fail_reference(recording, "entry", i, "site");
	return has_names || fail_reference(recording, "entry", i, "string");
}

static bool check_block(struct recording *recording, size_t i)
{
	const struct stmlog_block_record *blocks = recording->blocks;
	if (!is_traceback(recording, blocks[i].traceback))
		return fail_reference(recording, "block", i, "traceback");
	return i == 0 || blocks[i].address > blocks[i - 1].address ||
	       fail(recording, "block %zu is out of order; record it again", i);
}

static bool check_place(struct recording *recording, size_t i)
{
	const struct stmlog_place_record *place = &recording->places[i];
	if (!is_traceback(recording, place->traceback))
		return fail_reference(recording, "place", i, "traceback");
	return is_string(recording, place->word) || fail_reference(recording, "place", i, "string");
}

static bool check_path(struct recording *recording, size_t i)
{
	return is_traceback(recording, recording->paths[i].traceback) ||
	       fail_reference(recording, "path", i, "traceback");
}

static bool check_transaction(struct recording *recording, size_t i)
{
	return is_site(recording, recording->transactions[i].site) ||
	       fail_reference(recording, "transaction", i, "site");
}

static bool check_blocked(struct recording *recording, size_t i)
{
	const struct stmlog_blocked_record *blocked = &recording->blocked[i];
	bool has_sites = is_site(recording, blocked->site);
	for (size_t k = 0; k < STMLOG_WAKERS; k++)
		has_sites = has_sites && (blocked->wakers[k].count == 0 || is_site(recording, blocked->wakers[k].site));
	return has_sites || fail_reference(recording, "time blocked", i, "site");
}

static bool check_open(struct recording *recording, size_t i)
{
	const struct stmlog_open_record *open = &recording->open[i];
	return (is_site(recording, open->site) && is_site(recording, open->other_site)) ||
	       fail_reference(recording, "open transaction", i, "site");
}

static bool check_green(struct recording *recording, size_t i)
{
	return is_text(recording->green[i].label, sizeof recording->green[i].label) ||
	       fail(recording, "the label of a green thread has no end");
}

static bool check_own_work(struct recording *recording, size_t i)
{
	return is_text(recording->own_work[i].word, sizeof recording->own_work[i].word) ||
	       fail(recording, "a word for the runtime's own work has no end");
}

static bool check_process(struct recording *recording, size_t i)
{
	return is_string(recording, recording->processes[i].program) ||
	       fail_reference(recording, "process", i, "string");
}

static bool check_label(struct recording *recording, size_t i)
{
	const struct stmlog_label_record *labels = recording->labels;
	if (!is_text(labels[i].text, sizeof labels[i].text))
		return fail(recording, "the text of a label has no end");
	return i == 0 || labels[i].address >= labels[i - 1].address ||
	       fail(recording, "label %zu is out of order; record it again", i);
}

#define SIZE_OF(array) sizeof *((struct recording *)NULL)->array
#define KIND_FROM(type, array, count, check, shortest)                                              \
	{                                                                                           \
		STMLOG_SECTION_##type, SIZE_OF(array), shortest, offsetof(struct recording, array), \
			offsetof(struct recording, count), check                                    \
	}
#define KIND(type, array, count, check) KIND_FROM(type, array, count, check, SIZE_OF(array))

static const struct record_kind kinds[] = {
	KIND(MODULES, modules, module_count, check_module),
	KIND(SITES, sites, site_count, check_site),
	KIND(TOTALS, totals, total_count, NULL),
	KIND(THREADS, threads, thread_count, check_thread),
	KIND(ENTRIES, entries, entry_count, check_entry),
	KIND(BLOCKS, blocks, block_count, check_block),
	KIND(PLACES, places, place_count, check_place),
	KIND(EVENTS, events, event_count, NULL),
	KIND(PATHS, paths, path_count, check_path),
	KIND_FROM(TRANSACTIONS, transactions, transaction_count, check_transaction,
		offsetof(struct stmlog_transaction_record, reads)),
	KIND_FROM(BLOCKED, blocked, blocked_count, check_blocked, offsetof(struct stmlog_blocked_record, wakes_known)),
	KIND(OPEN, open, open_count, check_open),
	KIND(GREEN, green, green_count, check_green),
	KIND(OWN_WORK, own_work, own_work_count, check_own_work),
	KIND(PROCESSES, processes, process_count, check_process),
	KIND(LABELS, labels, label_count, check_label),
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool for_all_kinds(
	struct recording *recording, bool (*act)(struct recording *recording, const struct record_kind *kind))
{
	for (size_t i = 0; i < KINDS; i++)
		if (!act(recording, &kinds[i]))
			return false;
	return true;
}

/* The last record of the totals is the sum of the evicted losses, and no cause. */
static bool set_evicted(struct recording *recording)
{
	if (recording->total_count == 0)
		return fail(recording, "section 'totals' does not end with what was evicted; record it again");
	const struct stmlog_total_record *evicted = &recording->totals[--recording->total_count];
	if (evicted->reason != UINT32_MAX || evicted->contention != UINT32_MAX)
		return fail(recording, "section 'totals' does not end with what was evicted; record it again");
	recording->evicted_count = evicted->count;
	recording->evicted_lost_ns = evicted->lost_ns;
	recording->evicted_estimated_ns = evicted->estimated_ns;
	recording->evicted_variance_ns2 = evicted->variance_ns2;
	return true;
}

static bool read_info(struct recording *recording)
{
	const struct file_section *section = file_section(recording->file, STMLOG_SECTION_INFO);
	const char *fault = recording_info_parse(&recording->info, (const char *)section->bytes, section->length);
	return fault == NULL || fail(recording, "section 'info': %s; record it again", fault);
}

/* Whether the sections are there that every report needs. */
static bool has_enough(struct recording *recording)
{
	static const enum stmlog_section needed[] = {
		STMLOG_SECTION_INFO, STMLOG_SECTION_TOTALS, STMLOG_SECTION_THREADS};
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
		if (file_section(recording->file, needed[i]) != NULL)
			continue;
		if (recording->file->is_complete)
			return fail(recording, "has no section '%s'; record it again", file_section_name(needed[i]));
		return fail(recording, "%s", recording->file->fault);
	}
	return true;
}

enum recording_status recording_load_untold(struct recording *recording, const char *path)
{
	memset(recording, 0, sizeof *recording);
	recording->file = memory_zeroed(1, sizeof *recording->file);
	if (!file_read(recording->file, path)) {
		set_fault(recording, "%s", recording->file->fault);
		return RECORDING_UNUSABLE;
	}
	if (!has_enough(recording) || !read_info(recording) || !for_all_kinds(recording, read_records) ||
		!read_strings(recording) || !read_tracebacks(recording) || !set_evicted(recording) ||
		!for_all_kinds(recording, check_records))
		return RECORDING_UNUSABLE;
	recording->has_timeline = file_section(recording->file, STMLOG_SECTION_EVENTS) != NULL;
	recording_limit_depth(recording);
	recording_set_rows(recording);
	if (recording->file->is_complete)
		return RECORDING_WHOLE;
	set_fault(recording, "%s", recording->file->fault);
	return RECORDING_PARTIAL;
}

void recording_tell_cut(const struct recording *recording, const char *path)
{
	if (recording->names_cut != 0)
		diag(path, "has names of more than %d bytes; the rest of them is left out", RECORDING_LONGEST_NAME);
}

enum recording_status recording_load(struct recording *recording, const char *path)
{
	enum recording_status status = recording_load_untold(recording, path);
	if (status != RECORDING_UNUSABLE)
		recording_tell_cut(recording, path);
	return status;
}

void recording_fini(struct recording *recording)
{
	free(recording->traceback_at);
	free(recording->traceback_inner);
	free(recording->traceback_begin);
	free(recording->own_sites);
	free(recording->own_words);
	recording_info_fini(&recording->info);
	if (recording->file != NULL)
		file_fini(recording->file);
	free(recording->file);
	memset(recording, 0, sizeof *recording);
}
