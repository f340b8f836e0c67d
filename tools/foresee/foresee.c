/* SPDX-License-Identifier: MIT
 * The plan of replays, their turns, and what comes out. */
#include "foresee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "memory.h"
#include "replay.h"
#include "statistics.h"
#include "what_if.h"

enum { ROUNDS = 5, SCENARIOS_MAX = 64 };

/* No replay is shorter: libitm's threads take some time until they meet as usual. */
#define REPLAY_MIN_S 0.02

/* Beyond this the replay is not the program. */
#define OFF_MAX 0.33

/* One variant, with a value for each round. */
struct scenario {
	struct streams streams; /* owned */
	const char *method;
	double per_s[ROUNDS], per_commit[ROUNDS];
};

struct plan {
	struct replayer replayer;
	const char *method;      /* of the recording */
	struct streams recorded; /* with the times as they were noted */
	struct streams as_it_was;
	double seconds; /* of each replay */
	struct scenario at[SCENARIOS_MAX];
	size_t len;
	size_t rounds; /* done */
};

/* ---- the recording's own figures ---- */

/* Commits per second of the threads that have streams, while they were on the processors. */
static struct replayed recorded_figures(const struct recording *recording, const struct streams *streams)
{
	double per_s = 0, commits = 0, aborts = 0;
	for (size_t i = 0; i < streams->len; i++) {
		const struct stmlog_thread_record *thread = recording_thread(recording, streams->at[i].thread_id);
		if (thread == NULL)
			continue;
		struct account account = account_estimate(recording, thread);
		double running_ns = (double)account.attached_ns - (double)account.descheduled_ns;
		per_s += running_ns > 0 ? (double)account.commits / running_ns * 1e9 : 0;
		commits += (double)account.commits;
		aborts += (double)account.aborts;
	}
	return (struct replayed){per_s, commits > 0 ? 1 + aborts / commits : 0};
}

/* ---- how much noting and replaying a call adds ---- */

static double period_ns(const struct plan *plan, double overhead_ns)
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
static double fit_overhead_ns(const struct plan *plan, double wanted_per_s)
{
	const double least_ns = 0, most_ns = 8;
	double x0 = 0, x1 = 3, wanted_ns = 1e9 / wanted_per_s;
	double y0 = period_ns(plan, x0), y1 = period_ns(plan, x1);
	for (int i = 0; i < 2; i++) {
		double slope = (y1 - y0) / (x1 - x0);
		if (y0 <= 0 || y1 <= 0 || !(slope < 0))
			break;
		double x = fmin(fmax(x1 + (wanted_ns - y1) / slope, least_ns), most_ns);
		if (fabs(x - x1) < 0.1)
			break;
		x0 = x1, y0 = y1;
		x1 = x, y1 = period_ns(plan, x);
	}
	return x1;
}

/* ---- the plan ---- */

/* The method's own name where the environment has it: libitm's default, if the recording does not say. */
static const char *method_of(const struct recording *recording)
{
	static const char *const names[] = {"ml_wt", "gl_wt", "serial", "serialirr", "serialirr_onwrite", "htm"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(recording->info.method, names[i]) == 0)
			return names[i];
	return NULL;
}

static const char *begin(struct plan *plan, const struct report *report)
{
	const struct recording *recording = report->recording;
	*plan = (struct plan){.method = method_of(recording)};
	if (recording->access_count == 0)
		return "the recording has no accesses";
	if (strcmp(recording->info.runtime, "libitm") != 0)
		return "only transactions of libitm can be replayed";
	if (!replayer_init(&plan->replayer, recording))
		return "stmlog-replay or libitm is not here";
	plan->recorded = streams_of(recording);
	return plan->recorded.len > 0 ? NULL : "its accesses are not in order";
}

static void end(struct plan *plan)
{
	for (size_t i = 0; i < plan->len; i++)
		streams_fini(&plan->at[i].streams);
	streams_fini(&plan->recorded);
	streams_fini(&plan->as_it_was);
	replayer_fini(&plan->replayer);
}

