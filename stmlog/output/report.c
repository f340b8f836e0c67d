/* SPDX-License-Identifier: MIT
 * The report that a process prints of itself: where the time of its threads went, and the costliest entries with the
 * places of both sides. The transactions in the way, intervals, and names from debug information are the command's,
 * which reads a recording. Nothing is allocated here: a line is cut at the size of a buffer. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "out.h"
#include "sections.h"
#include "session.h"
#include "utf8_read.h"

static void __attribute__((format(printf, 2, 3))) put(struct out *out, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	out_text(out, text);
}

/* A name may contain any bytes: those that would act on a terminal are hidden. */
struct name {
	char text[512];
};

static struct name printable_name_of(const char *text)
{
	struct name name;
	snprintf(name.text, sizeof name.text, "%s", text);
	utf8_hide(name.text);
	return name;
}

static struct name file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return printable_name_of(slash != NULL ? slash + 1 : path);
}

static const char *mark(void)
{
	return session_is_sampled() ? "~ " : "";
}

/* ---- the first line ---- */

/* The value of the first line "key=value" of INFO; "": there is none. */
static const char *said(const struct sections *sections, const char *key)
{
	const struct buffer *info = &sections->info;
	size_t len = strlen(key);
	for (const char *line = info->bytes; line < info->bytes + info->len; line += strlen(line) + 1)
		if (strncmp(line, key, len) == 0 && line[len] == '=')
			return line + len + 1;
	return "";
}

static uint64_t number_said(const struct sections *sections, const char *key)
{
	return strtoull(said(sections, key), NULL, 10);
}

static uint64_t count_threads(const struct gathered *all)
{
	uint64_t count = all->threads_dropped;
	for (size_t i = 0; i < all->threads_len; i++)
		count += all->threads[i].id != 0 && !all->threads[i].is_spare;
	return count;
}

static void put_first_line(struct out *out, const struct sections *sections)
{
	const struct buffer *info = &sections->info;
	const char *method = said(sections, "method");
	const char *before = strcmp(method, "unknown") == 0 ? ", method " : method[0] != '\0' ? " " : "";
	put(out, "stmlog:");
	for (const char *line = info->bytes; line < info->bytes + info->len; line += strlen(line) + 1)
		if (strncmp(line, "arg=", 4) == 0)
			put(out, " %s", printable_name_of(line + 4).text);
	put(out, " (pid %d): %s%s%s, %" PRIu64 " thread%s", (int)session.pid,
		printable_name_of(said(sections, "runtime")).text, before, method, count_threads(&sections->all),
		count_threads(&sections->all) == 1 ? "" : "s");
	if (session.processors != 0)
		put(out, " on %u processor%s", (unsigned)session.processors, session.processors == 1 ? "" : "s");
	put(out, ", %s, clock %s", number_time(sections->all.wall_ns).text, said(sections, "clock"));
}

/* ---- the account ---- */

enum { COMMITTED, ABORTED, PAUSED, WAITING, BLOCKED, DESCHEDULED, OTHER, OUTSIDE, OPEN, ROWS };
static const char *const names[] = {
	"committed", "aborted", "paused", "waiting", "blocked", "descheduled", "other", "outside", "open"};

/* Times of all transactions: estimates, if only some were measured. */
struct rows {
	uint64_t ns[ROWS], count[ROWS], attached_ns;
};

static uint64_t sum_of(const uint64_t by_contention[STMLOG_CONTENTIONS])
{
	uint64_t sum = 0;
	for (size_t i = 0; i < STMLOG_CONTENTIONS; i++)
		sum += by_contention[i];
	return sum;
}

static struct rows rows_of(const struct stmlog_account *a)
{
	struct rows rows = {
		.ns = {a->estimated_committed_ns, sum_of(a->estimated_aborted_ns), a->estimated_paused_ns,
			a->estimated_waiting_inevitable_ns + a->estimated_waiting_none_ns, a->estimated_blocked_ns,
			a->descheduled_ns, a->estimated_other_ns, 0, a->open_ns},
		.count = {a->commits + a->unmeasured_commits, sum_of(a->aborts) + a->unmeasured_aborts, a->pauses,
			a->waits_inevitable + a->waits_none, a->blocked, a->descheduled, a->others},
		.attached_ns = a->attached_ns,
	};
	uint64_t rest_ns = a->attached_ns;
	for (size_t i = 0; i < ROWS; i++)
		rest_ns -= rows.ns[i] < rest_ns ? rows.ns[i] : rest_ns;
	rows.ns[OUTSIDE] = rest_ns;
	return rows;
}

