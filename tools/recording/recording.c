/* SPDX-License-Identifier: MIT
 * Makes verified records of sections: all references are checked here, once. A reference to a record that does not
 * exist makes the whole file unusable, since the rest cannot be trusted either. */
#include "recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "file.h"
#include "memory.h"
#include "recording_info.h"

/* ---- files of earlier versions: fills what their records lack, where 0 would say something wrong ----
 *
 * If records lack estimates, each estimate is made what was measured. If rows of threads lack intervals, their doubt is
 * made all the time there was. If entries lack a site, it is not known. The records are as long already as this stmlog
 * knows them (read_grown_records()), but record_size still is that of the file. */

/* The section, if its records are shorter than those with estimates, which are `size` bytes up to there. */
static struct file_section *older_section(struct file *file, enum stmlog_section type, size_t size)
{
	struct file_section *section = file_section(file, type);
	return section != NULL && section->record_size < size ? section : NULL;
}

#define UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))

static void complete_totals(struct file *file)
{
	struct file_section *section =
		older_section(file, STMLOG_SECTION_TOTALS, UP_TO(stmlog_total_record, variance_ns2));
	if (section == NULL)
		return;
	struct stmlog_total_record *totals = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++)
		totals[i].estimated_ns = (double)totals[i].lost_ns;
}

static void complete_paths(struct file *file)
{
	struct file_section *section =
		older_section(file, STMLOG_SECTION_PATHS, UP_TO(stmlog_path_record, estimated_aborts));
	if (section == NULL)
		return;
	struct stmlog_path_record *paths = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++) {
		paths[i].estimated_commits = (double)paths[i].commits;
		paths[i].estimated_aborts = (double)paths[i].aborts;
	}
}

static void estimate_thread(struct stmlog_thread_record *thread)
{
	thread->estimated_committed_ns = thread->committed_ns;
	memcpy(thread->estimated_aborted_ns, thread->aborted_ns, sizeof thread->aborted_ns);
	thread->estimated_paused_ns = thread->paused_ns;
	thread->estimated_waiting_inevitable_ns = thread->waiting_inevitable_ns;
	thread->estimated_waiting_none_ns = thread->waiting_none_ns;
	thread->estimated_other_ns = thread->other_ns;
}

/* These files do not separate time off the processor, which is part of the other rows. So its row is 0 without doubt.
 */
static void doubt_thread(struct stmlog_thread_record *thread)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_DESCHEDULED; row++)
		thread->row_doubt_ns[row] = thread->attached_ns;
}

static void complete_threads(struct file *file, bool is_sampled)
{
	struct file_section *section =
		older_section(file, STMLOG_SECTION_THREADS, UP_TO(stmlog_thread_record, row_doubt_ns));
	if (section == NULL)
		return;
	struct stmlog_thread_record *threads = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++) {
		if (section->record_size < UP_TO(stmlog_thread_record, estimated_other_ns))
			estimate_thread(&threads[i]);
		if (is_sampled)
			doubt_thread(&threads[i]);
	}
}

/* Returns whether the file has estimates of its own. */
static bool complete_entries(struct file *file)
{
	struct file_section *section =
		older_section(file, STMLOG_SECTION_ENTRIES, UP_TO(stmlog_entry_record, descheduled_ns));
	if (section == NULL)
		return true;
	bool has_estimates = section->record_size >= UP_TO(stmlog_entry_record, variance_ns2);
	struct stmlog_entry_record *entries = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++) {
		entries[i].site = STMLOG_NO_SITE;
		if (!has_estimates)
			entries[i].estimated_ns = (double)entries[i].lost_ns - (double)entries[i].overstated_ns;
	}
	return has_estimates;
}

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

/* Moves each of `count` records of `stride` bytes to where it stands in an array of records of `size` bytes; what a
 * shorter one lacks becomes 0. Returns false without memory. */
static bool resize_records(struct file_section *section, size_t stride, size_t size, size_t count)
{
	if (stride < size) {
		uint8_t *wider = realloc(section->bytes, count * size);
		if (wider == NULL)
			return false;
		section->bytes = wider;
	}
	for (size_t i = 1; i < count && stride > size; i++)
		memmove(section->bytes + i * size, section->bytes + i * stride, size);
	for (size_t i = count; i-- > 0 && stride < size;) {
		memmove(section->bytes + i * size, section->bytes + i * stride, stride);
		memset(section->bytes + i * size + stride, 0, size - stride);
	}
	return true;
}