/* Takes the streams. Returns the number of the scenario; SIZE_MAX: there is no room. */
static size_t add(struct plan *plan, struct streams streams, const char *method)
{
	if (plan->len == SCENARIOS_MAX) {
		streams_fini(&streams);
		return SIZE_MAX;
	}
	plan->at[plan->len] = (struct scenario){.streams = streams, .method = method};
	return plan->len++;
}

static size_t add_change(struct plan *plan, const struct what_if *change)
{
	return add(plan, what_if(&plan->as_it_was, change), plan->method);
}

/* Every other round in reverse: a machine that becomes slower makes all of them slower. */
static void run_rounds(struct plan *plan)
{
	for (plan->rounds = 0; plan->rounds < ROUNDS; plan->rounds++)
		for (size_t i = 0; i < plan->len; i++) {
			struct scenario *scenario = &plan->at[plan->rounds % 2 == 0 ? i : plan->len - 1 - i];
			struct replayed got =
				replay(&plan->replayer, &scenario->streams, scenario->method, plan->seconds);
			scenario->per_s[plan->rounds] = got.commits_per_s;
			scenario->per_commit[plan->rounds] = got.attempts_per_commit;
		}
}

/* To the first scenario, round by round. */
static struct foresee_ratio ratio_of(const struct plan *plan, size_t number, double off)
{
	double ratios[ROUNDS];
	if (number >= plan->len)
		return (struct foresee_ratio){0, 0, 0};
	for (size_t i = 0; i < ROUNDS; i++) {
		double as_it_was = plan->at[0].per_s[i], changed = plan->at[number].per_s[i];
		if (!(as_it_was > 0) || !(changed > 0))
			return (struct foresee_ratio){0, 0, 0};
		ratios[i] = changed / as_it_was;
	}
	struct statistics_median median = statistics_median(ratios, ROUNDS);
	return (struct foresee_ratio){median.value, median.low / (1 + off), median.high * (1 + off)};
}

static double apart(double a, double b)
{
	return a > 0 && b > 0 ? fmax(a / b, b / a) - 1 : INFINITY;
}

static struct foresee_check check_of(const struct plan *plan, const struct replayed *recorded)
{
	struct foresee_check check = {.recorded_per_s = recorded->commits_per_s,
		.recorded_per_commit = recorded->attempts_per_commit,
		.replayed_per_s = statistics_median(plan->at[0].per_s, ROUNDS).value,
		.replayed_per_commit = statistics_median(plan->at[0].per_commit, ROUNDS).value};
	check.off = fmax(apart(check.recorded_per_s, check.replayed_per_s),
		fabs(1 / check.recorded_per_commit - 1 / check.replayed_per_commit));
	if (!(check.off <= OFF_MAX))
		check.why_not = "the replay differs from the recording";
	return check;
}

/* Fits, and makes the first scenario. Returns why not, or NULL. */
static const char *prepare(struct plan *plan, const struct replayed *recorded, double seconds)
{
	plan->seconds = fmax(seconds, REPLAY_MIN_S);
	if (!(recorded->commits_per_s > 0))
		return "nothing was committed";
	double overhead_ns = fit_overhead_ns(plan, recorded->commits_per_s);
	plan->as_it_was = streams_without_overhead(&plan->recorded, overhead_ns);
	add(plan, streams_copy(&plan->as_it_was), plan->method);
	return NULL;
}

/* ---- findings ---- */

/* Where the transactions of these tracebacks may have begun: any of their frames. */
static void add_sites(const struct report *report, uint32_t reference, struct what_if *change)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	for (size_t i = 0; i < traceback.len && change->site_count < WHAT_IF_SITES; i++)
		change->sites[change->site_count++] = report->recording->sites[traceback.sites[i]].position;
}

/* Which transactions would change: those of the finding's tracebacks, or all that access its words. */
enum whose { NOBODYS, OF_WHERE, OF_BECAUSE, OF_BOTH, OF_WORDS };

