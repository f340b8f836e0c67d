/* SPDX-License-Identifier: MIT
 * Warnings that the program itself, other programs, or the profiler have changed the figures. */
#include "screen.h"

#include <string.h>

#include "recorded_account.h"
#include "number.h"
#include "observer.h"
#include "report_memory.h"

/* ---- off the processors ---- */

/* In tenths of a percent of the threads' time. From UNCERTAIN on, the scheduler causes more waits and aborts than the
 * program does; below DISTURBED, the effect is too small to be seen. */
enum { DISTURBED = 50, UNCERTAIN = 300 };

/* The time off the processor that other programs may have caused. An irrevocable transaction may sleep, and no other
 * program causes that. Others wait meanwhile, so it sleeps for at most the time that they have waited for it: that time
 * is subtracted. */
static uint64_t off_ns(const struct recording *recording, const struct ranking *ranking)
{
	uint64_t ns = recording->row_ns[STMLOG_ACCOUNT_DESCHEDULED];
	for (size_t i = 0; i < ranking->len; i++)
		if (ranking->rows[i].how == RANKING_ALONE && ranking->rows[i].call != NULL)
			ns -= smaller_ns(ranking->rows[i].lost.ns, ns);
	return ns;
}

/* Limits of the warning about other programs, which looks at the whole machine. The account lacks the time off the
 * processor outside of transactions, and of threads that take turns anyway. If processors were idle, other processes
 * took nothing away. The kernel counts in units of 10 ms, so less than MACHINE_MIN_NS says nothing. */
enum { OTHERS_MIN_PERCENT = 20, IDLE_MAX_PERCENT = 10, MACHINE_MIN_NS = 400000000 };

static char *others_text(const struct recording_info *info)
{
	double all_ns = (double)info->machine_ns, min_ns = all_ns * OTHERS_MIN_PERCENT / 100;
	if (info->machine_ns < MACHINE_MIN_NS || (double)info->machine_others_ns < min_ns ||
		(double)info->machine_idle_ns > all_ns * IDLE_MAX_PERCENT / 100)
		return NULL;
	return memory_format("other programs had %s of the processors' time: the run was disturbed",
		number_share(info->machine_others_ns, info->machine_ns).text);
}

/* With more threads than processors, some threads are always off the processors: that alone is no disturbance. */
static char *off_text(const struct recording *recording, const struct ranking *ranking)
{
	uint64_t attached_ns = account_total(recording).attached_ns, ns = off_ns(recording, ranking);
	uint64_t threads = findings_threads(recording), processors = recording->info.processors;
	double tenths = attached_ns != 0 ? (double)ns * 1000 / (double)attached_ns : 0;
	struct number share = number_share(ns, attached_ns);
	bool is_shared = processors != 0 && threads > processors;
	if (recording->info.descheduled_known == 0 || tenths < (is_shared ? UNCERTAIN : DISTURBED))
		return others_text(&recording->info);
	if (is_shared)
		return memory_format(
			"%s of the time without a processor, %s threads on %s: the order of rows is uncertain",
			share.text, number_count(threads).text, number_count(processors).text);
	return memory_format("other programs had the processors for %s of the time: %s", share.text,
		tenths >= UNCERTAIN ? "the order of rows is uncertain" : "the run was disturbed");
}

/* ---- the profiler ---- */

/* Effects within this range are too small for a warning. If each transaction was measured, the run has no phases to
 * compare; then the time that measuring took, in percent of the time in attempts, decides. */
#define EFFECT_MIN 0.8
#define EFFECT_MAX 1.25
enum { PROBES_MAX_PERCENT = 5 };

static bool are_probes_long(const struct recording *recording)
{
	double within_ns =
		(double)recording->row_ns[STMLOG_ACCOUNT_COMMITTED] + (double)recording->row_ns[STMLOG_ACCOUNT_ABORTED];
	return within_ns > 0 && (double)recording->info.probe_cost_ns * 100 >= within_ns * PROBES_MAX_PERCENT;
}

static char *observer_text(const struct recording *recording)
{
	struct observer observer = observer_of(&recording->info);
	bool is_libitm = strstr(recording->info.runtime, "libitm") != NULL; /* of which it was measured */
	if (observer.is_known && (observer.high < EFFECT_MIN || observer.low > EFFECT_MAX))
		return memory_format("measuring changes the program: %s to %s times as many aborts while measuring",
			number_rounded(observer.low, 2).text, number_rounded(observer.high, 2).text);
	if (is_libitm && !recording_is_sampled(recording) && are_probes_long(recording))
		return memory_text(recording->has_timeline
					   ? "the timeline changes how often transactions abort; leave out --timeline"
					   : "measuring them all changes how often transactions abort; leave out "
					     "--sample=1");
	return NULL;
}

/* ---- the program ---- */

static char *clock_text(const struct recording_info *info)
{
	uint64_t threads = info->threads_without_clock;
	return threads == 0 ? NULL
			    : memory_format("%s thread%s may not read the clock: transactions are only counted then",
				      number_count(threads).text, threads == 1 ? "" : "s");
}

static char *hardware_text(const struct recording *recording)
{
	return recording_hides_losses(recording)
		       ? memory_text("htm: losses and their culprits are seen with ITM_DEFAULT_METHOD=ml_wt")
		       : NULL;
}

struct screen_warnings screen_warnings_of(const struct recording *recording, const struct ranking *ranking)
{
	return (struct screen_warnings){{clock_text(&recording->info), hardware_text(recording),
		off_text(recording, ranking), observer_text(recording)}};
}
