/* SPDX-License-Identifier: MIT
 * The lines of the first screen about sums and time. Shares are of the time in which the threads had processors: the
 * time without one grows with what other programs run, and has a figure of its own. */
#include <string.h>

#include "number.h"
#include "recorded_account.h"
#include "report_memory.h"
#include "screen.h"
#include "short_name.h"
#include "utf8.h"

enum { USUAL_WIDTH = 80, MIN_WIDTH = 40, BAR = 30, PARTS_MAX = 16 };

/* ---- lines of parts ---- */

/* Texts that are printed side by side; a text that does not fit begins a new line. */
struct parts {
	char *at[PARTS_MAX];
	size_t len;
};

static void parts_add(struct parts *parts, char *text)
{
	if (parts->len < PARTS_MAX)
		parts->at[parts->len++] = text;
	else
		memory_free(text);
}

static size_t screen_width(const struct report *report)
{
	size_t width = report->out->width != 0 ? report->out->width : USUAL_WIDTH;
	return width > MIN_WIDTH ? width : MIN_WIDTH;
}

size_t screen_limit(const struct report *report)
{
	return report->out->width != 0 ? screen_width(report) : fit_limit(0);
}

void screen_print_line(const struct report *report, size_t indent, char *text)
{
	printer_spaces(report->out, indent);
	printer_format(report->out, "%s\n", fit_cut(text, screen_limit(report) - indent));
	memory_free(text);
}

/* Frees the parts. Returns how many lines it has printed. */
static size_t print_parts(const struct report *report, struct parts *parts, size_t indent, const char *between)
{
	size_t used = 0, lines = 0, max = screen_width(report);
	for (size_t i = 0; i < parts->len; i++) {
		char *text = fit_cut(parts->at[i], max - indent);
		if (used > 0 && used + strlen(between) + fit_width(text) > max) {
			printer_text(report->out, "\n");
			used = 0;
		} else if (used > 0) {
			printer_text(report->out, between);
			used += strlen(between);
		}
		lines += used == 0;
		printer_spaces(report->out, used == 0 ? indent : 0);
		used += (used == 0 ? indent : 0) + fit_width(text);
		printer_text(report->out, text);
		memory_free(text);
	}
	printer_text(report->out, parts->len > 0 ? "\n" : "");
	return lines;
}

/* ---- the time on processors ---- */

/* The parts of it, of which aborted has no attempts that the program has ended by a retry; and the sum. */
struct running {
	struct account_parts parts;
	uint64_t ns, off_ns;
};

static struct running running_of(const struct report *report, const struct ranking *ranking)
{
	const struct recording *recording = report->recording;
	struct running running = {.parts = account_parts(recording), .ns = account_running_ns(recording)};
	uint64_t *ns = running.parts.ns;
	running.off_ns = account_total(recording).attached_ns - running.ns;
	ns[STMLOG_ACCOUNT_DESCHEDULED] = 0;
	uint64_t retried_ns = smaller_ns(ranking->retried_ns, ns[STMLOG_ACCOUNT_ABORTED]);
	ns[STMLOG_ACCOUNT_ABORTED] -= retried_ns;
	ns[STMLOG_ACCOUNT_BLOCKED] += retried_ns;
	return running;
}

unsigned screen_lost_tenths(const struct report *report, const struct ranking *ranking)
{
	struct running running = running_of(report, ranking);
	struct account_shares shares = account_shares_of(&running.parts, running.ns);
	return account_lost_tenths(&shares);
}

/* ---- the sums ---- */

/* "1 attempt in 42 aborts"; if more than one in ten aborts, their share. */
static char *account_aborts_text(uint64_t commits, uint64_t aborts)
{
	uint64_t attempts = commits + aborts;
	if (aborts == 0)
		return memory_text("no attempt aborts");
	if (attempts / aborts < 10)
		return memory_format("%s of the attempts abort", number_share(aborts, attempts).text);
	return memory_format("1 attempt in %s aborts", number_count(attempts / aborts).text);
}