static uint64_t lost_of(const struct rows *rows)
{
	return rows->ns[ABORTED] + rows->ns[PAUSED] + rows->ns[WAITING];
}

/* The attached time minus all measured parts: 0 unless the library has a fault. */
static int64_t residual_of(const struct stmlog_account *a)
{
	return (int64_t)(a->attached_ns - a->outside_ns - a->committed_ns - sum_of(a->aborted_ns) - a->paused_ns -
			 a->waiting_inevitable_ns - a->waiting_none_ns - a->other_ns - a->blocked_ns -
			 a->descheduled_ns - a->open_ns);
}

static void put_row(struct out *out, const struct rows *rows, const char *name, uint64_t ns, const char *mark)
{
	char time[80];
	int width = (int)strlen(name) > 11 ? (int)strlen(name) : 11; /* a word may take room of the next column */
	snprintf(time, sizeof time, "%s%s", mark, number_time(ns).text);
	put(out, "%-*s%*s%9s", width, name, width < 25 ? 25 - width : 0, time,
		number_share(ns, rows->attached_ns).text);
}

/* The parts of the row `other` that have a word, as far as they were measured. */
static void put_own_work(struct out *out, const struct sections *sections, const struct rows *rows)
{
	const struct stmlog_own_work_record *work = (const void *)sections->own_work.bytes;
	for (size_t i = 0; i < sections->own_work.len / sizeof *work; i++) {
		char name[2 + sizeof work->word];
		snprintf(name, sizeof name, "  %s", work[i].word);
		put_row(out, rows, name, work[i].ns, "");
		put(out, "%13s\n", number_count(work[i].count).text);
	}
}

/* Rows of nothing are left out. */
static void put_account(struct out *out, const struct sections *sections, const struct rows *rows)
{
	put(out, "%-11s%14s%9s%13s\n", "account", "time", "share", "count");
	for (size_t i = 0; i < ROWS; i++) {
		if (rows->ns[i] + rows->count[i] == 0)
			continue;
		put_row(out, rows, names[i], rows->ns[i], i == OPEN ? "" : mark());
		put(out, i < OUTSIDE ? "%13s\n" : "\n", number_count(rows->count[i]).text);
		if (i == OTHER)
			put_own_work(out, sections, rows);
	}
	uint64_t wall_ns = sections->all.wall_ns, attempts = rows->count[COMMITTED] + rows->count[ABORTED];
	put(out, "%-11s%14s\nresidual %" PRId64 " ns\n%s transactions and %s attempts per second\n", "attached",
		number_time(rows->attached_ns).text, residual_of(&sections->all.total.account),
		number_rate(rows->count[COMMITTED], wall_ns).text, number_rate(attempts, wall_ns).text);
}

/* ---- the truth of it ---- */

static void put_probes(struct out *out, const struct gathered *all, uint64_t attached_ns)
{
	uint64_t events = all->total.account.events, origins = all->total.origins;
	if (events == 0)
		return;
	put(out, "probes: %s events x %s ns", number_count(events).text,
		number_rounded((double)all->probe_cost_ns / (double)events, 1).text);
	if (all->origins_cost_ns != 0)
		put(out, ", %s origins x %s ns", number_count(origins).text,
			number_rounded((double)all->origins_cost_ns / (double)origins, 1).text);
	put(out, " = %s of the run\n", number_share(all->probe_cost_ns + all->origins_cost_ns, attached_ns).text);
}

static void put_sampling(struct out *out, const struct sections *sections, const struct rows *rows)
{
	uint64_t timed = sections->all.total.spread.timed_commits, closely = sections->all.total.account.commits;
	if (session_is_sampled())
		put(out, "~: estimated from %s of %s transactions; losses are counted in %s of them\n",
			number_count(timed + closely).text, number_count(rows->count[COMMITTED]).text,
			number_count(closely).text);
	if (session_is_sampled() && strcmp(said(sections, "counters_known"), "0") == 0)
		put(out, "aborts of transactions that were not measured are missing\n");
	if (number_said(sections, "aborts_estimated") != 0)
		put(out, "the number of aborts is estimated, too, from those of measured transactions\n");
	if (number_said(sections, "waits_estimated") != 0)
		put(out, "times of pauses and waits: estimated from how long the STM's calls have taken\n");
	put_probes(out, &sections->all, rows->attached_ns);
}

