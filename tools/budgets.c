/* SPDX-License-Identifier: MIT */
#include "budgets.h"

#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "diag.h"
#include "memory.h"
#include "number.h"
#include "ranking.h"
#include "recorded_account.h"
#include "short_name.h"

/* ---- the texts ---- */

bool budgets_add(struct budgets *budgets, const char *text)
{
	static const char *const names[] = {
		[BUDGET_LOST] = "lost:", [BUDGET_ABORTS] = "aborts:", [BUDGET_ROW] = "row:"};
	/* A place has colons of its own. */
	const char *last = strrchr(text, ':');
	struct budget budget = {.text = text};
	size_t of = 0;
	while (of < sizeof names / sizeof names[0] && strncmp(text, names[of], strlen(names[of])) != 0)
		of++;
	if (of == sizeof names / sizeof names[0] || budgets->len == BUDGETS_MAX)
		return false;
	const char *rest = text + strlen(names[of]);
	budget.of = (enum budget_of)of;
	if (of == BUDGET_ROW ? last <= rest : last + 1 != rest)
		return false;
	/* All is below 1: who writes lost:5 has left out the percent sign. */
	if (!number_parse_share(last + 1, &budget.limit) || budget.limit >= 1)
		return false;
	if (of == BUDGET_ROW)
		budget.place = memory_format("%.*s", (int)(last - rest), rest);
	budgets->at[budgets->len++] = budget;
	return true;
}

void budgets_fini(struct budgets *budgets)
{
	for (size_t i = 0; i < budgets->len; i++)
		free(budgets->at[i].place);
	budgets->len = 0;
}

/* ---- the run ---- */

/* A part of a whole, and the least that it is, but for one case in a hundred. */
struct part {
	double share, low;
};

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Of an interval of 98 %, which reaches 2.33 standard errors down. */
static double lower_end_ns(const struct estimate *estimate)
{
	double factor = 2.33 / STMLOG_STANDARD_ERRORS;
	return (double)estimate->ns - (double)(estimate->ns - estimate->low_ns) * factor;
}

static struct part part_of(const struct recording *recording, const struct estimate *lost)
{
	double running_ns = (double)account_running_ns(recording);
	return (struct part){ratio((double)lost->ns, running_ns), ratio(lower_end_ns(lost), running_ns)};
}

/* Whether a transaction is called `place`, or begins there. `line` NULL: where is not known. */
static bool is_place(const char *place, const char *function, const char *line)
{
	return strcmp(place, function) == 0 || (line != NULL && strcmp(place, line) == 0);
}

/* All rows of the place: a helper may have several, by its callers. *is_known: there is one. */
static struct part rows_of(
	const struct report *report, const struct ranking *ranking, const char *place, bool *is_known)
{
	struct part sum = {0, 0};
	for (size_t i = 0; i < ranking->len; i++) {
		const struct ranking_row *row = &ranking->rows[i];
		if (row->kind != RANKING_TRANSACTION || !is_place(place, row->name, row->line))
			continue;
		struct part part = part_of(report->recording, &row->lost);
		sum = (struct part){sum.share + part.share, sum.low + part.low};
		*is_known = true;
	}
	return sum;
}

/* Attempts that the program has ended by a retry are no aborts. */
static struct part aborts_of(const struct report *report, const struct ranking *ranking)
{
	struct recorded_account total = account_total(report->recording);
	uint64_t aborts = total.aborts - smaller_ns(total.aborts, ranking->retries);
	double share = ratio((double)aborts, (double)total.commits + (double)aborts);
	return (struct part){share, share};
}

/* Whether a transaction of the run has this place. */
static bool is_recorded(const struct report *report, const char *place)
{
	bool is_found = false;
	for (size_t i = 0; i < report->recording->transaction_count && !is_found; i++) {
		uint32_t site = report->recording->transactions[i].site;
		if (site == STMLOG_NO_SITE)
			continue;
		const struct symbol_frame *frame = symbols_site(report->symbols, site)->frames;
		char buffer[REPORT_FUNCTION];
		char *name = short_name(report_function_of(frame, buffer)), *line = report_line_of(report, frame);
		is_found = is_place(place, name, line);
		free(name);
		free(line);
	}
	return is_found;
}

/* The part of the run that the budget limits. A place that was misspelt has none: that is printed. */
static struct part part_of_budget(
	const struct budget *budget, const struct report *report, const struct ranking *ranking)
{
	if (budget->of == BUDGET_LOST)
		return part_of(report->recording, &ranking->total);
	if (budget->of == BUDGET_ABORTS)
		return aborts_of(report, ranking);
	bool is_known = false;
	struct part part = rows_of(report, ranking, budget->place, &is_known);
	if (!is_known && !is_recorded(report, budget->place))
		diag("--fail-if", "no recorded transaction is called %s or begins there", budget->place);
	return part;
}

/* Returns whether the run has exceeded the budget, and prints that. */
static bool is_exceeded(const struct budget *budget, const struct report *report, const struct ranking *ranking)
{
	static const char *const wholes[] = {[BUDGET_LOST] = "of the time on processors is lost",
		[BUDGET_ABORTS] = "of the attempts abort",
		[BUDGET_ROW] = "of the time on processors is lost because of it"};
	struct part part = part_of_budget(budget, report, ranking);
	if (part.low <= budget->limit)
		return false;
	char *option = memory_format("--fail-if=%s", budget->text);
	diag(option, "%.1f %% %s", 100 * part.share, wholes[budget->of]);
	free(option);
	return true;
}

bool budgets_are_exceeded(const struct budgets *budgets, const struct report *report)
{
	struct ranking ranking = ranking_of(report);
	bool are_exceeded = false;
	for (size_t i = 0; i < budgets->len; i++)
		are_exceeded |= is_exceeded(&budgets->at[i], report, &ranking);
	ranking_fini(&ranking);
	return are_exceeded;
}
