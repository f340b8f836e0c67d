/* SPDX-License-Identifier: MIT
 * Prints the first screen of a report, SCREEN_LINES lines of a terminal's width: how fast the program was, where the
 * threads' time went, and the findings. All lines fit the width; if the width is not known, as in a pipe, nothing is
 * cut. */
#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include "open_kind.h"
#include "recorded_account.h"
#include "findings.h"
#include "fit.h"
#include "number.h"
#include "quoted.h"
#include "report_frames.h"
#include "report_memory.h"
#include "utf8.h"

enum { SCREEN_LINES = 24, USUAL_WIDTH = 80, MIN_WIDTH = 40, MIN_COMMAND = 8, BAR = 30, PARTS_MAX = 16 };

/* ---- lines of parts ---- */

/* Texts that are printed side by side; a text that does not fit begins a new line. */
struct parts {
	char *at[PARTS_MAX];
	size_t len;
};

static void add(struct parts *parts, char *text)
{
	if (parts->len < PARTS_MAX)
		parts->at[parts->len++] = text;
	else
		memory_free(text);
}

static size_t width_of(const struct report *report)
{
	size_t width = report->out->width != 0 ? report->out->width : USUAL_WIDTH;
	return width > MIN_WIDTH ? width : MIN_WIDTH;
}

static size_t limit_of(const struct report *report)
{
	return report->out->width != 0 ? width_of(report) : fit_limit(0);
}

/* Frees the parts. Returns how many lines it has printed. */
static size_t print_parts(const struct report *report, struct parts *parts, size_t indent, const char *between)
{
	size_t used = 0, lines = 0, max = width_of(report);
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
	printer_text(report->out, "\n");
	return lines;
}

/* ---- the head ---- */

static char *command_of(const struct recording_info *info)
{
	char *text = memory_text(symbol_basename(info->args.len > 0 ? info->args.at[0] : info->program));
	for (size_t i = 1; i < info->args.len; i++) {
		char *longer = memory_format("%s %s", text, info->args.at[i]);
		memory_free(text);
		text = longer;
	}
	return utf8_cleaned(text);
}

static char *measured_text(const struct recording *recording)
{
	uint64_t commits = account_total(recording).commits, measured = account_measured_commits(recording);
	if (!recording_is_sampled(recording))
		return memory_text("all measured");
	if (measured == 0)
		return memory_text("none measured");
	return memory_format("1 in %s measured", number_count((commits + measured / 2) / measured).text);
}

static char *runtime_text(const struct recording_info *info)
{
	const char *runtime = info->runtime[0] != '\0' ? info->runtime : "unknown runtime";
	return utf8_cleaned(memory_format("%s%s%s", runtime, info->method[0] != '\0' ? ", " : "", info->method));
}

/* Prints the warnings above everything else, because they say how far the figures can be trusted. Returns how many
 * lines it has printed. */
static size_t print_warnings(const struct report *report, const struct findings *findings)
{
	struct screen_warnings warnings = screen_warnings_of(report->recording, findings);
	size_t lines = 0;
	for (size_t i = 0; i < SCREEN_WARNINGS; i++) {
		if (warnings.at[i] == NULL)
			continue;
		printer_marked(report->out, PRINTER_CAUSE, fit_cut(warnings.at[i], limit_of(report)));
		printer_text(report->out, "\n");
		memory_free(warnings.at[i]);
		lines++;
	}
	return lines;
}

/* Leaves out facts, from the last on, and cuts the command until the line fits. */
static void print_head(const struct report *report)
{
	const struct recording *recording = report->recording;
	char *facts[] = {runtime_text(&recording->info), report_threads_text(recording),
		memory_text(number_time(recording->info.wall_ns).text), measured_text(recording)};
	const char *between = "   ";
	size_t count = sizeof facts / sizeof facts[0], shown = 0, head = strlen("stmlog  ");
	size_t left = limit_of(report) - head - MIN_COMMAND;
	for (; shown < count && fit_width(facts[shown]) + strlen(between) <= left; shown++)
		left -= fit_width(facts[shown]) + strlen(between);
	char *command = fit_cut(command_of(&recording->info), MIN_COMMAND + left);
	printer_bold(report->out, "stmlog");
	printer_format(report->out, "  %s", command);
	for (size_t i = 0; i < shown; i++)
		printer_format(report->out, "%s%s", between, facts[i]);
	printer_text(report->out, "\n\n");
	for (size_t i = 0; i < count; i++)
		memory_free(facts[i]);
	memory_free(command);
}