/* Takes the records of a section, and makes them `size` bytes long, as this stmlog knows them. Records of an older
 * stmlog may be shorter, but not shorter than `min`. An absent section has no records. */
static bool read_grown_records(struct recording *recording, enum stmlog_section type, size_t min, size_t size,
	const void **records, size_t *count)
{
	struct file_section *section = file_section(recording->file, type);
	*records = NULL;
	*count = 0;
	if (section == NULL)
		return true;
	size_t stride = section->record_size;
	if (stride < min || section->length % stride != 0)
		return fail(recording, "section '%s' has %" PRIu64 " bytes in records of %zu; record it again",
			file_section_name(type), section->length, stride);
	*count = section->length / stride;
	if (*count > 0 && !resize_records(section, stride, size, *count))
		return fail(recording, "needs more memory than there is");
	*records = section->bytes;
	return true;
}

static bool read_records(
	struct recording *recording, enum stmlog_section type, size_t size, const void **records, size_t *count)
{
	return read_grown_records(recording, type, size, size, records, count);
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

static bool read_modules(struct recording *recording)
{
	const void *records;
	if (!read_records(
		    recording, STMLOG_SECTION_MODULES, sizeof *recording->modules, &records, &recording->module_count))
		return false;
	recording->modules = records;
	for (size_t i = 0; i < recording->module_count; i++) {
		if (!is_string(recording, recording->modules[i].path))
			return fail_reference(recording, "module", i, "string");
		if (recording->modules[i].build_id_len > sizeof recording->modules[i].build_id)
			return fail(recording, "module %zu has a build-id that is too long; record it again", i);
	}
	return true;
}

static bool read_sites(struct recording *recording)
{
	const void *records;
	if (!read_records(recording, STMLOG_SECTION_SITES, sizeof *recording->sites, &records, &recording->site_count))
		return false;
	recording->sites = records;
	for (size_t i = 0; i < recording->site_count; i++) {
		const struct stmlog_site_record *site = &recording->sites[i];
		if (site->module != STMLOG_NO_MODULE && site->module >= recording->module_count)
			return fail_reference(recording, "site", i, "module");
		if (!is_string(recording, site->function) || !is_string(recording, site->file))
			return fail_reference(recording, "site", i, "string");
	}
	return true;
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
	recording->traceback_inner = calloc(recording->traceback_count + 1, sizeof *recording->traceback_inner);
	return recording->traceback_inner != NULL || fail(recording, "needs more memory than there is");
}

/* The size of these records in the files of the first version. */
#define MIN_TOTAL offsetof(struct stmlog_total_record, estimated_ns)
#define MIN_THREAD offsetof(struct stmlog_thread_record, estimated_committed_ns)
#define MIN_ENTRY offsetof(struct stmlog_entry_record, wasted)

static bool read_totals(struct recording *recording)
{
	const void *records;
	size_t count;
	if (!read_grown_records(
		    recording, STMLOG_SECTION_TOTALS, MIN_TOTAL, sizeof *recording->totals, &records, &count))
		return false;
	complete_totals(recording->file);
	recording->totals = records;
	if (count == 0 || recording->totals[count - 1].reason != UINT32_MAX ||
		recording->totals[count - 1].contention != UINT32_MAX)
		return fail(recording, "section 'totals' does not end with what was evicted; record it again");
	recording->total_count = count - 1;
	recording->evicted_count = recording->totals[count - 1].count;
	recording->evicted_lost_ns = recording->totals[count - 1].lost_ns;
	recording->evicted_estimated_ns = recording->totals[count - 1].estimated_ns;
	recording->evicted_variance_ns2 = recording->totals[count - 1].variance_ns2;
	return true;
}

static bool read_threads(struct recording *recording)
{
	const void *records;
	size_t count;
	if (!read_grown_records(
		    recording, STMLOG_SECTION_THREADS, MIN_THREAD, sizeof *recording->threads, &records, &count))
		return false;
	complete_threads(recording->file, recording_is_sampled(recording));
	recording->threads = records;
	recording->thread_count = count;
	for (size_t i = 0; i < count; i++) {
		if (!is_string(recording, recording->threads[i].name) ||
			!is_string(recording, recording->threads[i].runtime))
			return fail_reference(recording, "thread", i, "string");
	}
	return true;
}

static bool is_traceback(const struct recording *recording, uint32_t traceback)
{
	return traceback < 2 || traceback - 2 < recording->traceback_count;
}

static bool has_its_names(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < sizeof entry->object_names / sizeof entry->object_names[0]; i++) {
		if (!is_string(recording, entry->object_names[i]))
			return false;
	}
	return is_string(recording, entry->detail);
}

