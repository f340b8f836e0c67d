/* SPDX-License-Identifier: MIT
 * The turns of a plan, and what comes out. */
#include "plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "line_transfer.h"
#include "memory.h"
#include "progress.h"
#include "recorded_account.h"
#include "statistics.h"

/* No replay is shorter: libitm's threads take some time until they meet as usual. */
#define REPLAY_MIN_S 0.02

/* So long, in all, a plan waits for processors that are as near to each other as during the recording. */
#define PATIENCE_S 4.0

/* A change is replayed less well than the program as it was, by about so much more (make gains). */
#define CHANGE_OFF 0.1

/* Beyond this the replay is not the program. */
#define OFF_MAX 0.33

/* ---- the recording's own figures ---- */

/* Commits per second of the threads that have streams, while they were on the processors. */
static struct replayed figures_of(const struct recording *recording, const struct streams *streams)
{
	double per_s = 0, commits = 0, aborts = 0;
	for (size_t i = 0; i < streams->len; i++) {
		const struct stmlog_thread_record *thread = recording_thread(recording, streams->at[i].thread_id);
		if (thread == NULL || streams_threads(streams, i + 1) == streams_threads(streams, i))
			continue;
		struct recorded_account account = account_estimate(recording, thread);
		double running_ns = (double)account.attached_ns - (double)account.descheduled_ns;
		per_s += running_ns > 0 ? (double)account.commits / running_ns * 1e9 : 0;
		commits += (double)account.commits;
		aborts += (double)account.aborts;
	}
	return (struct replayed){per_s, commits > 0 ? 1 + aborts / commits : 0};
}

/* ---- how much noting and replaying a call adds ---- */

static double period_ns(struct plan *plan, double overhead_ns)
{
	enum { TRIES = 3 };
	double per_s[TRIES];
	struct streams streams = streams_without_overhead(&plan->recorded, overhead_ns);
	for (size_t i = 0; i < TRIES; i++)
		per_s[i] = replay(&plan->replayer, &streams, plan->method, plan->seconds).commits_per_s;
	streams_fini(&streams);
	double value = statistics_median(per_s, TRIES).value;
	return value > 0 ? 1e9 / value : 0;
}

/* The one number that is fitted: with it the replay has the recording's commits per second, if it is between the
 * bounds. By two replays and a straight line, and once more from there. */
static double fit_overhead_ns(struct plan *plan, double wanted_per_s)
{
	const double min_ns = 0, max_ns = 8;
	double x0 = 0, x1 = 3, wanted_ns = 1e9 / wanted_per_s;
	double y0 = period_ns(plan, x0), y1 = period_ns(plan, x1);
	for (int i = 0; i < 2; i++) {
		double slope = (y1 - y0) / (x1 - x0);
		if (y0 <= 0 || y1 <= 0 || !(slope < 0))
			break;
		double x = fmin(fmax(x1 + (wanted_ns - y1) / slope, min_ns), max_ns);
		if (fabs(x - x1) < 0.1)
			break;
		x0 = x1, y0 = y1;
		x1 = x, y1 = period_ns(plan, x);
	}
	return x1;
}

/* ---- the plan ---- */

