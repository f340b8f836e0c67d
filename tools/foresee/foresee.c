/* SPDX-License-Identifier: MIT
 * Adds a scenario to the plan for each finding, method and number of threads that is to be foreseen; and reads what the
 * plan's replays have come to. */
#include "foresee.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mendings.h"
#include "plan.h"

struct numbers {
	size_t one_thread, all_own, methods[FORESEE_METHODS];
	struct mendings *findings;
};

static void add_all(struct plan *plan, const struct report *report, const struct findings *findings,
	struct foreseen *foreseen, struct numbers *numbers)
{
	numbers->one_thread = plan_add(plan, streams_for_threads(&plan->as_it_was, 1), plan->method);
	numbers->all_own = plan_add_change(plan, &(struct what_if){.change = WHAT_IF_ALL_OWN});
	for (size_t i = 0; i < FORESEE_METHODS; i++) {
		const char *method = foreseen->methods[i].name;
		bool is_own = plan->method != NULL && strcmp(plan->method, method) == 0;
		numbers->methods[i] = is_own ? SIZE_MAX : plan_add(plan, streams_copy(&plan->as_it_was), method);
	}
	for (size_t i = 0; i < findings->len; i++)
		numbers->findings[i] = mendings_add(plan, report, &findings->at[i]);
}

static void read_all(const struct plan *plan, struct foreseen *foreseen, const struct numbers *numbers)
{
	double off = foreseen->check.off;
	foreseen->one_thread = plan_ratio(plan, numbers->one_thread, off);
	foreseen->all_own = plan_ratio(plan, numbers->all_own, off);
	for (size_t i = 0; i < FORESEE_METHODS; i++)
		foreseen->methods[i].ratio = plan_ratio(plan, numbers->methods[i], off);
	for (size_t i = 0; i < foreseen->finding_count; i++)
		foreseen->findings[i] = mendings_best(plan, &numbers->findings[i], &foreseen->check);
}

/* Replays once. Returns false if there is no answer, but another try may have one. */
static bool try_to_foresee(const struct report *report, const struct findings *findings,
	const struct foresee_effort *each, struct foreseen *foreseen, struct numbers *numbers)
{
	struct plan *plan = memory_zeroed(1, sizeof *plan);
	foreseen->check =
		(struct foresee_check){.why_not = plan_init(plan, report->recording, each->line_ns, each->seconds)};
	foreseen->threads = streams_threads(&plan->recorded, plan->recorded.len);
	bool is_possible = foreseen->check.why_not == NULL;
	if (is_possible) {
		add_all(plan, report, findings, foreseen, numbers);
		plan_run(plan);
		foreseen->check = plan_check(plan);
	}
	if (foreseen->check.why_not == NULL)
		read_all(plan, foreseen, numbers);
	plan_fini(plan);
	free(plan);
	return !is_possible || foreseen->check.why_not == NULL;
}

struct foreseen foresee(
	const struct report *report, const struct findings *findings, const struct foresee_effort *effort)
{
	enum { OTHERS = FORESEE_METHODS + 3 };
	struct foreseen foreseen = {.methods = {{.name = "ml_wt"}, {.name = "gl_wt"}, {.name = "serialirr"}},
		.finding_count = findings->len,
		.findings = memory_zeroed(findings->len + 1, sizeof *foreseen.findings)};
	struct numbers numbers = {.findings = memory_zeroed(findings->len + 1, sizeof *numbers.findings)};
	double replays = PLAN_FIT_REPLAYS + PLAN_ROUNDS * (double)(findings->len + OTHERS);
	struct foresee_effort each = *effort;
	each.seconds /= replays;
	for (unsigned i = 0; i < effort->tries; i++)
		if (try_to_foresee(report, findings, &each, &foreseen, &numbers))
			break;
	free(numbers.findings);
	return foreseen;
}

void foreseen_fini(struct foreseen *foreseen)
{
	free(foreseen->findings);
}

/* ---- rows of threads and methods ---- */

size_t foresee_threads(const struct recording *recording)
{
	struct streams streams = streams_of(recording);
	size_t threads = streams_threads(&streams, streams.len);
	streams_fini(&streams);
	return threads;
}

static void read_row(const struct plan *plan, size_t number, const struct foresee_check *check, struct foresee_row *row)
{
	double per_commit = plan_per_commit(plan, number);
	row->ratio = plan_ratio(plan, number, check->off);
	row->commits_per_s = row->ratio.value * check->recorded_per_s;
	row->low_per_s = row->ratio.low * check->recorded_per_s;
	row->high_per_s = row->ratio.high * check->recorded_per_s;
	row->failed = per_commit > 0 ? 1 - 1 / per_commit : 0;
}

/* Replays the rows once. Returns as try_to_foresee(). */
static bool try_rows(const struct report *report, struct foresee_row *rows, size_t len,
	const struct foresee_effort *each, struct foresee_check *check)
{
	struct plan *plan = memory_zeroed(1, sizeof *plan);
	size_t *numbers = memory_zeroed(len + 1, sizeof *numbers);
	*check = (struct foresee_check){.why_not = plan_init(plan, report->recording, each->line_ns, each->seconds)};
	bool is_possible = check->why_not == NULL;
	for (size_t i = 0; i < len && is_possible; i++)
		numbers[i] = plan_add(plan, streams_for_threads(&plan->as_it_was, rows[i].threads),
			rows[i].method != NULL ? rows[i].method : plan->method);
	if (is_possible) {
		plan_run(plan);
		*check = plan_check(plan);
	}
	for (size_t i = 0; i < len && check->why_not == NULL; i++)
		read_row(plan, numbers[i], check, &rows[i]);
	plan_fini(plan);
	free(plan);
	free(numbers);
	return !is_possible || check->why_not == NULL;
}

struct foresee_check foresee_rows(
	const struct report *report, struct foresee_row *rows, size_t len, const struct foresee_effort *effort)
{
	struct foresee_check check = {.why_not = "it was not tried"};
	struct foresee_effort each = *effort;
	each.seconds /= PLAN_FIT_REPLAYS + PLAN_ROUNDS * (double)(len + 1);
	for (unsigned i = 0; i < effort->tries; i++)
		if (try_rows(report, rows, len, &each, &check))
			break;
	return check;
}