/* Writes the counts of all that could not be recorded; nothing if all are 0. */
static void put_not_recorded(struct out *out, const struct sections *sections)
{
	static const struct {
		const char *key, *name;
	} losses[] = {
#define STMLOG_INFO_LOSS(key, merge, name, doc) {#key, name},
#include <stmlog/info.def>
	};
	const char *before = "not recorded - ";
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		uint64_t count = number_said(sections, losses[i].key);
		if (count == 0)
			continue;
		put(out, "%s%s: %s", before, losses[i].name, number_count(count).text);
		before = ", ";
	}
	out_text(out, before[0] == ',' ? "\n" : "");
}

/* ---- places ---- */

static const char *string_at(const struct sections *sections, uint32_t offset)
{
	return sections->intern.strings.bytes + offset;
}

/* Code without a name stands as module+offset, as addr2line takes it. */
static void put_frame(struct out *out, const struct sections *sections, uint32_t number)
{
	const struct stmlog_module_record *modules = (const void *)sections->intern.modules.bytes;
	const struct stmlog_site_record *site = (const void *)sections->intern.sites.bytes;
	site += number;
	if (site->module != STMLOG_NO_MODULE)
		put(out, "%s+0x%" PRIx64 "\n", file_name_of(string_at(sections, modules[site->module].path)).text,
			site->position - modules[site->module].bias);
	else if (site->kind == STMLOG_SITE_ADDRESS)
		put(out, "0x%" PRIx64 "\n", site->position);
	else if (site->function == 0)
		put(out, "code 0x%" PRIx64 " position 0x%" PRIx64 "\n", site->code, site->position);
	else if (site->file == 0)
		put(out, "%s\n", printable_name_of(string_at(sections, site->function)).text);
	else
		put(out, "%s:%" PRIu32 "  %s\n", file_name_of(string_at(sections, site->file)).text, site->line,
			printable_name_of(string_at(sections, site->function)).text);
}

/* Writes a line for each of the innermost frames; the first stands behind the label. */
static void put_traceback(struct out *out, const struct sections *sections, const char *label, uint32_t traceback)
{
	enum { GLANCE = 5 };
	const struct intern *intern = &sections->intern;
	const uint32_t *words = NULL; /* the number of frames, flags, and the frames */
	if (traceback >= 2)
		words = (const void *)(intern->tracebacks.bytes + intern->traceback_pool.offsets[traceback - 2]);
	put(out, "     %-12s", label);
	if (words == NULL)
		put(out, traceback == 0 ? "unknown\n" : "no frames\n");
	for (uint32_t i = 0; words != NULL && i < words[0] && i < GLANCE; i++) {
		put(out, "%*s", i > 0 ? 17 : 0, "");
		put_frame(out, sections, words[2 + i]);
	}
	if (words != NULL && words[0] > GLANCE)
		put(out, "%17s... %" PRIu32 " more\n", "", words[0] - GLANCE);
}

/* ---- entries ---- */

static uint64_t ns_of(const struct stmlog_entry_record *entry)
{
	return (uint64_t)(entry->estimated_ns + 0.5);
}

/* A spurious wake ends an attempt because of a transaction that has not blocked it, but woken it. */
static void put_culprit(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry)
{
	const char *role = entry->reason == STMLOG_USER_ABORT ? "woken by" : "blocked by";
	bool is_anybody = entry->remote >= 2 || entry->remote_thread != 0;
	if (entry->contention == STMLOG_NONE && !is_anybody) {
		if (entry->reason == STMLOG_SELF_ABORT)
			put(out, "     %-12s%s\n", role,
				entry->remote == 1 ? "nobody: no other transaction was in its way"
						   : "unknown: the runtime gave no cause");
		return;
	}
	if (entry->remote_thread != 0) {
		bool is_mixed = entry->certain > 0 && entry->certain < entry->count;
		put(out, "     %-12sthread %" PRIu32 ", %s%s\n", role, entry->remote_thread,
			is_mixed ? "certain " : stmlog_grade_name(entry->grade),
			is_mixed ? number_share(entry->certain, entry->count).text : "");
		role = "";
	}
	put_traceback(out, sections, role, entry->remote);
}

/* Writes the object that occurred most, if a tenth of the losses are about it: one of thousands that are hit equally is
 * there by chance. */
static void put_object(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry)
{
	uint64_t address = entry->objects[0].address, count = entry->objects[0].count;
	char number[32];
	snprintf(number, sizeof number, "0x%" PRIx64, address);
	const char *name = entry->object_names[0] != 0 ? string_at(sections, entry->object_names[0]) : number;
	if (address != 0 && count != 0 && count >= entry->count / 10)
		put(out, "     object      %s (at least %s time%s)\n", printable_name_of(name).text,
			number_count(count).text, count == 1 ? "" : "s");
}

