/* SPDX-License-Identifier: MIT
 * All time by call path: the contexts of a recording as a tree, each function below the one that called it. Shown are
 * the paths with most time. A path has no more time than the path of its caller, so no path is shown without its
 * callers. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "contexts.h"
#include "memory.h"
#include "number.h"
#include "printer.h"
#include "report_views.h"
#include "saturate.h"
#include "sort.h"
#include "utf8.h"

/* The columns beside the names need at most OTHERS columns; a name is cut to no less than MIN_NAME. */
enum { INDENT = 2, MAX_INDENT = 24, OTHERS = 56, MIN_NAME = 24 };

/* What the table shows of a context. Its times are with those of the contexts below it. But the root stands for time
 * without a traceback, and has its own times alone. */
struct path_row {
	uint64_t time_ns, lost_ns;
	size_t depth;
	size_t first_below, next; /* lists of the contexts that are shown, the largest first; CONTEXTS_NONE ends them */
};

struct path_view {
	const struct report *report;
	struct contexts contexts;
	struct path_row *rows; /* by context */
	size_t first;          /* the list of those without a caller */
	uint64_t all_ns;
};

/* A context comes behind its caller, so that its times are complete when they are added to the caller's. */
static void sum_up(struct path_view *view)
{
	for (size_t i = view->contexts.len; i-- > 0;) {
		const struct context *context = &view->contexts.at[i];
		struct path_row *row = &view->rows[i];
		row->time_ns = saturated_sum(row->time_ns, context_time_ns(context));
		row->lost_ns = saturated_sum(row->lost_ns, context_lost_ns(context));
		view->all_ns = saturated_sum(view->all_ns, context_time_ns(context));
		if (contexts_caller(&view->contexts, i) == CONTEXTS_NONE)
			continue;
		struct path_row *caller = &view->rows[contexts_caller(&view->contexts, i)];
		caller->time_ns = saturated_sum(caller->time_ns, row->time_ns);
		caller->lost_ns = saturated_sum(caller->lost_ns, row->lost_ns);
	}
}

/* ---- which rows, and in which order ---- */

static uint64_t descending(const void *element, unsigned rank, const void *arg)
{
	const struct path_view *view = arg;
	(void)rank;
	return ~view->rows[*(const size_t *)element].time_ns;
}

/* All contexts, those with most time first, and a caller before those that it has called. */
static size_t *by_time(const struct path_view *view)
{
	size_t *order = memory_zeroed(view->contexts.len, sizeof *order);
	for (size_t i = 0; i < view->contexts.len; i++)
		order[i] = i;
	sort(order, view->contexts.len, sizeof *order, descending, 1, view);
	return order;
}

static size_t *list_of(struct path_view *view, size_t context)
{
	size_t caller = contexts_caller(&view->contexts, context);
	return caller != CONTEXTS_NONE ? &view->rows[caller].first_below : &view->first;
}

/* Puts the first `shown` contexts of the order into the lists, and sets the depths. */
static void link_rows(struct path_view *view, const size_t *order, size_t shown)
{
	view->first = CONTEXTS_NONE;
	for (size_t i = 0; i < view->contexts.len; i++)
		view->rows[i].first_below = CONTEXTS_NONE;
	for (size_t i = shown; i-- > 0;) {
		size_t *list = list_of(view, order[i]);
		view->rows[order[i]].next = *list;
		*list = order[i];
	}
	for (size_t i = 0; i < shown; i++) {
		size_t caller = contexts_caller(&view->contexts, order[i]);
		view->rows[order[i]].depth = caller != CONTEXTS_NONE ? view->rows[caller].depth + 1 : 0;
	}
}

/* The row behind this one, callers first. */
static size_t next_row(const struct path_view *view, size_t at)
{
	if (view->rows[at].first_below != CONTEXTS_NONE)
		return view->rows[at].first_below;
	while (at != CONTEXTS_NONE && view->rows[at].next == CONTEXTS_NONE)
		at = contexts_caller(&view->contexts, at);
	return at != CONTEXTS_NONE ? view->rows[at].next : CONTEXTS_NONE;
}

/* ---- the text ---- */

static char *context_name_of(const struct path_view *view, size_t context)
{
	const struct symbol_frame *frame = view->contexts.at[context].frame;
	return frame != NULL ? utf8_cleaned(report_frame(view->report, frame))
			     : memory_text(contexts_fixed_name(&view->contexts, context));
}