/* ---- the sums ---- */

/* "1 attempt in 42 aborts"; if more than one in ten aborts, their share. */
static char *aborts_text(const struct recorded_account *account)
{
	uint64_t attempts = account->commits + account->aborts;
	if (account->aborts == 0)
		return memory_text("no attempt aborts");
	if (attempts / account->aborts < 10)
		return memory_format("%s of the attempts abort", number_share(account->aborts, attempts).text);
	return memory_format("1 attempt in %s aborts", number_count(attempts / account->aborts).text);
}

static double tenths_of(uint64_t ns, uint64_t threads_ns)
{
	double tenths = (double)ns / (double)threads_ns * 1000;
	return tenths < 1000 ? tenths : 1000;
}

/* The interval is rounded outwards. It has no width only if all transactions were measured. */
static char *lost_interval(const struct estimate *lost, unsigned tenths, uint64_t threads_ns)
{
	unsigned low = (unsigned)tenths_of(lost->low_ns, threads_ns), high = 0;
	double exact_high = tenths_of(lost->high_ns, threads_ns);
	high = (unsigned)exact_high + ((unsigned)exact_high < exact_high);
	low = low < tenths ? low : tenths;
	high = high > tenths ? high : tenths;
	if (lost->is_exact)
		return memory_text("");
	high += low == high && high < 1000;
	low -= low == high && low > 0;
	return memory_format(" (%u.%u - %s)", low / 10, low % 10, number_tenths(high).text);
}

/* The share of lost time is the sum of the shares that the bar shows. */
static char *lost_text(const struct report *report, const struct account_shares *shares, uint64_t threads_ns)
{
	struct estimate lost = estimate_of_total(report->recording);
	unsigned tenths = account_lost_tenths(shares);
	char *interval = lost_interval(&lost, tenths, threads_ns);
	char *text = memory_format("%s%s of the threads' time is lost", number_tenths(tenths).text, interval);
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

static char *bar_text(const char *name, unsigned tenths)
{
	static const char bar[BAR + 1] = "##############################";
	size_t len = (tenths * BAR + 500) / 1000;
	len = len < BAR ? len : BAR;
	return memory_format("%s %.*s%s%s", name, (int)len, bar, len > 0 ? " " : "", number_tenths(tenths).text);
}

/* Leaves out rows of less than a tenth of a percent. */
static size_t print_bar(const struct report *report, const struct account_shares *shares)
{
	static const size_t order[ACCOUNT_SHARES] = {STMLOG_ACCOUNT_COMMITTED, STMLOG_ACCOUNT_ABORTED,
		STMLOG_ACCOUNT_PAUSED, STMLOG_ACCOUNT_WAITING, STMLOG_ACCOUNT_BLOCKED, STMLOG_ACCOUNT_DESCHEDULED,
		STMLOG_ACCOUNT_OTHER, STMLOG_ACCOUNT_OUTSIDE, ACCOUNT_OPEN};
	struct parts parts = {.len = 0};
	for (size_t i = 0; i < ACCOUNT_SHARES; i++) {
		const char *name = order[i] == ACCOUNT_OPEN ? "open" : account_row_name(order[i]);
		if (shares->tenths[order[i]] != 0)
			add(&parts, bar_text(name, shares->tenths[order[i]]));
	}
	return parts.len > 0 ? print_parts(report, &parts, 2, "  ") : 0;
}

/* Prints a line for each row that has time without a measured loss. */
static size_t print_unexplained(const struct report *report, const struct account_shares *shares)
{
	size_t lines = 0;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		bool is_loss = (TALLY_LOSSES & TALLY_ROW(row)) != 0;
		char *text = is_loss ? account_unexplained_text(report->recording, row, shares->tenths[row]) : NULL;
		if (text != NULL) {
			printer_spaces(report->out, 2);
			printer_format(report->out, "%s\n", fit_cut(text, limit_of(report) - 2));
			lines++;
		}
		memory_free(text);
	}
	return lines;
}

