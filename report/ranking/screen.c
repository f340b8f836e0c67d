/* SPDX-License-Identifier: MIT
 * Prints the first screen of a report, SCREEN_LINES lines of a terminal's width: how fast the program was, where the
 * threads' time went, and the transactions in the way. All lines fit the width; if the width is not known, as in a
 * pipe, nothing is cut but names in columns. */
#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include <stmlog/read.h>

#include "number.h"
#include "recorded_account.h"
#include "report_memory.h"
#include "utf8.h"

/* ---- the head ---- */

static char *screen_command(const struct recording_info *info)
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
	uint64_t every = account_measured_every(recording);
	if (!recording_is_sampled(recording))
		return memory_text("all measured");
	if (every == 0)
		return memory_text("none measured");
	return memory_format("1 in %s measured", number_count(every).text);
}

static char *screen_runtime_text(const struct recording_info *info)
{
	const char *runtime = info->runtime[0] != '\0' ? info->runtime : "unknown runtime";
	return utf8_cleaned(memory_format("%s%s%s", runtime, info->method[0] != '\0' ? ", " : "", info->method));
}

/* Prints the warnings above everything else: they say how far the figures can be trusted. Returns how many lines. */
static size_t print_warnings(const struct report *report)
{
	struct screen_warnings warnings = screen_warnings_of(report->recording);
	size_t lines = 0;
	for (size_t i = 0; i < SCREEN_WARNINGS; i++) {
		if (warnings.at[i] == NULL)
			continue;
		printer_marked(report->out, PRINTER_CAUSE, fit_cut(warnings.at[i], screen_limit(report)));
		printer_text(report->out, "\n");
		memory_free(warnings.at[i]);
		lines++;
	}
	return lines;
}