static bool read_entries(struct recording *recording)
{
	const void *records;
	if (!read_grown_records(recording, STMLOG_SECTION_ENTRIES, MIN_ENTRY, sizeof *recording->entries, &records,
		    &recording->entry_count))
		return false;
	recording->has_estimates = complete_entries(recording->file);
	recording->entries = records;
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		if (!is_traceback(recording, entry->local) || !is_traceback(recording, entry->remote))
			return fail_reference(recording, "entry", i, "traceback");
		if (entry->site != STMLOG_NO_SITE && entry->site >= recording->site_count)
			return fail_reference(recording, "entry", i, "site");
		if (!has_its_names(recording, entry))
			return fail_reference(recording, "entry", i, "string");
	}
	return true;
}

static bool read_blocks(struct recording *recording)
{
	const void *records;
	if (!read_records(
		    recording, STMLOG_SECTION_BLOCKS, sizeof *recording->blocks, &records, &recording->block_count))
		return false;
	recording->blocks = records;
	for (size_t i = 0; i < recording->block_count; i++) {
		if (!is_traceback(recording, recording->blocks[i].traceback))
			return fail_reference(recording, "block", i, "traceback");
		if (i > 0 && recording->blocks[i].address <= recording->blocks[i - 1].address)
			return fail(recording, "block %zu is out of order; record it again", i);
	}
	return true;
}

static bool read_places(struct recording *recording)
{
	const void *records;
	if (!read_records(
		    recording, STMLOG_SECTION_PLACES, sizeof *recording->places, &records, &recording->place_count))
		return false;
	recording->places = records;
	for (size_t i = 0; i < recording->place_count; i++) {
		if (!is_traceback(recording, recording->places[i].traceback))
			return fail_reference(recording, "place", i, "traceback");
		if (!is_string(recording, recording->places[i].word))
			return fail_reference(recording, "place", i, "string");
	}
	return true;
}

static bool read_events(struct recording *recording)
{
	const void *records;
	if (!read_records(
		    recording, STMLOG_SECTION_EVENTS, sizeof *recording->events, &records, &recording->event_count))
		return false;
	recording->events = records;
	recording->has_timeline = file_section(recording->file, STMLOG_SECTION_EVENTS) != NULL;
	return true;
}

static bool read_paths(struct recording *recording)
{
	const void *records;
	if (!read_grown_records(recording, STMLOG_SECTION_PATHS, UP_TO(stmlog_path_record, estimated_waiting_ns),
		    sizeof *recording->paths, &records, &recording->path_count))
		return false;
	complete_paths(recording->file);
	recording->paths = records;
	for (size_t i = 0; i < recording->path_count; i++)
		if (!is_traceback(recording, recording->paths[i].traceback))
			return fail_reference(recording, "path", i, "traceback");
	return true;
}

static bool read_transactions(struct recording *recording)
{
	const void *records;
	if (!read_grown_records(recording, STMLOG_SECTION_TRANSACTIONS,
		    offsetof(struct stmlog_transaction_record, committed_ns), sizeof *recording->transactions, &records,
		    &recording->transaction_count))
		return false;
	recording->transactions = records;
	for (size_t i = 0; i < recording->transaction_count; i++) {
		uint32_t site = recording->transactions[i].site;
		if (site != STMLOG_NO_SITE && site >= recording->site_count)
			return fail_reference(recording, "transaction", i, "site");
	}
	return true;
}

