/* SPDX-License-Identifier: MIT
 *
 * A plan: variants of the recorded transactions that are replayed in turns, so that what the machine does otherwise
 * meanwhile is in all of them. The first one is the program as it was.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "foresee.h"
#include "replay.h"
#include "what_if.h"

enum { PLAN_ROUNDS = 5, PLAN_SCENARIOS_MAX = 64 };

/* So many replays are made before the rounds, at most. */
enum { PLAN_FIT_REPLAYS = 12 };

/* One variant, with a value for each round. */
struct scenario {
	struct streams streams; /* owned */
	const char *method;
	double per_s[PLAN_ROUNDS], per_commit[PLAN_ROUNDS];
};

struct plan {
	struct replayer replayer;
	const char *method;      /* of the recording */
	struct replayed figures; /* of the recording */
	struct streams recorded; /* with the times as they were noted */
	struct streams as_it_was;
	double seconds; /* of each replay */
	struct scenario at[PLAN_SCENARIOS_MAX];
	size_t len;
	bool has_run; /* the scenarios have their values */
};

/* The name of that method of libitm, for ITM_DEFAULT_METHOD; static. NULL: it has none of this name. */
const char *plan_method(const char *name);

/* Reads the accesses, fits the replay to the recording, and adds the first scenario. `seconds`: of each replay.
 * `line_ns`: how near the processors were while the program ran; 0: not known, then they are to stay as near as they
 * are now. Returns NULL, or why nothing can be replayed. Call plan_fini() in any case. */
const char *plan_init(struct plan *plan, const struct recording *recording, double line_ns, double seconds);
void plan_fini(struct plan *plan);

/* Takes the streams. Returns the number of the scenario; SIZE_MAX: there is no room. */
size_t plan_add(struct plan *plan, struct streams streams, const char *method);
size_t plan_add_change(struct plan *plan, const struct what_if *change);

void plan_run(struct plan *plan);

/* ---- what came out: all require plan_run() ---- */

/* The first scenario beside the recording. Requires has_run. */
struct foresee_check plan_check(const struct plan *plan);

/* A scenario's commits per second as a multiple of the first one's, round by round; the interval is widened by how far
 * the replay is off. */
struct foresee_ratio plan_ratio(const struct plan *plan, size_t number, double off);

/* Attempts per commit; 0: not known. */
double plan_per_commit(const struct plan *plan, size_t number);

#endif
