/* SPDX-License-Identifier: MIT
 * Which changes of the transactions mend the cause of a finding. */
#ifndef MENDINGS_H
#define MENDINGS_H

#include "findings.h"
#include "plan.h"
#include "report.h"

enum { MENDINGS_OF_ONE = 2 };

/* The scenarios of one finding, of which the best counts. */
struct mendings {
	size_t at[MENDINGS_OF_ONE], len;
	enum stmlog_gain_way ways[MENDINGS_OF_ONE];
};

/* Adds the scenarios to the plan; none where no change can be replayed. */
struct mendings mendings_add(struct plan *plan, const struct report *report, const struct finding *finding);

/* What a real mending gains, by the ratio of the changed replay to the replay as it was.
 *
 * Conflicts are replayed less well than the rest, and a mending takes them away: so the changed replay may be right
 * where the replay as it was is not. Whether both are off by the same factor is not known. Then the ratio to the replay
 * as it was is right; if the changed one is not off, the ratio to the recording is. The value is the geometric mean of
 * the two.
 *
 * The lower end leaves a fiftieth of the time that a commit took before, as a real mending may. Little of a small gain
 * is lost by that, and half of a gain of fifty times. */
struct foresee_ratio mendings_ratio(struct foresee_ratio replayed, const struct foresee_check *check);

/* The best ratio of the plan's scenarios that mend the cause. Requires plan->has_run. */
struct foresee_mended mendings_best(
	const struct plan *plan, const struct mendings *mendings, const struct foresee_check *check);

#endif
