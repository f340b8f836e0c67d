/* SPDX-License-Identifier: MIT
 * The text report, made by the process itself, for whoever has no command at hand. Here: the sums, and
 * the order of the parts. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "figures.h"
#include "gather.h"
#include "out.h"
#include "report_parts.h"
#include "session.h"

struct sum_line {
	const char *name;
	uint64_t ns;
	uint64_t count;
	const char *unit;
	bool is_known; /* never estimated */
};

static void pad(struct out *out, const char *text, size_t width)
{
	out_text(out, text);
	for (size_t len = strlen(text); len < width; len++)
		out_text(out, " ");
}

static void show_sum(struct out *out, const struct sum_line *line, uint64_t attached_ns)
{
	out_text(out, "  ");
	pad(out, line->name, 11);
	out_text(out, session_is_sampled() && !line->is_known ? "~ " : "");
	out_duration(out, line->ns);
	out_text(out, " (");
	out_percent(out, line->ns, attached_ns);
	out_text(out, ")");
	if (line->unit != NULL) {
		out_text(out, ", ");
		out_counted(out, line->count, line->unit);
	}
	out_text(out, "\n");
}

static uint64_t estimated_aborted_ns(const struct stmlog_account *sum)
{
	uint64_t ns = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		ns += sum->estimated_aborted_ns[c];
	return ns;
}

/* What the estimates leave of the time that transactions were not measured in. */
static uint64_t outside_ns(const struct stmlog_account *sum)
{
	uint64_t more_ns = sum->estimated_committed_ns - sum->committed_ns + estimated_aborted_ns(sum) -
			   figures_aborted_ns(sum) + sum->estimated_paused_ns - sum->paused_ns +
			   sum->estimated_waiting_inevitable_ns - sum->waiting_inevitable_ns +
			   sum->estimated_waiting_none_ns - sum->waiting_none_ns + sum->estimated_other_ns -
			   sum->other_ns;
	return sum->outside_ns > more_ns ? sum->outside_ns - more_ns : 0;
}

static void show_sums(struct out *out, const struct stmlog_account *sum)
{
	const struct sum_line lines[] = {
		{"committed", sum->estimated_committed_ns, sum->commits + sum->unmeasured_commits, "transaction",
			false},
		{"aborted", estimated_aborted_ns(sum), figures_aborts(sum) + sum->unmeasured_aborts, "attempt", false},
		{"paused", sum->estimated_paused_ns, sum->pauses, "pause", false},
		{"waiting", sum->estimated_waiting_inevitable_ns + sum->estimated_waiting_none_ns,
			sum->waits_inevitable + sum->waits_none, "wait", false},
		{"other", sum->estimated_other_ns, sum->others, "time", false},
		{"outside", outside_ns(sum), 0, NULL, false},
		{"open", sum->open_ns, 0, NULL, true},
		{"attached", sum->attached_ns, 0, NULL, true},
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (lines[i].ns != 0 || lines[i].count != 0 || i < 2)
			show_sum(out, &lines[i], sum->attached_ns);
	if (sum->pauses + sum->waits_inevitable + sum->waits_none != 0 && session_fact("waits_estimated") != 0)
		out_text(out, "  estimated  times of pauses and waits, from how long calls have taken\n");
	out_text(out, "  residual   ");
	out_number(out, (uint64_t)figures_residual_ns(sum));
	out_text(out, " ns\n");
}

/* Per second of the wall clock. */
static void show_rates(struct out *out, const struct gathered *all)
{
	const struct stmlog_account *sum = &all->total.account;
	uint64_t commits = sum->commits + sum->unmeasured_commits;
	uint64_t attempts = commits + figures_aborts(sum) + sum->unmeasured_aborts;
	if (all->wall_ns == 0)
		return;
	out_text(out, "  rates      ");
	out_count(out, (uint64_t)((unsigned __int128)commits * 1000000000u / all->wall_ns));
	out_text(out, " transactions and ");
	out_count(out, (uint64_t)((unsigned __int128)attempts * 1000000000u / all->wall_ns));
	out_text(out, " attempts per second\n");
}

static void show_probe(struct out *out, const struct gathered *all)
{
	if (all->probe_cost_ns == 0)
		return;
	out_text(out, "  probes     ");
	out_counted(out, all->total.account.events, "clock reading");
	out_text(out, ", about ");
	out_percent(out, all->probe_cost_ns, all->total.account.attached_ns);
	out_text(out, " of the time\n");
}

static void show_loss(struct out *out, uint64_t count, const char *what)
{
	if (count == 0)
		return;
	out_text(out, "  not recorded: ");
	out_counted(out, count, what);
	out_text(out, "\n");
}

static void show_losses(struct out *out, const struct gathered *all)
{
	show_loss(out, all->total.tracebacks_unavailable, "traceback");
	show_loss(out, all->total.writes_unrecorded, "write");
	show_loss(out, all->logs_unread, "timelog");
	show_loss(out, all->misuses, "mistaken call");
	show_loss(out, all->refused, "unattached thread");
	show_loss(out, all->threads_dropped, "account by thread");
}

/* ---- the whole ---- */

static void show_method(struct out *out)
{
	const char *method = session_word("method");
	if (method != NULL)
		out_texts(out, strcmp(method, "unknown") == 0 ? ", method " : " ", method, NULL);
}

static void show_head(struct out *out, const struct gathered *all)
{
	const struct stmlog_account *sum = &all->total.account;
	out_texts(out, "stmlog: ", session.setup.runtime, NULL);
	show_method(out);
	out_text(out, ", ");
	out_counted(out, all->threads_len - (all->threads_dropped != 0) + all->threads_dropped, "thread");
	if (session.processors != 0) {
		out_text(out, " on ");
		out_counted(out, session.processors, "processor");
	}
	out_text(out, ", ");
	out_duration(out, sum->attached_ns);
	out_text(out, " attached, ");
	out_counted(out, sum->commits + sum->unmeasured_commits, "transaction");
	if (session_is_sampled()) {
		out_text(out, ", 1 in ");
		out_number(out, AO_load(&session.sample_every));
		out_text(out, " measured: ~ is for all of them, +- its 95 % interval, counts of losses are not scaled");
	}
}

int stmlog_report(int fd)
{
	struct gathered all;
	struct out out;
	if (!session_is_open())
		return -EINVAL;
	session_before_report();
	int error = gather(&all, session.began_ns);
	if (error != 0)
		return error;
	out_begin(&out, fd);
	show_head(&out, &all);
	if (timelog_recorded(all.log).count == 0) {
		out_text(&out, ", nothing lost\n");
		show_losses(&out, &all);
	} else {
		out_text(&out, "\n");
		show_sums(&out, &all.total.account);
		show_rates(&out, &all);
		show_probe(&out, &all);
		show_losses(&out, &all);
		report_show_entries(&out, all.log);
		report_show_pairs(&out, all.log);
	}
	gathered_drop(&all);
	return out_end(&out);
}