/* The name behind spaces for its depth. Beyond MAX_INDENT the number of further levels stands in place of more spaces.
 * Where the line is narrow, the name is cut, except in a full report. */
static char *path_cell(const struct path_view *view, size_t context)
{
	const struct printer *out = view->report->out;
	size_t columns = INDENT * view->rows[context].depth, further = 0;
	if (columns > MAX_INDENT) {
		further = (columns - MAX_INDENT) / INDENT;
		columns = MAX_INDENT;
	}
	char *name = context_name_of(view, context);
	if (out->width != 0 && !out->is_whole)
		cut_name(name, out->width > OTHERS + columns + MIN_NAME ? out->width - OTHERS - columns : MIN_NAME);
	char *text = further == 0 ? memory_format("%*s%s", (int)columns, "", name)
				  : memory_format("%*s+%zu %s", (int)columns, "", further, name);
	free(name);
	return text;
}

/* The lengths of the context's cycles: "1, 3". */
static char *cycles_cell(const struct contexts *contexts, size_t context)
{
	char *lengths = memory_text("");
	for (size_t i = contexts->at[context].first_cycle; i != CONTEXTS_NONE; i = contexts->cycles[i].next) {
		char *before = lengths;
		lengths = memory_format("%s%s%zu", before, before[0] != '\0' ? ", " : "", contexts->cycles[i].len);
		free(before);
	}
	return lengths;
}

/* With the mark of estimates in front. */
static struct number time_cell(const struct path_view *view, uint64_t ns)
{
	struct number time = number_time(ns), marked;
	if (ns == 0 || !recording_is_sampled(view->report->recording))
		return time;
	snprintf(marked.text, sizeof marked.text, "~ %.60s", time.text);
	return marked;
}

static void print_path(const struct path_view *view, struct report_table *table, size_t context)
{
	const struct path_row *row = &view->rows[context];
	const struct context *own = &view->contexts.at[context];
	char *path = path_cell(view, context), *cycles = cycles_cell(&view->contexts, context);
	struct number time = time_cell(view, row->time_ns), share = number_share(row->time_ns, view->all_ns);
	struct number lost = time_cell(view, row->lost_ns), self = time_cell(view, context_time_ns(own));
	struct number count = number_count(own->calls);
	report_table_row(
		table, (const char *[]){time.text, share.text, lost.text, self.text, count.text, cycles, path});
	free(path);
	free(cycles);
}

static void print_table(const struct path_view *view)
{
	static const struct table_column columns[] = {{"time", TABLE_RIGHT}, {"share", TABLE_RIGHT},
		{"lost", TABLE_LOSS}, {"self", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"cycle", TABLE_RIGHT},
		{"path", TABLE_PLACE}, {0}};
	struct report_table *table = report_table_create(view->report->out, columns);
	for (size_t at = view->first; at != CONTEXTS_NONE; at = next_row(view, at))
		print_path(view, table, at);
	report_table_finish(&table);
}

static void print_legend(const struct path_view *view)
{
	const struct printer *out = view->report->out;
	printer_text(out, "time and lost are with the paths below, self and count without them;\n"
			  "count is of commits, aborts, pauses and waits\n");
	if (view->contexts.cycle_count > 0)
		printer_text(out, "recursion is folded; cycle: how many of the path's last functions were called\n"
				  "again, and in the same order\n");
	if (recording_is_sampled(view->report->recording))
		printer_text(out, "~ estimates from transactions measured closely, of which the counts are;\n"
				  "  record --paths --sample=1 measures all\n");
}

static void print_paths(struct path_view *view)
{
	const struct printer *out = view->report->out;
	size_t *order = by_time(view), count = 0;
	while (count < view->contexts.len && view->rows[order[count]].time_ns > 0)
		count++;
	size_t shown = count < view->report->options.top ? count : view->report->options.top;
	link_rows(view, order, shown);
	printer_bold(out, "Time by call path");
	printer_format(
		out, ": %s in transactions, %zu of %zu paths\n", time_cell(view, view->all_ns).text, shown, count);
	print_table(view);
	report_rest(view->report, count - shown, "--top=N");
	print_legend(view);
	free(order);
}

void report_paths(const struct report *report)
{
	REQUIRES(report->recording->path_count > 0);
	struct path_view view = {report, contexts_init(report->recording, report->symbols), NULL, CONTEXTS_NONE, 0};
	view.rows = memory_zeroed(view.contexts.len, sizeof *view.rows);
	sum_up(&view);
	print_paths(&view);
	free(view.rows);
	contexts_fini(&view.contexts);
}
