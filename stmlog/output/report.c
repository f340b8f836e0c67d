/* SPDX-License-Identifier: MIT
 * The report that a process prints of itself: where the time of its threads went, and what its losses were. Findings,
 * intervals, and names from debug information are the command's, which reads a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/agent.h>

#include "costliest.h"
#include "number.h"
#include "session.h"
#include "text.h"

/* ---- INFO ---- */

static const char *end_of(const struct buffer *info)
{
	return info->bytes + info->len;
}

/* The value of the first line "key=value"; "": there is none. */
static const char *said(const struct sections *sections, const char *key)
{
	size_t len = strlen(key);
	for (const char *line = sections->info.bytes; line < end_of(&sections->info); line += strlen(line) + 1)
		if (strncmp(line, key, len) == 0 && line[len] == '=')
			return line + len + 1;
	return "";
}

static uint64_t number_said(const struct sections *sections, const char *key)
{
	return strtoull(said(sections, key), NULL, 10);
}

/* ---- the first line ---- */

static void put_command(struct out *out, const struct sections *sections)
{
	static const char key[] = "arg=";
	bool has_any = false;
	for (const char *line = sections->info.bytes; line < end_of(&sections->info); line += strlen(line) + 1) {
		if (strncmp(line, key, sizeof key - 1) != 0)
			continue;
		out_text(out, " ");
		text_name(out, line + sizeof key - 1);
		has_any = true;
	}
	if (!has_any)
		out_text(out, " a program");
}

static uint64_t count_threads(const struct gathered *all)
{
	uint64_t count = all->threads_dropped;
	for (size_t i = 0; i < all->threads_len; i++)
		count += all->threads[i].id != 0 && !all->threads[i].is_spare;
	return count;
}

static void put_counted(struct out *out, const char *before, uint64_t count, const char *what)
{
	out_texts(out, before, number_count(count).text, what, count == 1 ? "" : "s", NULL);
}

static void put_first_line(struct out *out, const struct sections *sections)
{
	const char *method = said(sections, "method");
	out_text(out, "stmlog:");
	put_command(out, sections);
	out_text(out, " (pid ");
	out_number(out, (uint64_t)session.pid);
	out_text(out, "): ");
	text_name(out, said(sections, "runtime"));
	if (method[0] != '\0')
		out_texts(out, strcmp(method, "unknown") == 0 ? ", method " : " ", method, NULL);
	put_counted(out, ", ", count_threads(&sections->all), " thread");
	if (session.processors != 0)
		put_counted(out, " on ", session.processors, " processor");
	out_texts(out, ", ", number_time(sections->all.wall_ns).text, ", clock ", said(sections, "clock"), NULL);
}

/* ---- the account ---- */

/* Times of all transactions: estimates, if only some were measured. `outside` is the rest of the attached time. */
struct times {
	uint64_t committed, aborted, paused, waiting, blocked, other, outside;
};

static uint64_t sum_of(const uint64_t by_contention[STMLOG_CONTENTIONS])
{
	uint64_t sum = 0;
	for (size_t i = 0; i < STMLOG_CONTENTIONS; i++)
		sum += by_contention[i];
	return sum;
}

static struct times times_of(const struct stmlog_account *account)
{
	struct times times = {
		.committed = account->estimated_committed_ns,
		.aborted = sum_of(account->estimated_aborted_ns),
		.paused = account->estimated_paused_ns,
		.waiting = account->estimated_waiting_inevitable_ns + account->estimated_waiting_none_ns,
		.blocked = account->estimated_blocked_ns,
		.other = account->estimated_other_ns,
	};
	uint64_t others = times.committed + times.aborted + times.paused + times.waiting + times.blocked + times.other +
			  account->descheduled_ns + account->open_ns;
	times.outside = account->attached_ns > others ? account->attached_ns - others : 0;
	return times;
}

static uint64_t lost_of(const struct times *times)
{
	return times->aborted + times->paused + times->waiting;
}

static uint64_t commits_of(const struct stmlog_account *account)
{
	return account->commits + account->unmeasured_commits;
}

static uint64_t aborts_of(const struct stmlog_account *account)
{
	return sum_of(account->aborts) + account->unmeasured_aborts;
}

static void put_columns(struct out *out, const char *const columns[5])
{
	static const size_t widths[] = {0, 14, 9, 13, 13};
	text_left(out, strlen("descheduled"), columns[0]);
	for (size_t i = 1; i < 5 && columns[i] != NULL; i++)
		text_right(out, widths[i], columns[i]);
	out_text(out, "\n");
}

/* `count`: NULL for a time without a count. */
static void put_row_of(struct out *out, const struct sections *sections, const char *name, bool is_estimate,
	uint64_t ns, const uint64_t *count)
{
	char time[80];
	struct number share = number_share(ns, sections->all.total.account.attached_ns), number = {""}, rate = {""};
	snprintf(time, sizeof time, "%s%s", is_estimate ? "~ " : "", number_time(ns).text);
	if (count != NULL) {
		number = number_count(*count);
		rate = number_rate(*count, sections->all.wall_ns);
	}
	put_columns(out, (const char *const[]){name, time, share.text, count != NULL ? number.text : NULL, rate.text});
}

static void put_row(
	struct out *out, const struct sections *sections, const char *name, uint64_t ns, const uint64_t *count)
{
	put_row_of(out, sections, name, session_is_sampled(), ns, count);
}