/* The changes that mend the cause of a finding; of several the better one counts. */
static const struct {
	enum finding_rule rule;
	enum what_if_change change;
	enum whose whose;
} mendings[] = {
	{FINDING_IRREVOCABLE, WHAT_IF_OUTSIDE, OF_WHERE},
	{FINDING_POLLING, WHAT_IF_NO_CANCEL, OF_WHERE},
	{FINDING_LARGE_READ_SET, WHAT_IF_READS_NOTHING, OF_WHERE},
	{FINDING_FALSE_SHARING, WHAT_IF_APART, NOBODYS},
	{FINDING_LOCK_ALIAS, WHAT_IF_NO_ALIAS, NOBODYS},
	{FINDING_HOT_WORD, WHAT_IF_OWN_WORDS, NOBODYS},
	{FINDING_HOT_WORD, WHAT_IF_COMPUTED_BEFORE, OF_WORDS},
	{FINDING_SELF_CONFLICT, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_MUTUAL_PAIR, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_ONE_PLACE, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_STARVATION, WHAT_IF_READS_NOTHING, OF_WHERE},
	{FINDING_COMMIT_WAIT, WHAT_IF_READS_NOTHING, OF_BECAUSE},
};
enum { MENDINGS = sizeof mendings / sizeof *mendings, MENDINGS_OF_ONE = 2 };

static struct what_if change_for(
	const struct plan *plan, const struct report *report, const struct finding *finding, size_t mending)
{
	enum whose whose = mendings[mending].whose;
	struct what_if change = {.change = mendings[mending].change};
	for (size_t k = 0; k < WHAT_IF_WORDS; k++)
		change.words[k] = finding->words[k];
	if (whose == OF_WHERE || whose == OF_BOTH)
		add_sites(report, finding->where, &change);
	if (whose == OF_BECAUSE || whose == OF_BOTH)
		add_sites(report, finding->because, &change);
	if (whose == OF_WORDS)
		what_if_add_sites_of_words(&plan->as_it_was, &change);
	return change;
}

/* The scenarios of one finding. */
struct scenarios {
	size_t at[MENDINGS_OF_ONE], len;
};

static struct scenarios add_finding(struct plan *plan, const struct report *report, const struct finding *finding)
{
	struct scenarios scenarios = {.len = 0};
	for (size_t i = 0; i < MENDINGS; i++) {
		if (mendings[i].rule != finding->rule)
			continue;
		struct what_if change = change_for(plan, report, finding, i);
		bool has_sites = mendings[i].whose == NOBODYS || what_if_has_sites(&plan->as_it_was, &change);
		bool has_words = finding->rule != FINDING_HOT_WORD || change.words[0] != 0;
		if (has_sites && has_words)
			scenarios.at[scenarios.len++] = add_change(plan, &change);
	}
	return scenarios;
}

static struct foresee_ratio best_of(const struct plan *plan, const struct scenarios *scenarios, double off)
{
	struct foresee_ratio best = {0, 0, 0};
	for (size_t i = 0; i < scenarios->len; i++) {
		struct foresee_ratio ratio = ratio_of(plan, scenarios->at[i], off);
		if (ratio.value > best.value)
			best = ratio;
	}
	return best;
}

/* ---- all together ---- */

struct numbers {
	size_t one_thread, all_own, methods[FORESEE_METHODS];
	struct scenarios *findings;
};

static void add_all(struct plan *plan, const struct report *report, const struct findings *findings,
	struct foreseen *foreseen, struct numbers *numbers)
{
	static const char *const methods[FORESEE_METHODS] = {"ml_wt", "gl_wt", "serialirr"};
	numbers->one_thread = add(plan, streams_for_threads(&plan->as_it_was, 1), plan->method);
	numbers->all_own = add_change(plan, &(struct what_if){.change = WHAT_IF_ALL_OWN});
	for (size_t i = 0; i < FORESEE_METHODS; i++) {
		bool is_own = plan->method != NULL && strcmp(plan->method, methods[i]) == 0;
		foreseen->methods[i].name = methods[i];
		numbers->methods[i] = is_own ? SIZE_MAX : add(plan, streams_copy(&plan->as_it_was), methods[i]);
	}
	for (size_t i = 0; i < findings->len; i++)
		numbers->findings[i] = add_finding(plan, report, &findings->at[i]);
}

