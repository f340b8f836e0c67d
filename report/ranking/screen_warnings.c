/* SPDX-License-Identifier: MIT
 * Warnings that the program itself, other programs, or the profiler have changed the figures. */
#include "screen.h"

#include <string.h>

#include "recorded_account.h"
#include "number.h"
#include "report_memory.h"

/* ---- off the processors ---- */

static double off_tenths(const struct recording *recording)
{
	uint64_t attached_ns = account_total(recording).attached_ns;
	bool is_known = recording->info.descheduled_known != 0 && attached_ns != 0;
	return is_known ? (double)recording->row_ns[STMLOG_ACCOUNT_DESCHEDULED] * 1000 / (double)attached_ns : 0;
}

/* In tenths of a percent. Only the kernel's counters of the whole machine tell that other programs had processors: a
 * thread is off the processor because of other threads of the program, too. So much of the machine's time is a
 * disturbance: DISTURBED tenths if the threads were off the processor for as long, else OTHERS_MIN, since the account
 * lacks the time off the processor outside of transactions. If processors were idle, other programs took nothing away.
 * The kernel counts in units of 10 ms, so less than MACHINE_MIN_NS says nothing. */
enum { DISTURBED = 50, OTHERS_MIN = 200, IDLE_MAX = 100, MACHINE_MIN_NS = 400000000 };

static bool have_others_disturbed(const struct recording_info *info, double off)
{
	double tenth_ns = (double)info->machine_ns / 1000;
	return info->machine_ns >= MACHINE_MIN_NS && (double)info->machine_idle_ns <= tenth_ns * IDLE_MAX &&
	       (double)info->machine_others_ns >= tenth_ns * (off >= DISTURBED ? DISTURBED : OTHERS_MIN);
}

static char *off_text(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	return have_others_disturbed(info, off_tenths(recording))
		       ? memory_format("other programs had %s of the processors: the run was disturbed",
				 number_share(info->machine_others_ns, info->machine_ns).text)
		       : NULL;
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
	return within_ns > 0 && (double)recording_probes_ns(&recording->info) * 100 >= within_ns * PROBES_MAX_PERCENT;
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

struct screen_warnings screen_warnings_of(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	return (struct screen_warnings){{recording_ending_text(info), clock_text(info), hardware_text(recording),
		off_text(recording), observer_text(recording)}};
}
