/* SPDX-License-Identifier: MIT
 * Budgets of a run, by `record --fail-if`: how much it may lose. */
#ifndef BUDGETS_H
#define BUDGETS_H

#include "report.h"

enum budget_of {
	BUDGET_LOST,   /* all lost time */
	BUDGET_ABORTS, /* attempts that were aborted */
	BUDGET_ROW     /* the time that others have lost because of one transaction */
};

/* `limit`: of all attempts, or of the time in which the threads had processors; 0.05 is 5 %. */
struct budget {
	enum budget_of of;
	double limit;
	const char *text; /* as the user wrote it; borrowed */
	char *place;      /* of BUDGET_ROW: a function or a line, as the first screen has them; owned. Else NULL */
};

/* Begin with an empty one, {.len = 0}. */
enum { BUDGETS_MAX = 16 };
struct budgets {
	struct budget at[BUDGETS_MAX];
	size_t len;
};

/* Adds "lost:5%", "aborts:0.1" or "row:PLACE:10%". Returns false if the text is none of these, or if there are
 * BUDGETS_MAX already. */
bool budgets_add(struct budgets *budgets, const char *text);
void budgets_fini(struct budgets *budgets);

/* Prints a line on stderr for each budget that the run has exceeded, and for each PLACE that is in no recorded
 * transaction. Returns whether any was exceeded. An estimated time exceeds a limit if the lower end of its interval of
 * 98 % does. */
bool budgets_are_exceeded(const struct budgets *budgets, const struct report *report);

#endif