static void put_entry(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry,
	size_t rank, uint64_t lost_ns)
{
	const char *detail = string_at(sections, entry->detail);
	put(out, "\n%2zu.  %s%s  %s  %s time%s%s, longest %s   %s, %s%s%s   thread %" PRIu32 "\n", rank, mark(),
		number_time(ns_of(entry)).text, number_share(ns_of(entry), lost_ns).text,
		number_count(entry->count).text, entry->count == 1 ? "" : "s", session_is_sampled() ? " measured" : "",
		number_time(entry->longest_ns).text, stmlog_reason_name(entry->reason),
		stmlog_contention_name(entry->contention), detail[0] != '\0' ? ", " : "",
		printable_name_of(detail).text, entry->local_thread);
	put_traceback(out, sections, "where", entry->local);
	put_culprit(out, sections, entry);
	put_object(out, sections, entry);
}

/* In a sample, the estimate of fewer losses than ten means little: such entries come last. */
static bool comes_before(const struct stmlog_entry_record *a, const struct stmlog_entry_record *b)
{
	enum { MIN = 10 };
	if (session_is_sampled() && (a->count < MIN) != (b->count < MIN))
		return b->count < MIN;
	return ns_of(a) > ns_of(b) || (ns_of(a) == ns_of(b) && a < b);
}

/* Returns the first of the entries that come behind `last` (NULL: the first of all), or NULL. Looks at all entries,
 * since sorting them needs memory. */
static const struct stmlog_entry_record *next_of(
	const struct sections *sections, const struct stmlog_entry_record *last)
{
	const struct stmlog_entry_record *at = (const void *)sections->entries.bytes, *next = NULL;
	size_t count = sections->entries.len / sizeof *at;
	for (size_t i = 0; i < count; i++, at++)
		if ((last == NULL || comes_before(last, at)) && (next == NULL || comes_before(at, next)))
			next = at;
	return next;
}

static void put_costliest(struct out *out, const struct sections *sections, uint64_t lost_ns)
{
	const struct stmlog_entry_record *entry = NULL;
	uint64_t evicted = sections->all.log->totals.evicted.count, shown_ns = 0;
	size_t shown = 0;
	for (; shown < session.top && (entry = next_of(sections, entry)) != NULL; shown++)
		shown_ns += ns_of(entry);
	put(out, "Costliest: the %zu shown cover %s of the time lost; evicted losses: %s\n", shown,
		number_share(shown_ns, lost_ns).text, number_count(evicted).text);
	entry = NULL;
	for (size_t rank = 1; rank <= shown; rank++)
		put_entry(out, sections, entry = next_of(sections, entry), rank, lost_ns);
}

/* ---- all ---- */

static void put_report(struct out *out, const struct sections *sections)
{
	struct rows rows = rows_of(&sections->all.total.account);
	uint64_t losses = sections->entries.len + sections->all.log->totals.evicted.count;
	bool has_any = rows.count[COMMITTED] + rows.count[ABORTED] + losses + sections->open.len != 0;
	put_first_line(out, sections);
	if (!has_any && sections->timeline == NULL && rows.ns[OUTSIDE] == rows.attached_ns) {
		put(out, ": nothing was recorded\n");
		put_not_recorded(out, sections);
		return;
	}
	put(out, "\n\n");
	put_account(out, sections, &rows);
	put_sampling(out, sections, &rows);
	put_not_recorded(out, sections);
	put(out, "\n");
	if (losses != 0)
		put_costliest(out, sections, lost_of(&rows));
	else
		put(out, lost_of(&rows) + sections->open.len == 0
				 ? "Nothing was lost: no transaction aborted, paused or waited.\n"
				 : "No abort, pause or wait was measured to its end.\n");
	put(out, "\nTransactions in the way, intervals, functions and lines: %sstmlog report ",
		sections->file != NULL ? "" : "STMLOG_OPTIONS=out=FILE, then ");
	out_text(out, sections->file != NULL ? sections->file : "FILE");
	put(out, "\n");
}

int sections_report(const struct sections *sections, int fd)
{
	struct out out;
	out_begin(&out, fd);
	put_report(&out, sections);
	return out_end(&out);
}

static int report_to(const struct sections *sections, const void *fd)
{
	return sections_report(sections, *(const int *)fd);
}

int stmlog_report(int fd)
{
	return sections_run(SECTIONS_OF_REPORT, report_to, &fd);
}