const char *plan_method(const char *name)
{
	static const char *const names[] = {"ml_wt", "gl_wt", "serial", "serialirr", "serialirr_onwrite", "htm"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return names[i];
	return NULL;
}

/* The streams, or why there are none. */
static const char *read_accesses(struct plan *plan, const struct recording *recording, double line_ns)
{
	if (strcmp(recording->info.runtime, "libitm") != 0)
		return "only transactions of libitm can be replayed";
	if (recording->access_count == 0)
		return "the recording has no accesses";
	if (!replayer_init(&plan->replayer, PATIENCE_S))
		return "stmlog-replay is not here";
	plan->replayer.line_ns = line_ns > 0 ? line_ns : line_transfer_ns();
	plan->recorded = streams_of(recording);
	if (plan->recorded.len == 0)
		return "its accesses are not in order";
	return streams_have_accesses(&plan->recorded)
		       ? NULL
		       : "its transactions ran without data barriers; record with ITM_DEFAULT_METHOD=ml_wt";
}

const char *plan_init(struct plan *plan, const struct recording *recording, double line_ns, double seconds)
{
	*plan = (struct plan){.method = plan_method(recording->info.method),
		.replayer = {.memory = -1},
		.seconds = fmax(seconds, REPLAY_MIN_S)};
	const char *why_not = read_accesses(plan, recording, line_ns);
	if (why_not != NULL)
		return why_not;
	plan->figures = figures_of(recording, &plan->recorded);
	if (!(plan->figures.commits_per_s > 0))
		return "nothing was committed";
	double overhead_ns = fit_overhead_ns(plan, plan->figures.commits_per_s);
	plan->as_it_was = streams_without_overhead(&plan->recorded, overhead_ns);
	plan_add(plan, streams_copy(&plan->as_it_was), plan->method);
	return NULL;
}

void plan_fini(struct plan *plan)
{
	for (size_t i = 0; i < plan->len; i++)
		streams_fini(&plan->at[i].streams);
	streams_fini(&plan->recorded);
	streams_fini(&plan->as_it_was);
	replayer_fini(&plan->replayer);
}

size_t plan_add(struct plan *plan, struct streams streams, const char *method)
{
	if (plan->len == PLAN_SCENARIOS_MAX) {
		streams_fini(&streams);
		return SIZE_MAX;
	}
	plan->at[plan->len] = (struct scenario){.streams = streams, .method = method};
	return plan->len++;
}

size_t plan_add_change(struct plan *plan, const struct what_if *change)
{
	return plan_add(plan, what_if(&plan->as_it_was, change), plan->method);
}

/* Every other round in reverse: a machine that becomes slower makes all of them slower. */
void plan_run(struct plan *plan)
{
	struct progress progress = progress_begin("replaying", PLAN_ROUNDS * plan->len, NULL);
	for (size_t round = 0; round < PLAN_ROUNDS; round++)
		for (size_t i = 0; i < plan->len; i++) {
			progress_step(&progress, round * plan->len + i);
			struct scenario *scenario = &plan->at[round % 2 == 0 ? i : plan->len - 1 - i];
			struct replayed got =
				replay(&plan->replayer, &scenario->streams, scenario->method, plan->seconds);
			scenario->per_s[round] = got.commits_per_s;
			scenario->per_commit[round] = got.attempts_per_commit;
		}
	progress_end(&progress);
	plan->has_run = true;
}

/* A replay may fail, or commit nothing while the machine stands still: its round does not count. */
struct foresee_ratio plan_ratio(const struct plan *plan, size_t number, double off)
{
	double ratios[PLAN_ROUNDS];
	size_t len = 0;
	REQUIRES(plan->has_run);
	for (size_t i = 0; i < PLAN_ROUNDS && number < plan->len; i++) {
		double as_it_was = plan->at[0].per_s[i], changed = plan->at[number].per_s[i];
		if (as_it_was > 0 && changed > 0)
			ratios[len++] = changed / as_it_was;
	}
	if (len <= PLAN_ROUNDS / 2)
		return (struct foresee_ratio){0, 0, 0};
	struct statistics_median median = statistics_median(ratios, len);
	double widened = (1 + off) * (1 + CHANGE_OFF);
	return (struct foresee_ratio){median.value, median.low / widened, median.high * widened};
}

static double relative_difference(double a, double b)
{
	return a > 0 && b > 0 ? fmax(a / b, b / a) - 1 : INFINITY;
}

struct foresee_check plan_check(const struct plan *plan)
{
	const struct replayed *recorded = &plan->figures;
	REQUIRES(plan->has_run);
	struct foresee_check check = {.recorded_per_s = recorded->commits_per_s,
		.recorded_per_commit = recorded->attempts_per_commit,
		.replayed_per_s = statistics_median(plan->at[0].per_s, PLAN_ROUNDS).value,
		.replayed_per_commit = statistics_median(plan->at[0].per_commit, PLAN_ROUNDS).value};
	if (!(check.replayed_per_s > 0)) {
		check.why_not = "stmlog-replay fails";
		return check;
	}
	check.off = fmax(relative_difference(check.recorded_per_s, check.replayed_per_s),
		fabs(1 / check.recorded_per_commit - 1 / check.replayed_per_commit));
	if (plan->replayer.is_elsewhere)
		check.why_not = "the processors are nearer or farther apart than during the run";
	else if (!(check.off <= OFF_MAX))
		check.why_not = "the replay differs from the recording";
	return check;
}

double plan_per_commit(const struct plan *plan, size_t number)
{
	REQUIRES(plan->has_run);
	return number < plan->len ? statistics_median(plan->at[number].per_commit, PLAN_ROUNDS).value : 0;
}