static double tenths_of(uint64_t ns, uint64_t whole_ns)
{
	double tenths = whole_ns != 0 ? (double)ns / (double)whole_ns * 1000 : 0;
	return tenths < 1000 ? tenths : 1000;
}

/* The interval is rounded outwards. It has no width only if all transactions were measured. */
static char *lost_interval(const struct estimate *lost, unsigned tenths, uint64_t whole_ns)
{
	unsigned low = (unsigned)tenths_of(lost->low_ns, whole_ns), high = 0;
	double exact_high = tenths_of(lost->high_ns, whole_ns);
	high = (unsigned)exact_high + ((unsigned)exact_high < exact_high);
	low = low < tenths ? low : tenths;
	high = high > tenths ? high : tenths;
	if (lost->is_exact)
		return memory_text("");
	high += low == high && high < 1000;
	low -= low == high && low > 0;
	return memory_format(" (%u.%u - %s)", low / 10, low % 10, number_tenths(high).text);
}

/* The share of lost time is the sum of the shares that the bars show. */
static char *lost_text(
	const struct ranking *ranking, const struct account_shares *shares, const struct running *running)
{
	unsigned tenths = account_lost_tenths(shares);
	char *interval = lost_interval(&ranking->total, tenths, running->ns);
	char *text = memory_format("%s%s of the time on processors is lost", number_tenths(tenths).text, interval);
	memory_free(interval);
	return text;
}

/* Blocked time is not lost time, but some programs spend most of their time blocked. */
static char *blocked_text(const struct recorded_account *total)
{
	uint64_t count = account_times_blocked(total);
	return memory_format("%s %s blocked after a retry, %s in vain", number_count(count).text, report_times(count),
		number_count(account_futile_wakes(total)).text);
}

/* ---- the bars ---- */

static char *bar_text(const char *name, unsigned tenths)
{
	static const char bar[BAR + 1] = "##############################";
	size_t len = (tenths * BAR + 500) / 1000;
	len = len < BAR ? len : BAR;
	return memory_format("%s %.*s%s%s", name, (int)len, bar, len > 0 ? " " : "", number_tenths(tenths).text);
}

/* Leaves out parts of less than a tenth of a percent. */
static size_t print_bars(const struct report *report, const struct account_shares *shares)
{
	static const size_t order[] = {STMLOG_ACCOUNT_COMMITTED, STMLOG_ACCOUNT_ABORTED, STMLOG_ACCOUNT_PAUSED,
		STMLOG_ACCOUNT_WAITING, STMLOG_ACCOUNT_BLOCKED, STMLOG_ACCOUNT_OTHER, STMLOG_ACCOUNT_OUTSIDE,
		ACCOUNT_OPEN};
	struct parts parts = {.len = 0};
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		const char *name = order[i] == ACCOUNT_OPEN ? "open" : account_row_name(order[i]);
		if (shares->tenths[order[i]] != 0)
			parts_add(&parts, bar_text(name, shares->tenths[order[i]]));
	}
	return print_parts(report, &parts, 2, "  ");
}

/* Prints a line for each part that has time without a measured loss. */
static size_t print_unexplained(const struct report *report, const struct account_shares *shares)
{
	size_t lines = 0;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		bool is_loss = (TALLY_LOSSES & TALLY_ROW(row)) != 0;
		char *text = is_loss ? account_unexplained_text(report->recording, row, shares->tenths[row]) : NULL;
		if (text != NULL)
			screen_print_line(report, 2, text);
		lines += text != NULL;
	}
	return lines;
}

/* ---- little is lost ---- */

/* In tenths of a percent: below this, little is lost; and below it with all transactions, they are not worth a look. */
enum { LITTLE = 100 };

/* The site of the transactions that have committed for the longest measured time; NULL: none is known. */
static const struct stmlog_transaction_record *longest_committed(const struct recording *recording)
{
	const struct stmlog_transaction_record *max = NULL;
	for (size_t i = 0; i < recording->transaction_count; i++) {
		const struct stmlog_transaction_record *record = &recording->transactions[i];
		if (record->site != STMLOG_NO_SITE && record->commits != 0 &&
			(max == NULL || record->committed_ns > max->committed_ns))
			max = record;
	}
	return max;
}

