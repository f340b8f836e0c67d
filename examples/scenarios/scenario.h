/* SPDX-License-Identifier: MIT
 *
 * Scenarios: each makes one of stmlog's causes happen between two threads, in a fixed order. The first thread gets in
 * the way, and the second thread conflicts with it. smallstm_scenarios.c and lazystm_scenarios.c have the scenarios of
 * their STM. every_cause.c and the tests run them.
 */
#ifndef EXAMPLES_SCENARIO_H
#define EXAMPLES_SCENARIO_H

#include <semaphore.h>

#include <stmlog/read.h>

#include "stm.h"

enum role { FIRST, SECOND };

/* What the entry of the loss is expected to show on its local or its remote side. */
enum side {
	NO_FRAMES,      /* there is no other side */
	BEGIN_OF_FIRST, /* the line at which the first thread began its transaction */
	LINE_OF_FIRST,  /* the line at which the first thread got in the way */
	LINE_OF_SECOND  /* the line at which the second thread conflicted */
};

struct interleaving;
struct stm_setup;

struct scenario {
	const char *name;
	stm_body *transaction[2]; /* by role; with NULL for the first, there is only one thread */
	/* What each thread does, by role; NULL: it runs its transaction. A second thread with a program needs none. */
	void (*program[2])(struct interleaving *run, struct stm_thread *thread);
	const struct stm_setup *setup; /* of smallstm; NULL: as it is */
	enum role loser;
	bool has_wait; /* the second thread waits within the STM until the first one has gone on */
	bool is_entry; /* the loss makes an entry; otherwise it shows only in the account */
	struct stmlog_cause cause;
	enum side local, remote;
	bool is_false; /* the two threads access different words of the object */
};

/* All scenarios of an STM, which defines this table. */
struct scenarios {
	const struct scenario *list;
	size_t len;
	int (*configure)(const struct stm_setup *setup); /* or NULL */
};
extern const struct scenarios scenarios;

/* What happens while a scenario runs. The callbacks may be NULL. */
struct scenario_observer {
	void (*pass_time)(void);       /* lets some time pass, which will be lost */
	void (*begin)(enum role role); /* is called on each thread when it has begun */
	void (*end)(enum role role);   /* is called on each thread before it ends */
	unsigned line[2];              /* out: the line of each thread's access that matters (ACCESS) */
};

void scenario_run(const struct scenario *scenario, struct scenario_observer *observer);

/* ---- for the transactions and programs of scenarios ---- */

/* One thread reaches each of these points, and another thread waits for it. */
enum point { FIRST_MAY_START, FIRST_IS_IN_THE_WAY, FIRST_MAY_GO_ON, FIRST_HAS_ENDED, POINTS };

/* A run of a scenario: the argument of its transactions. */
struct interleaving {
	const struct scenario *scenario;
	struct scenario_observer *observer;
	struct stm_object *object; /* of two words: the threads conflict over it */
	struct stm_object *other_object, *third_object;
	unsigned attempts[2];
	sem_t points[POINTS];
};

static inline void reach(struct interleaving *run, enum point point)
{
	sem_post(&run->points[point]);
}

static inline void wait_for(struct interleaving *run, enum point point)
{
	sem_wait(&run->points[point]);
}

static inline void pass_time(const struct interleaving *run)
{
	if (run->observer->pass_time != NULL)
		run->observer->pass_time();
}

/* The thread's access that gets in the way, or conflicts, is on the line of this macro. */
#define ACCESS(run, role) ((run)->observer->line[role] = __LINE__)

#endif