/* Where all time of the threads went. Returns how many lines it has printed. */
static size_t print_time(const struct report *report, const struct account_shares *shares)
{
	return print_bar(report, shares) + print_unexplained(report, shares);
}

/* Returns how many lines it has printed. */
static size_t print_sums(const struct report *report)
{
	struct recorded_account total = account_total(report->recording);
	struct account_shares shares = account_shares(report->recording);
	struct parts parts = {.len = 0};
	uint64_t wall_ns = report->recording->info.wall_ns;
	if (wall_ns != 0)
		add(&parts, memory_format("%s commits/s", number_rate(total.commits, wall_ns).text));
	bool are_losses_seen = !recording_hides_losses(report->recording);
	if (are_losses_seen)
		add(&parts, aborts_text(&total));
	if (are_losses_seen && total.attached_ns != 0)
		add(&parts, lost_text(report, &shares, total.attached_ns));
	if (account_times_blocked(&total) != 0)
		add(&parts, blocked_text(&total));
	size_t lines = parts.len > 0 ? print_parts(report, &parts, 0, "; ") : 0;
	return lines + (total.attached_ns != 0 ? print_time(report, &shares) : 0);
}

/* ---- transactions and waits under way ---- */

enum { OPEN_SHOWN_MAX = 3 };

/* ", bank.c:61 transfer"; "" if the site is not known. */
static char *place_behind_comma(const struct report *report, uint32_t site)
{
	if (site == STMLOG_NO_SITE)
		return memory_text("");
	char *spot = report_spot_of(report, symbols_site(report->symbols, site)->frames);
	char *place = utf8_cleaned(memory_format(", %s", spot));
	memory_free(spot);
	return place;
}

/* Frees the text. */
static void print_open_line(const struct report *report, char *text, size_t width)
{
	printer_format(report->out, "%s\n", cut_name(text, width));
	memory_free(text);
}

/* "open 12.10 s: commit of thread 2, bank.c:61 transfer" */
static void print_what(const struct report *report, const struct stmlog_open_record *open, size_t width)
{
	const char *kind = open_kind_name(open->kind);
	char *place = place_behind_comma(report, open->site);
	print_open_line(report,
		memory_format("open %s: %s of thread %" PRIu32 "%s", number_time(open->open_ns).text,
			kind != NULL ? kind : "work", open->thread, place),
		width);
	memory_free(place);
}

/* "    because of thread 1, bank.c:85 audit (candidate)" */
static void print_because(const struct report *report, const struct stmlog_open_record *open, size_t width)
{
	char *place = place_behind_comma(report, open->other_site);
	print_open_line(report,
		memory_format("    because of thread %" PRIu32 "%s (%s)", open->other_thread, place,
			stmlog_grade_name(open->grade)),
		width);
	memory_free(place);
}

/* Two lines for each transaction or wait that has been open longest, in a full report for all: what is open, and the
 * transaction that is in its way. Returns how many lines it has printed: 0 if the recording is not a snapshot, or
 * nothing was under way. */
static size_t print_open(const struct report *report, size_t width)
{
	size_t len = report->recording->open_count, lines = 0;
	for (size_t i = 0; i < len && (i < OPEN_SHOWN_MAX || report->options.is_full); i++) {
		const struct stmlog_open_record *open = &report->recording->open[i];
		bool has_other = open->other_thread != 0;
		print_what(report, open, width);
		if (has_other)
			print_because(report, open, width);
		lines += has_other ? 2 : 1;
	}
	return lines;
}

/* ---- the findings ---- */

/* The text in parentheses behind the rule's title: the consequences of the losses if there are any, which say more;
 * else the part of aborts. */
static const char *beside_title(const struct finding *finding)
{
	return finding->via_text[0] != '\0' ? finding->via_text : finding->share_text;
}