/* "committed 48.0 %: mostly anyOf choices.hs:31, 670 us each" */
static size_t print_committed(const struct report *report, unsigned tenths)
{
	const struct stmlog_transaction_record *record = longest_committed(report->recording);
	if (record == NULL)
		return 0;
	const struct symbol_frame *frame = symbols_site(report->symbols, record->site)->frames;
	char buffer[REPORT_FUNCTION];
	char *line = report_line_of(report, frame);
	char *name = utf8_cleaned(short_name(report_function_of(frame, buffer)));
	double reads = record->reads_known != 0 ? (double)record->reads / (double)record->reads_known : 0;
	uint64_t whole = estimate_whole(reads);
	char *reads_text = whole >= 1 ? memory_format(", %s read%s", number_count(whole).text, whole == 1 ? "" : "s")
				      : memory_text("");
	char *text = memory_format("committed %s: mostly %s%s%s, %s each%s", number_tenths(tenths).text, name,
		line != NULL ? " " : "", line != NULL ? line : "",
		number_time(record->committed_ns / record->commits).text, reads_text);
	memory_free(reads_text);
	screen_print_line(report, 0, text);
	memory_free(name);
	memory_free(line);
	return 1;
}

/* The time without a processor is that of transactions, too, but no part of the shares. */
static size_t print_little(const struct report *report, const struct ranking *ranking, const struct running *running,
	const struct account_shares *shares)
{
	unsigned lost = account_lost_tenths(shares), committed = shares->tenths[STMLOG_ACCOUNT_COMMITTED];
	unsigned all = lost + committed + shares->tenths[STMLOG_ACCOUNT_BLOCKED] + shares->tenths[ACCOUNT_OPEN];
	if (lost >= LITTLE || recording_hides_losses(report->recording))
		return 0;
	if (committed >= LITTLE)
		return print_committed(report, committed);
	bool waits_for_ever = ranking->len > 0 && ranking->rows[0].for_ever != 0;
	if (all >= LITTLE || tenths_of(running->off_ns, running->ns + running->off_ns) >= LITTLE || waits_for_ever ||
		account_has_unexplained(report->recording))
		return 0;
	screen_print_line(report, 0,
		memory_format("Transactions take %s of the time: look elsewhere%s.", number_tenths(all).text,
			ranking->len > 0 ? " first, then at these rows" : ""));
	return 1;
}

size_t screen_print_account(const struct report *report, const struct ranking *ranking)
{
	struct recorded_account total = account_total(report->recording);
	struct running running = running_of(report, ranking);
	struct account_shares shares = account_shares_of(&running.parts, running.ns);
	struct parts parts = {.len = 0};
	uint64_t wall_ns = report->recording->info.wall_ns;
	bool are_losses_seen = !recording_hides_losses(report->recording);
	if (wall_ns != 0)
		parts_add(&parts, memory_format("%s commits/s", number_rate(total.commits, wall_ns).text));
	if (are_losses_seen)
		parts_add(&parts,
			account_aborts_text(total.commits, total.aborts - smaller_ns(total.aborts, ranking->retries)));
	if (are_losses_seen && running.ns != 0)
		parts_add(&parts, lost_text(ranking, &shares, &running));
	if (tenths_of(running.off_ns, total.attached_ns) >= 10)
		parts_add(&parts, memory_format("no processor for %s of the time",
					  number_share(running.off_ns, total.attached_ns).text));
	if (account_times_blocked(&total) != 0)
		parts_add(&parts, blocked_text(&total));
	size_t lines = print_parts(report, &parts, 0, "; ");
	if (ranking->wakes_text != NULL)
		screen_print_line(report, 0, memory_text(ranking->wakes_text));
	lines += ranking->wakes_text != NULL;
	if (running.ns == 0)
		return lines;
	lines += print_bars(report, &shares);
	lines += print_unexplained(report, &shares);
	return lines + print_little(report, ranking, &running, &shares);
}