/* Leaves out facts, from the last on, and cuts the command until the line fits. */
static void print_head(const struct report *report)
{
	enum { MIN_COMMAND = 8 };
	const struct recording *recording = report->recording;
	char *facts[] = {screen_runtime_text(&recording->info), report_threads_text(recording),
		memory_text(number_time(recording->info.wall_ns).text), measured_text(recording)};
	const char *between = "   ";
	size_t count = sizeof facts / sizeof facts[0], shown = 0, head = strlen("stmlog  ");
	size_t left = screen_limit(report) - head - MIN_COMMAND;
	for (; shown < count && fit_width(facts[shown]) + strlen(between) <= left; shown++)
		left -= fit_width(facts[shown]) + strlen(between);
	char *command = fit_cut(screen_command(&recording->info), MIN_COMMAND + left);
	printer_bold(report->out, "stmlog");
	printer_format(report->out, "  %s", command);
	for (size_t i = 0; i < shown; i++)
		printer_format(report->out, "%s%s", between, facts[i]);
	printer_text(report->out, "\n\n");
	for (size_t i = 0; i < count; i++)
		memory_free(facts[i]);
	memory_free(command);
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
static void print_open_line(const struct report *report, char *text)
{
	printer_format(report->out, "%s\n", cut_name(text, screen_limit(report)));
	memory_free(text);
}

/* "open 12.10 s: commit of thread 2, bank.c:61 transfer", and
 * "    because of thread 1, bank.c:85 audit (candidate)" if it is known. Returns how many lines it has printed. */
static size_t print_open_one(const struct report *report, const struct stmlog_open_record *open)
{
	const char *kind = open_kind_name(open->kind);
	char *place = place_behind_comma(report, open->site), *other = place_behind_comma(report, open->other_site);
	print_open_line(report, memory_format("open %s: %s of thread %" PRIu32 "%s", number_time(open->open_ns).text,
					kind != NULL ? kind : "work", open->thread, place));
	if (open->other_thread != 0)
		print_open_line(report, memory_format("    because of thread %" PRIu32 "%s (%s)", open->other_thread,
						other, stmlog_grade_name(open->grade)));
	memory_free(other);
	memory_free(place);
	return open->other_thread != 0 ? 2 : 1;
}

/* The transactions and waits that have been open longest, on at most `max` lines. Returns how many lines it has
 * printed: 0 if the recording is not a snapshot, or nothing was under way. */
static size_t print_open(const struct report *report, size_t max)
{
	enum { LINES_MAX = 2 };
	size_t lines = 0;
	for (size_t i = 0; i < report->recording->open_count && i < OPEN_SHOWN_MAX && lines + LINES_MAX <= max; i++)
		lines += print_open_one(report, &report->recording->open[i]);
	return lines;
}

/* ---- the rows ---- */

enum { NUMBER = 4, NAME_MAX_WIDTH = 36, NAME_MIN_WIDTH = 18, LOST = 11, SHARE = 6, BETWEEN = 2, LABEL = 11 };

static const char *screen_share_text(double share, struct number *number)
{
	*number = number_rounded(share * 100, 0);
	return number->text;
}

/* "transfer  bank.c:61" */
static char *name_text(const struct ranking_row *row)
{
	bool has_line = row->line[0] != '\0';
	return memory_format(
		"%s%s%s", row->name, has_line ? row->kind == RANKING_UNKNOWN ? ": " : "  " : "", row->line);
}

/* Shortens a name to `width` columns, and keeps its end: first it leaves out namespaces and classes, the outermost ones
 * first, and then characters from the beginning. Frees the text. */
static char *keep_end(char *text, size_t width)
{
	const char *from = text, *next;
	while (fit_width(from) > width && (next = strstr(from, "::")) != NULL)
		from = next + 2;
	bool is_cut = fit_width(from) > width;
	size_t left = width > strlen("..") ? width - strlen("..") : 0, columns;
	while (is_cut && fit_width(from) > left)
		from += fit_character(from, &columns);
	char *end = memory_format("%s%s", is_cut ? ".." : "", from);
	memory_free(text);
	return end;
}

#define LOSERS_TITLE "  who loses"

static size_t name_width(const struct report *report, const struct ranking *ranking)
{
	size_t max = NAME_MIN_WIDTH, room = screen_limit(report) - (NUMBER + LOST + SHARE + strlen(LOSERS_TITLE));
	for (size_t i = 0; i < ranking->len; i++) {
		char *name = name_text(&ranking->rows[i]);
		size_t width = fit_width(name);
		max = width > max ? width : max;
		memory_free(name);
	}
	max = max < NAME_MAX_WIDTH ? max : NAME_MAX_WIDTH;
	return max < room ? max : room;
}

/* "submit :91 63 %, cancel :102 31 %": as many as fit, and at least one. */
static char *losers_text(const struct ranking_row *row, size_t room)
{
	char *text = memory_text("");
	struct number share;
	for (size_t i = 0; i < row->loser_count; i++) {
		const char *part = screen_share_text(row->losers[i].part, &share);
		if (i > 0 && strcmp(part, "0") == 0)
			break;
		char *figure = memory_format(" %s %%", part);
		size_t max = room > fit_width(figure) ? room - fit_width(figure) : 0;
		char *name = memory_text(row->losers[i].text);
		name = i == 0 ? keep_end(name, max) : name;
		char *more = memory_format("%s%s%s%s", text, i > 0 ? ", " : "", name, figure);
		memory_free(figure);
		memory_free(name);
		bool fits = i == 0 || fit_width(more) <= room;
		memory_free(fits ? text : more);
		if (!fits)
			break;
		text = more;
	}
	return text;
}

static void print_ranking_row(const struct report *report, const struct ranking *ranking, size_t index, size_t width)
{
	const struct ranking_row *row = &ranking->rows[index];
	struct number share;
	char *number = memory_format("%s%zu", row->may_be_higher ? "~" : "", index + 1);
	char *name = keep_end(name_text(row), width);
	char *figures = memory_format(
		"%*s%*s %%", LOST, estimate_point(&row->lost).text, SHARE - 2, screen_share_text(row->share, &share));
	size_t used = NUMBER + width + LOST + SHARE + BETWEEN, limit = screen_limit(report);
	char *losers = losers_text(row, limit > used ? limit - used : 0);
	printer_format(report->out, "%*s ", NUMBER - 1, number);
	printer_marked(report->out, PRINTER_CULPRIT, name);
	printer_spaces(report->out, width - fit_width(name));
	printer_marked(report->out, PRINTER_LOSS, figures);
	printer_spaces(report->out, losers[0] != '\0' ? BETWEEN : 0);
	printer_marked(report->out, PRINTER_PLACE, losers);
	printer_text(report->out, "\n");
	memory_free(losers);
	memory_free(figures);
	memory_free(name);
	memory_free(number);
}

static size_t line_count(const struct ranking_row *row)
{
	const char *const texts[] = {row->how_text, row->data_text, row->try_text};
	size_t count = 0;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		count += texts[i][0] != '\0';
	return count;
}

/* A list "A, B, C" that had to be cut ends behind a whole object, unless that is its first. What stands before ": " is
 * no object. */
static void cut_object(char *list)
{
	size_t len = strlen(list);
	char *last = NULL, *next = strstr(list, ": ");
	for (next = next != NULL ? next : list; (next = strstr(next, ", ")) != NULL; next++)
		last = next + strlen(", ");
	if (last != NULL && len > 2 && strcmp(list + len - 2, "..") == 0)
		strcpy(last, "..");
}

static void print_row_line(const struct report *report, const char *label, const char *text)
{
	if (text[0] == '\0')
		return;
	char *cut = cut_namespaces(memory_text(text), screen_limit(report) - LABEL);
	if (strcmp(label, "data") == 0)
		cut_object(cut);
	printer_format(report->out, "     %-6s%s\n", label, cut);
	memory_free(cut);
}

static void print_lines(const struct report *report, const struct ranking_row *row)
{
	print_row_line(report, "how", row->how_text);
	print_row_line(report, "data", row->data_text);
	print_row_line(report, "try", row->try_text);
}

/* How many of the first rows have room for their lines, if each of the `shown` rows has one line of its own. */
static size_t explained(const struct ranking *ranking, size_t shown, size_t lines)
{
	size_t left = lines > shown ? lines - shown : 0, rows = 0;
	while (rows < shown && line_count(&ranking->rows[rows]) <= left)
		left -= line_count(&ranking->rows[rows++]);
	return rows;
}

/* Appends "; NAME 49 %", unless that part of all lost time is small. Frees the text. */
static char *screen_add_part(const struct ranking *ranking, char *text, const char *name, uint64_t ns)
{
	double part = ranking->total.ns != 0 ? (double)ns / (double)ranking->total.ns : 0;
	struct number share;
	if (part * 100 < RANKING_SMALL_PERCENT)
		return text;
	char *longer =
		memory_format("%s%s%s %s %%", text, text[0] != '\0' ? "; " : "", name, screen_share_text(part, &share));
	memory_free(text);
	return longer;
}

/* "    7 others 4 %; waits for a processor 49 %": rows that are small, or have no room, and what belongs to no
 * row. Returns whether there is any. */
static bool print_others(const struct report *report, const struct ranking *ranking, size_t shown)
{
	uint64_t others_ns = ranking->small.ns;
	size_t count = ranking->small_count + ranking->len - shown;
	struct number share;
	for (size_t i = shown; i < ranking->len; i++)
		others_ns += ranking->rows[i].lost.ns;
	const char *part = screen_share_text((double)others_ns / (double)larger_ns(ranking->total.ns, 1), &share);
	char *text =
		count != 0 ? memory_format("%zu other%s %s %%", count, count == 1 ? "" : "s", part) : memory_text("");
	text = screen_add_part(ranking, text, "waits for a processor", ranking->off_ns);
	struct account_placeless placeless = account_placeless(report->recording, ranking->unmeasured_ns);
	for (size_t i = 0; i < ACCOUNT_PLACELESS; i++)
		text = screen_add_part(ranking, text, placeless.at[i].name, placeless.at[i].ns);
	bool has_any = text[0] != '\0';
	has_any ? screen_print_line(report, NUMBER, text) : memory_free(text);
	return has_any;
}

/* Prints the rows on at most `lines` lines; in a full report, all. Returns how many lines it has printed. */
static size_t print_ranking_rows(const struct report *report, const struct ranking *ranking, size_t lines)
{
	enum { HEAD = 1, OTHERS = 1, ROW_LINES = 4 };
	bool is_full = report->options.is_full;
	size_t room = lines > HEAD + OTHERS ? lines - (HEAD + OTHERS) : 1;
	size_t many = room > ROW_LINES ? room - (ROW_LINES - 1) : 1; /* so many that the first has room for its lines */
	size_t shown = is_full || ranking->len < many ? ranking->len : many;
	size_t with_lines = is_full ? shown : explained(ranking, shown, room), used = HEAD;
	size_t width = name_width(report, ranking);
	if (shown > 0)
		printer_format(report->out, "  # %-*.*s%*s%*s" LOSERS_TITLE "\n", (int)width, (int)width, "in the way",
			LOST, "others lost", SHARE, "");
	for (size_t i = 0; i < shown; i++) {
		print_ranking_row(report, ranking, i, width);
		if (i < with_lines)
			print_lines(report, &ranking->rows[i]);
		used += 1 + (i < with_lines ? line_count(&ranking->rows[i]) : 0);
	}
	return used + print_others(report, ranking, shown);
}

/* ---- the end ---- */

/* From this share of the time on, in tenths of a percent, other settings are worth a try. */
enum { MUCH = 100 };

/* The user copies this command, so it is not cut. */
static void print_try(const struct report *report, const char *next)
{
	const struct recording_list *args = &report->recording->info.args;
	char *command = utf8_cleaned(quoted_command(args->at, args->len));
	printer_format(report->out, "%s: stmlog try -- ", next);
	printer_marked(report->out, PRINTER_COPY, command);
	printer_text(report->out, "\n");
	memory_free(command);
}

static bool has_try(const struct report *report, const struct ranking *ranking)
{
	const struct recording_info *info = &report->recording->info;
	return strcmp(info->runtime, "libitm") == 0 && info->args.len > 0 &&
	       screen_lost_tenths(report, ranking) >= MUCH;
}

/* As many views as the line has room for. */
static const char *views_text(size_t room)
{
	static const char all[] = " --full | --by=pair | --html=page.html", some[] = " --full | --by=pair";
	return strlen(all) <= room ? all : strlen(some) <= room ? some : " --full";
}

static void print_next(const struct report *report, const struct ranking *ranking)
{
	const char *next = report->options.is_early ? "When it has ended" : "Next";
	bool is_usual = strcmp(report->file, REPORT_USUAL_FILE) == 0, tries = has_try(report, ranking);
	char *file = is_usual ? memory_text("") : utf8_cleaned(quoted_word(report->file));
	if (tries)
		print_try(report, next);
	char *begin = memory_format("%s: stmlog report%s", tries ? "More" : next, is_usual ? "" : " ");
	size_t used = fit_width(begin) + fit_width(file), limit = screen_limit(report);
	printer_text(report->out, begin);
	printer_marked(report->out, PRINTER_COPY, file);
	printer_format(report->out, "%s\n", views_text(limit > used ? limit - used : 0));
	memory_free(begin);
	memory_free(file);
}

/* Prints on at most `lines` lines, unless one row needs more. Returns how many lines it has printed. */
static size_t print_all_but_next(const struct report *report, const struct ranking *ranking, size_t lines)
{
	enum { HEAD = 2, BLANK = 1, MIN_OF_ROWS = 3 };
	size_t used = HEAD + print_warnings(report);
	print_head(report);
	char *programs = processes_programs(report->recording);
	if (programs != NULL)
		screen_print_line(report, 0, programs);
	used += programs != NULL;
	used += screen_print_account(report, ranking);
	used += print_open(report, lines > used + BLANK + MIN_OF_ROWS ? lines - used - BLANK - MIN_OF_ROWS : 0);
	if (ranking->len == 0 && ranking->off_ns == 0)
		return used;
	printer_text(report->out, "\n");
	used += BLANK;
	return used + print_ranking_rows(report, ranking, lines > used + MIN_OF_ROWS ? lines - used : MIN_OF_ROWS);
}

void screen_print(const struct report *report)
{
	enum { BLANK = 1, NEXT = 1 };
	struct ranking ranking = ranking_of(report);
	bool lacks_lines = ranking_lacks_lines(&ranking, report);
	size_t end = BLANK + NEXT + report->options.lines_behind;
	end += lacks_lines;
	end += has_try(report, &ranking);
	print_all_but_next(report, &ranking, SCREEN_LINES - end);
	printer_text(report->out, "\n");
	if (lacks_lines)
		screen_print_line(
			report, 0, memory_text("No place has a line: build the program with -g, and do not strip it"));
	print_next(report, &ranking);
	ranking_fini(&ranking);
}

size_t screen_print_rows(const struct report *report, size_t lines)
{
	struct ranking ranking = ranking_of(report);
	size_t used = print_all_but_next(report, &ranking, lines);
	ranking_fini(&ranking);
	return used;
}
