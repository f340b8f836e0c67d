/* SPDX-License-Identifier: MIT
 * Prints the report that a process makes of itself: report/text renders the records that the recorder would write into
 * its file. */
#include "process_reporter.h"

#include <string.h>

#include <stmlog/read.h>

#include "check.h"
#include "fold.h"
#include "out.h"
#include "recording_info.h"
#include "report_memory.h"
#include "screen.h"

/* Sets recording->MEMBER and recording->COUNT to the records of a section. */
#define VIEW(member, count, section)                                                           \
	do {                                                                                   \
		recording->member = (const void *)records->sections[section].bytes;            \
		recording->count = records->sections[section].len / sizeof *recording->member; \
		REQUIRES(records->sections[section].len % sizeof *recording->member == 0);     \
	} while (0)

/* The last record of the section is the sum of the evicted losses. */
static void view_totals(struct recording *recording, const struct process_records *records)
{
	VIEW(totals, total_count, STMLOG_SECTION_TOTALS);
	const struct stmlog_total_record *evicted = &recording->totals[--recording->total_count];
	recording->evicted_count = evicted->count;
	recording->evicted_lost_ns = evicted->lost_ns;
	recording->evicted_estimated_ns = evicted->estimated_ns;
	recording->evicted_variance_ns2 = evicted->variance_ns2;
}

/* Returns the index of the traceback behind the one at `word`. A traceback is a number of frames, flags, and the
 * frames. */
static size_t next_traceback(const uint32_t *words, size_t word)
{
	return word + 2 + words[word];
}

static void view_tracebacks(struct recording *recording, const struct process_records *records)
{
	size_t len, i = 0;
	VIEW(traceback_words, traceback_count, STMLOG_SECTION_TRACEBACKS);
	len = recording->traceback_count; /* the number of words, until the tracebacks are counted */
	recording->traceback_count = 0;
	for (size_t word = 0; word < len; word = next_traceback(recording->traceback_words, word))
		recording->traceback_count++;
	recording->traceback_at = memory_zeroed(recording->traceback_count, sizeof *recording->traceback_at);
	for (size_t word = 0; word < len; word = next_traceback(recording->traceback_words, word))
		recording->traceback_at[i++] = word;
}

/* Fills the recording from the sections, as the command does from a file (tools/recording/recording.c). INFO is read up
 * to the first malformed line, because a runtime may set facts of any form. */
static void view(struct recording *recording, const struct process_records *records)
{
	const struct process_section *info = &records->sections[STMLOG_SECTION_INFO];
	recording_info_parse(&recording->info, info->bytes, info->len);
	VIEW(strings, strings_len, STMLOG_SECTION_STRINGS);
	VIEW(modules, module_count, STMLOG_SECTION_MODULES);
	VIEW(sites, site_count, STMLOG_SECTION_SITES);
	view_tracebacks(recording, records);
	view_totals(recording, records);
	VIEW(threads, thread_count, STMLOG_SECTION_THREADS);
	VIEW(entries, entry_count, STMLOG_SECTION_ENTRIES);
	VIEW(blocks, block_count, STMLOG_SECTION_BLOCKS);
	VIEW(blocked, blocked_count, STMLOG_SECTION_BLOCKED);
	VIEW(transactions, transaction_count, STMLOG_SECTION_TRANSACTIONS);
	VIEW(open, open_count, STMLOG_SECTION_OPEN);
	VIEW(green, green_count, STMLOG_SECTION_GREEN);
	recording->has_timeline = records->has_timeline;
	recording_limit_depth(recording);
	recording_set_rows(recording);
}

struct request {
	const struct process_records *records;
	struct out *out;
};

static void write_out(void *out, const char *bytes, size_t len)
{
	out_bytes(out, bytes, len);
}

static void print(void *arg)
{
	const struct request *request = arg;
	struct recording recording = {.file = NULL};
	view(&recording, request->records);
	struct printer printer = {.write = write_out, .arg = request->out};
	printer_look(&printer, request->out->fd);
	struct fold fold = {.width = 0};
	struct printer folded = fold_printer(&fold, &printer);
	struct report report = {
		.recording = &recording,
		.symbols = symbols_create(&recording),
		.options = {.top = request->records->top},
		.out = &folded,
		.file = request->records->file,
	};
	report_print(&report, screen_print, report_entries_and_pairs, NULL);
}

static int print_to(const struct process_records *records, int fd)
{
	REQUIRES(records->sections[STMLOG_SECTION_TOTALS].len >= sizeof(struct stmlog_total_record));
	struct out out;
	out_begin(&out, fd);
	int error = report_arena_run(print, &(struct request){records, &out});
	if (error != 0)
		out_text(&out, "\nstmlog: no memory for the rest of this report\n");
	int written = out_end(&out);
	return error != 0 ? error : written;
}

const struct process_reporter stmlog_process_reporter = {STMLOG_VERSION, print_to};
