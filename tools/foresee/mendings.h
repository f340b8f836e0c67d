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

/* The lower end of a gain that has this one if the cause is gone: a real mending may leave a fiftieth of the time that
 * a commit took before. Little of a small gain is lost by that, and half of a gain of fifty times. */
double mendings_low(double low);

/* Requires plan_run(). */
struct foresee_mended mendings_best(const struct plan *plan, const struct mendings *mendings, double off);

#endif