/* "hot word (47 % of aborts): accounts". If there is no room for both, the parentheses are left out. */
static char *title_text(const struct finding *finding, size_t room)
{
	const char *title = finding_rule_row(finding->rule)->title, *beside = beside_title(finding);
	char *text = memory_format("%s (%s): %s", title, beside, finding->where_text);
	if (beside[0] != '\0' && fit_width(text) <= room)
		return text;
	memory_free(text);
	return cut_name(memory_format("%s: %s", title, finding->where_text), room);
}

/* " 1    ~ 1.67 s   45.6 %  hot word (47 % of aborts): accounts" */
static void print_first_line(const struct report *report, const struct finding *finding, size_t rank)
{
	struct estimate total = estimate_of_total(report->recording);
	char *figures = memory_format("%2zu  %10s  %7s  ", rank, estimate_point(&finding->lost).text,
		number_share(finding->lost.ns, total.ns).text);
	size_t max = limit_of(report), used = fit_width(figures);
	char *text = title_text(finding, max > used ? max - used : 0);
	char *title = memory_format("%.*s", (int)strlen(finding_rule_row(finding->rule)->title), text);
	printer_marked(report->out, PRINTER_LOSS, figures);
	printer_marked(report->out, PRINTER_CAUSE, title);
	printer_format(report->out, "%s\n", text + strlen(title));
	memory_free(title);
	memory_free(figures);
	memory_free(text);
}

/* "because of bank.c:61 transfer; try: shorten it". The reason is cut if the line does not fit. */
static void print_second_line(const struct report *report, const struct finding *finding)
{
	enum { INDENT = 4 };
	bool has_reason = finding->because_text[0] != '\0';
	char *reason = memory_format("%s%s", has_reason ? "because of " : "", finding->because_text);
	char *try = memory_format("%stry: %s", has_reason ? "; " : "", finding->advice);
	size_t room = limit_of(report) - INDENT, used = fit_width(try);
	cut_name(reason, room > used ? room - used : 0);
	char *line = memory_format("%s%s", reason, try);
	printer_spaces(report->out, INDENT);
	printer_format(report->out, "%s\n", fit_cut(line, room));
	memory_free(try);
	memory_free(reason);
	memory_free(line);
}

/* Whether a finding before this one is of the same rule. */
static bool is_further(const struct findings *findings, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (findings->at[i].rule == findings->at[number].rule)
			return true;
	return false;
}

/* The order in which findings get room: first the costliest of each rule, so that no rule takes the room of all others,
 * and among these the rules that name a cause before those that only name a transaction. */
enum { FIRST_CAUSE, FIRST_TRANSACTION, FURTHER, CHOICES };

static int choice_of(const struct findings *findings, size_t number)
{
	enum finding_rule rule = findings->at[number].rule;
	if (is_further(findings, number))
		return FURTHER;
	bool is_place = rule == FINDING_SELF_CONFLICT || rule == FINDING_MUTUAL_PAIR || rule == FINDING_ONE_PLACE ||
			rule == FINDING_PRIVATIZATION;
	return is_place ? FIRST_TRANSACTION : FIRST_CAUSE;
}

/* Marks the findings that are shown. Returns how many there are: `room`, or all if there are fewer. */
static size_t choose(const struct findings *findings, bool *is_shown, size_t room)
{
	size_t chosen = 0;
	for (int choice = 0; choice < CHOICES; choice++) {
		for (size_t i = 0; i < findings->len && chosen < room; i++) {
			if (choice_of(findings, i) != choice)
				continue;
			is_shown[i] = true;
			chosen++;
		}
	}
	return chosen;
}

/* Prints as many findings as fit into `lines`; in a full report, all. The number of each is its rank among all
 * findings. Returns how many lines it has printed. */
static size_t print_findings(const struct report *report, const struct findings *findings, size_t lines)
{
	bool has_room = report->options.is_full || findings->len <= lines / 2;
	bool *is_shown = memory_zeroed(findings->len, sizeof *is_shown);
	size_t shown = choose(findings, is_shown, has_room ? findings->len : (lines - 1) / 2);
	printer_text(report->out, " #        lost    share  finding\n");
	for (size_t i = 0; i < findings->len; i++) {
		if (!is_shown[i])
			continue;
		print_first_line(report, &findings->at[i], i + 1);
		print_second_line(report, &findings->at[i]);
	}
	memory_free(is_shown);
	report_rest(report, findings->len - shown, "--full");
	return 1 + 2 * shown + (shown < findings->len);
}

