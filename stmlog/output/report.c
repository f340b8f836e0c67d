/* SPDX-License-Identifier: MIT
 * The process's own report: report/ renders the records that the process would write into its file. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "out.h"
#include "recording_info.h"
#include "report_arena.h"
#include "screen.h"
#include "sections.h"
#include "session.h"

/* The last record of the section is of what was evicted. */
static void view_totals(struct recording *recording, const struct buffer *totals)
{
	recording->totals = (const void *)totals->bytes;
	recording->total_count = totals->len / sizeof *recording->totals - 1;
	const struct stmlog_total_record *evicted = &recording->totals[recording->total_count];
	recording->evicted_count = evicted->count;
	recording->evicted_lost_ns = evicted->lost_ns;
	recording->evicted_estimated_ns = evicted->estimated_ns;
	recording->evicted_variance_ns2 = evicted->variance_ns2;
	recording->has_estimates = true;
}

static void view_tracebacks(struct recording *recording, const struct intern *intern)
{
	const struct pool *pool = &intern->traceback_pool;
	recording->traceback_words = (const void *)intern->tracebacks.bytes;
	recording->traceback_count = pool->len;
	recording->traceback_at = memory_zeroed(pool->len, sizeof *recording->traceback_at);
	for (size_t i = 0; i < pool->len; i++)
		recording->traceback_at[i] = pool->offsets[i] / sizeof *recording->traceback_words;
}

/* As the command reads a file (tools/recording/recording.c). INFO is taken up to the first line that is malformed,
 * because a runtime may set facts of any form. */
static void view(struct recording *recording, const struct sections *sections)
{
	const struct intern *intern = &sections->intern;
	recording_info_parse(&recording->info, sections->info.bytes, sections->info.len);
	recording->strings = intern->strings.bytes;
	recording->strings_len = intern->strings.len;
	recording->modules = (const void *)intern->modules.bytes;
	recording->module_count = intern->modules.len / sizeof *recording->modules;
	recording->sites = (const void *)intern->sites.bytes;
	recording->site_count = intern->sites.len / sizeof *recording->sites;
	view_tracebacks(recording, intern);
	view_totals(recording, &sections->totals);
	recording->threads = (const void *)sections->threads.bytes;
	recording->thread_count = sections->threads.len / sizeof *recording->threads;
	recording->entries = (const void *)sections->entries.bytes;
	recording->entry_count = sections->entries.len / sizeof *recording->entries;
	recording->blocks = (const void *)sections->blocks.bytes;
	recording->block_count = sections->blocks.len / sizeof *recording->blocks;
	recording->blocked = (const void *)sections->blocked.bytes;
	recording->blocked_count = sections->blocked.len / sizeof *recording->blocked;
	recording->transactions = (const void *)sections->transactions.bytes;
	recording->transaction_count = sections->transactions.len / sizeof *recording->transactions;
	recording->open = (const void *)sections->open.bytes;
	recording->open_count = sections->open.len / sizeof *recording->open;
	recording->has_timeline = sections->timeline != NULL;
	recording_limit_depth(recording);
	recording_set_rows(recording);
}

struct request {
	const struct sections *sections;
	struct out *out;
};

static void write_out(void *out, const char *bytes, size_t len)
{
	out_bytes(out, bytes, len);
}

/* By the environment: the program may not have called setlocale(), and the library must not. */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *locale = getenv(names[i]);
		if (locale != NULL && locale[0] != '\0')
			return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
	}
	return false;
}

static void print(void *arg)
{
	const struct request *request = arg;
	struct recording recording = {.file = NULL};
	view(&recording, request->sections);
	struct printer printer = {.write = write_out, .arg = request->out, .is_utf8 = is_utf8()};
	printer_look(&printer, request->out->fd);
	struct fold fold = {.width = 0};
	struct printer folded = fold_printer(&fold, &printer);
	struct report report = {
		.recording = &recording,
		.symbols = symbols_create(&recording),
		.options = {.top = session.top},
		.out = &folded,
		.file = request->sections->file,
	};
	report_print(&report, screen_print, report_entries_and_pairs, NULL);
}

int sections_report(const struct sections *sections, int fd)
{
	struct out out;
	out_begin(&out, fd);
	int error = report_arena_run(print, &(struct request){sections, &out});
	if (error != 0)
		out_text(&out, "\nstmlog: no memory for the rest of this report\n");
	int written = out_end(&out);
	return error != 0 ? error : written;
}

static int report_to(const struct sections *sections, const void *fd)
{
	return sections_report(sections, *(const int *)fd);
}

int stmlog_report(int fd)
{
	return sections_run(SECTIONS_OF_REPORT, report_to, &fd);
}