static void put_account(struct out *out, const struct sections *sections, const struct times *times)
{
	const struct stmlog_account *account = &sections->all.total.account;
	uint64_t commits = commits_of(account), aborts = aborts_of(account);
	uint64_t waits = account->waits_inevitable + account->waits_none;
	put_columns(out, (const char *const[]){"account", "time", "share", "count", "per second"});
	put_row(out, sections, "committed", times->committed, &commits);
	put_row(out, sections, "aborted", times->aborted, &aborts);
	put_row(out, sections, "paused", times->paused, &account->pauses);
	put_row(out, sections, "waiting", times->waiting, &waits);
	if (account->blocked != 0)
		put_row(out, sections, "blocked", times->blocked, &account->blocked);
	if (number_said(sections, "descheduled_known") != 0)
		put_row(out, sections, "descheduled", account->descheduled_ns, &account->descheduled);
	put_row(out, sections, "other", times->other, &account->others);
	put_row(out, sections, "outside", times->outside, NULL);
	put_row_of(out, sections, "open", false, account->open_ns, NULL);
	put_row_of(out, sections, "attached", false, account->attached_ns, NULL);
}

/* The attached time minus all measured parts: 0 unless the library has a fault. */
static int64_t residual_of(const struct stmlog_account *account)
{
	return (int64_t)(account->attached_ns - account->outside_ns - account->committed_ns -
			 sum_of(account->aborted_ns) - account->paused_ns - account->waiting_inevitable_ns -
			 account->waiting_none_ns - account->other_ns - account->blocked_ns - account->descheduled_ns -
			 account->open_ns);
}

/* ---- lines below it ---- */

static void put_residual(struct out *out, const struct sections *sections)
{
	const struct stmlog_account *account = &sections->all.total.account;
	char residual[32];
	snprintf(residual, sizeof residual, "residual %" PRId64 " ns\n", residual_of(account));
	out_texts(out, residual, number_rate(commits_of(account), sections->all.wall_ns).text, " transactions and ",
		number_rate(commits_of(account) + aborts_of(account), sections->all.wall_ns).text,
		" attempts per second\n", NULL);
}

static void put_sampling(struct out *out, const struct sections *sections)
{
	const struct stmlog_account *account = &sections->all.total.account;
	uint64_t timed = sections->all.total.spread.timed_commits;
	if (session_is_sampled())
		out_texts(out, "~: estimated from ", number_count(timed + account->commits).text, " of ",
			number_count(commits_of(account)).text, " transactions; losses are counted in ",
			number_count(account->commits).text, " of them\n", NULL);
	if (session_is_sampled() && strcmp(said(sections, "counters_known"), "0") == 0)
		out_text(out, "aborts of transactions that were not measured are missing\n");
	if (number_said(sections, "waits_estimated") != 0)
		out_text(out, "times of pauses and waits: estimated from how long the STM's calls have taken\n");
}

static void put_probes(struct out *out, const struct sections *sections)
{
	uint64_t events = sections->all.total.account.events, cost_ns = sections->all.probe_cost_ns;
	if (events != 0)
		out_texts(out, "probes: ", number_count(events).text, " events x ",
			number_rounded((double)cost_ns / (double)events, 1).text,
			" ns = ", number_share(cost_ns, sections->all.total.account.attached_ns).text, " of the run\n",
			NULL);
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
		out_texts(out, before, losses[i].name, ": ", number_count(count).text, NULL);
		before = ", ";
	}
	out_text(out, before[0] == ',' ? "\n" : "");
}

/* Writes how to get what this report does not have. */
static void put_last_line(struct out *out, const struct sections *sections)
{
	out_text(out, "\nFindings, intervals, functions and lines: ");
	if (sections->file == NULL) {
		out_text(out, "STMLOG_OPTIONS=out=FILE, then stmlog report FILE\n");
		return;
	}
	out_text(out, "stmlog report ");
	text_name(out, sections->file);
	out_text(out, "\n");
}

/* ---- all ---- */

static bool is_of_nothing(const struct sections *sections)
{
	const struct stmlog_account *account = &sections->all.total.account;
	return commits_of(account) + aborts_of(account) + account->blocked_unattached == 0 &&
	       account->attached_ns == account->outside_ns && sections->entries.len == 0 && sections->timeline == NULL;
}

static void write_report(struct out *out, const struct sections *sections)
{
	struct times times = times_of(&sections->all.total.account);
	put_first_line(out, sections);
	if (is_of_nothing(sections)) {
		out_text(out, ": nothing was recorded\n");
		put_not_recorded(out, sections);
		return;
	}
	out_text(out, "\n\n");
	put_account(out, sections, &times);
	put_residual(out, sections);
	put_sampling(out, sections);
	put_probes(out, sections);
	put_not_recorded(out, sections);
	out_text(out, "\n");
	if (sections->entries.len + sections->all.log->totals.evicted.count != 0)
		costliest_write(out, sections, lost_of(&times));
	else if (lost_of(&times) + sections->open.len == 0)
		out_text(out, "Nothing was lost: no transaction aborted, paused or waited.\n");
	else
		out_text(out, "No abort, pause or wait was measured to its end.\n");
	put_last_line(out, sections);
}

int sections_report(const struct sections *sections, int fd)
{
	struct out out;
	out_begin(&out, fd);
	write_report(&out, sections);
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