static bool read_blocked(struct recording *recording)
{
	const void *records;
	if (!read_records(
		    recording, STMLOG_SECTION_BLOCKED, sizeof *recording->blocked, &records, &recording->blocked_count))
		return false;
	recording->blocked = records;
	for (size_t i = 0; i < recording->blocked_count; i++) {
		uint32_t site = recording->blocked[i].site;
		if (site != STMLOG_NO_SITE && site >= recording->site_count)
			return fail_reference(recording, "time blocked", i, "site");
	}
	return true;
}

static bool is_site(const struct recording *recording, uint32_t site)
{
	return site == STMLOG_NO_SITE || site < recording->site_count;
}

static bool read_open(struct recording *recording)
{
	const void *records;
	if (!read_records(recording, STMLOG_SECTION_OPEN, sizeof *recording->open, &records, &recording->open_count))
		return false;
	recording->open = records;
	for (size_t i = 0; i < recording->open_count; i++)
		if (!is_site(recording, recording->open[i].site) || !is_site(recording, recording->open[i].other_site))
			return fail_reference(recording, "open transaction", i, "site");
	return true;
}

static bool read_accesses(struct recording *recording)
{
	const void *records;
	if (!read_records(recording, STMLOG_SECTION_ACCESSES, sizeof *recording->accesses, &records,
		    &recording->access_count))
		return false;
	recording->accesses = records;
	return true;
}

static bool read_gains(struct recording *recording)
{
	const void *records;
	if (!read_records(recording, STMLOG_SECTION_GAINS, sizeof *recording->gains, &records, &recording->gain_count))
		return false;
	recording->gains = records;
	for (size_t i = 0; i < recording->gain_count; i++)
		if (memchr(recording->gains[i].name, '\0', sizeof recording->gains[i].name) == NULL)
			return fail(recording, "the name of a gain has no end");
	for (size_t i = 0; i < recording->gain_count; i++)
		if (!isfinite(recording->gains[i].ratio) || !isfinite(recording->gains[i].low) ||
			!isfinite(recording->gains[i].high))
			return fail(recording, "a gain is no number");
	return true;
}

static bool read_green(struct recording *recording)
{
	const void *records;
	if (!read_records(recording, STMLOG_SECTION_GREEN, sizeof *recording->green, &records, &recording->green_count))
		return false;
	recording->green = records;
	for (size_t i = 0; i < recording->green_count; i++)
		if (memchr(recording->green[i].label, '\0', sizeof recording->green[i].label) == NULL)
			return fail(recording, "the label of a green thread has no end");
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

enum recording_status recording_load(struct recording *recording, const char *path)
{
	memset(recording, 0, sizeof *recording);
	recording->file = memory_zeroed(1, sizeof *recording->file);
	if (!file_read(recording->file, path)) {
		set_fault(recording, "%s", recording->file->fault);
		return RECORDING_UNUSABLE;
	}
	if (!has_enough(recording) || !read_info(recording) || !read_strings(recording) || !read_modules(recording) ||
		!read_sites(recording) || !read_tracebacks(recording) || !read_totals(recording) ||
		!read_threads(recording) || !read_entries(recording) || !read_blocks(recording) ||
		!read_places(recording) || !read_events(recording) || !read_paths(recording) ||
		!read_transactions(recording) || !read_blocked(recording) || !read_open(recording) ||
		!read_accesses(recording) || !read_gains(recording) || !read_green(recording))
		return RECORDING_UNUSABLE;
	recording_limit_depth(recording);
	recording_set_rows(recording);
	if (recording->names_cut != 0)
		diag(path, "has names of more than %d bytes; the rest of them is left out", RECORDING_LONGEST_NAME);
	if (recording->file->is_complete)
		return RECORDING_WHOLE;
	set_fault(recording, "%s", recording->file->fault);
	return RECORDING_PARTIAL;
}

void recording_fini(struct recording *recording)
{
	free(recording->traceback_at);
	free(recording->traceback_inner);
	recording_info_fini(&recording->info);
	if (recording->file != NULL)
		file_fini(recording->file);
	free(recording->file);
	memset(recording, 0, sizeof *recording);
}