static void read_all(const struct plan *plan, struct foreseen *foreseen, const struct numbers *numbers)
{
	double off = foreseen->check.off;
	foreseen->one_thread = ratio_of(plan, numbers->one_thread, off);
	foreseen->all_own = ratio_of(plan, numbers->all_own, off);
	for (size_t i = 0; i < FORESEE_METHODS; i++)
		foreseen->methods[i].ratio = ratio_of(plan, numbers->methods[i], off);
	for (size_t i = 0; i < foreseen->finding_count; i++)
		foreseen->findings[i] = best_of(plan, &numbers->findings[i], off);
}

struct foreseen foresee(const struct report *report, const struct findings *findings, double seconds)
{
	enum { FIT_REPLAYS = 9 };
	struct foreseen foreseen = {.finding_count = findings->len,
		.findings = memory_zeroed(findings->len + 1, sizeof *foreseen.findings)};
	struct numbers numbers = {.findings = memory_zeroed(findings->len + 1, sizeof *numbers.findings)};
	struct plan *plan = memory_zeroed(1, sizeof *plan);
	foreseen.check.why_not = begin(plan, report);
	if (foreseen.check.why_not == NULL) {
		struct replayed recorded = recorded_figures(report->recording, &plan->recorded);
		double replays = FIT_REPLAYS + ROUNDS * (double)(findings->len + FORESEE_METHODS + 3);
		foreseen.threads = plan->recorded.len;
		foreseen.check.why_not = prepare(plan, &recorded, seconds / replays);
		if (foreseen.check.why_not == NULL) {
			add_all(plan, report, findings, &foreseen, &numbers);
			run_rounds(plan);
			foreseen.check = check_of(plan, &recorded);
			if (foreseen.check.why_not == NULL)
				read_all(plan, &foreseen, &numbers);
		}
	}
	end(plan);
	free(plan);
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
	size_t threads = streams.len;
	streams_fini(&streams);
	return threads;
}

static void read_row(const struct plan *plan, size_t number, const struct foresee_check *check, struct foresee_row *row)
{
	row->ratio = ratio_of(plan, number, check->off);
	row->commits_per_s = row->ratio.value * check->recorded_per_s;
	row->low_per_s = row->ratio.low * check->recorded_per_s;
	row->high_per_s = row->ratio.high * check->recorded_per_s;
	if (number < plan->len) {
		double per_commit = statistics_median(plan->at[number].per_commit, ROUNDS).value;
		row->failed = per_commit > 0 ? 1 - 1 / per_commit : 0;
	}
}

struct foresee_check foresee_rows(const struct report *report, struct foresee_row *rows, size_t len, double seconds)
{
	struct foresee_check check = {0};
	struct plan *plan = memory_zeroed(1, sizeof *plan);
	size_t *numbers = memory_zeroed(len + 1, sizeof *numbers);
	check.why_not = begin(plan, report);
	if (check.why_not == NULL) {
		struct replayed recorded = recorded_figures(report->recording, &plan->recorded);
		check.why_not = prepare(plan, &recorded, seconds / (9 + ROUNDS * (double)(len + 1)));
		for (size_t i = 0; i < len && check.why_not == NULL; i++)
			numbers[i] = add(plan, streams_for_threads(&plan->as_it_was, rows[i].threads),
				rows[i].method != NULL ? rows[i].method : plan->method);
		if (check.why_not == NULL) {
			run_rounds(plan);
			check = check_of(plan, &recorded);
		}
		for (size_t i = 0; i < len && check.why_not == NULL; i++)
			read_row(plan, numbers[i], &check, &rows[i]);
	}
	end(plan);
	free(numbers);
	free(plan);
	return check;
}