/* Whether the costliest finding is about libitm's method: another setting may help without a change of the program. */
static bool is_of_method(const struct report *report, const struct findings *findings)
{
	enum finding_rule first = findings->len > 0 ? findings->at[0].rule : FINDING_RULES;
	bool is_method = first == FINDING_PRIVATIZATION || first == FINDING_ONE_AT_A_TIME || first == FINDING_ONE_LOCK;
	return is_method && strcmp(report->recording->info.runtime, "libitm") == 0 &&
	       report->recording->info.args.len > 0;
}

/* The user copies this command, so it is not cut. */
static void print_try(const struct report *report)
{
	const struct recording_list *args = &report->recording->info.args;
	char *command = utf8_cleaned(quoted_command(args->at, args->len));
	printer_format(report->out, "Settings, compared: stmlog try -- %s\n", command);
	memory_free(command);
}

#define VIEWS " --full | --by=pair | --html=page.html"

static void print_next(const struct report *report, const struct findings *findings)
{
	struct parts parts = {.len = 0};
	const char *file = report->file, *next = report->options.is_early ? "When it has ended" : "Next";
	if (strcmp(file, REPORT_USUAL_FILE) == 0) {
		add(&parts, memory_format("%s: stmlog report" VIEWS, next));
	} else {
		char *clean = utf8_cleaned(quoted_word(file));
		printer_format(report->out, "%s: stmlog report ", next);
		printer_marked(report->out, PRINTER_COPY, clean);
		printer_text(report->out, VIEWS "\n");
		memory_free(clean);
	}
	add(&parts, memory_text("words: stmlog help terms"));
	if (findings->len > 0)
		add(&parts, memory_format("rule 1: stmlog help %s", finding_rule_row(findings->at[0].rule)->name));
	print_parts(report, &parts, 0, "   ");
}

static void print_lack_of_lines(const struct report *report)
{
	struct parts parts = {.len = 0};
	add(&parts, memory_text("No place has a line of source"));
	add(&parts, memory_text("build the program with -g, and do not strip it"));
	print_parts(report, &parts, 0, ": ");
}

/* Prints on at most `lines` lines, unless one finding and the line about further ones need more. Returns how many lines
 * it has printed. */
static size_t print_all_but_next(const struct report *report, const struct findings *findings, size_t lines)
{
	enum { HEAD = 2, BLANK = 1, NAMES = 1, MIN_OF_FINDINGS = 3 };
	size_t used = HEAD + print_warnings(report, findings);
	print_head(report);
	used += print_sums(report) + print_open(report, limit_of(report)) + BLANK;
	printer_text(report->out, "\n");
	if (findings->len == 0) {
		printer_text(report->out, "No rule has found a cause.\n");
		return used + 1;
	}
	size_t left = lines > used + NAMES ? lines - used - NAMES : 0;
	return used + print_findings(report, findings, left > MIN_OF_FINDINGS ? left : MIN_OF_FINDINGS);
}

void screen_print(const struct report *report)
{
	enum { BLANK = 1, NEXT = 2 };
	struct findings findings = findings_of(report);
	bool lacks_lines = findings_lack_lines(&findings, report), has_settings = is_of_method(report, &findings);
	print_all_but_next(report, &findings, (size_t)(SCREEN_LINES - BLANK - NEXT - lacks_lines - has_settings));
	printer_text(report->out, "\n");
	if (lacks_lines)
		print_lack_of_lines(report);
	print_next(report, &findings);
	if (has_settings)
		print_try(report);
	findings_fini(&findings);
}

size_t screen_print_findings(const struct report *report, size_t lines)
{
	struct findings findings = findings_of(report);
	size_t used = print_all_but_next(report, &findings, lines);
	findings_fini(&findings);
	return used;
}
