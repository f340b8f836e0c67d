/* SPDX-License-Identifier: MIT
 * Chooses the sampling interval, and from which attempt on transactions are measured late. */
#include "sampling.h"

#include "environment.h"

/* Measuring a transaction of a few accesses costs about as much as so many readings of the clock: two in hooks, and
 * twice as much for all else. */
#define READINGS 6
/* Measuring may take one part in so many of a capability's time. */
#define SHARE 32
#define AUTO_MAX 1024

/* Where a capability has more transactions than one in FEW_NS, at most one in MANY_MIN is measured, however long they
 * are: a measured attempt is longer, and so conflicts more often. Of few transactions all are measured, since chance
 * would say little of them. */
#define FEW_NS 100000
#define MANY_MIN 8

static uint32_t option;  /* native_sample() */
static uint64_t cost_ns; /* of measuring a transaction */

static uint64_t measure_cost_ns(void)
{
	enum { TIMES = 256 };
	uint64_t before_ns = stmlog_now_ns();
	for (int i = 0; i < TIMES; i++)
		(void)stmlog_now_ns();
	return READINGS * (stmlog_now_ns() - before_ns) / TIMES;
}

void sampling_open(void)
{
	option = native_sample();
	cost_ns = measure_cost_ns();
	stmlog_set_sampling(option == NATIVE_SAMPLE_AUTO ? 1 : option);
	if (option == 1)
		watch_always();
}

void sampling_pass(struct ghc_capability *mine)
{
	AO_t left = AO_load(&mine->left) - 1;
	capability_set_due(mine, capability_commits(mine), left);
	if ((intptr_t)left <= 0)
		sampling_choose_next(mine);
}

static void begin_window(struct ghc_capability *mine, uint64_t now_ns)
{
	mine->window_began_ns = now_ns;
	mine->window_commits = capability_commits(mine);
	mine->window_len = 0;
}

void sampling_begin(struct ghc_capability *mine)
{
	mine->every = option == NATIVE_SAMPLE_AUTO ? 1 : option;
	mine->late_after = LATE_AFTER_MIN;
	mine->late_since_ns = stmlog_now_ns();
	mine->random = 0x9e3779b97f4a7c15 * (mine->number + 1);
	begin_window(mine, stmlog_now_ns());
	sampling_draw(mine);
}

void sampling_after_fork(struct ghc_capability *mine)
{
	capability_set_due(mine, 0, 0);
	begin_window(mine, stmlog_now_ns());
	sampling_choose_next(mine);
}

static uint32_t choose(uint64_t period_ns)
{
	uint32_t every = period_ns >= FEW_NS ? 1 : MANY_MIN;
	while (every < AUTO_MAX && cost_ns * SHARE > period_ns * every)
		every *= 2;
	return every;
}

/* How long the capability takes for a transaction and all else that it does until the next one. The window has
 * SAMPLING_WINDOW measured commits, which capability_commits() does not count. */
static uint64_t period_ns(const struct ghc_capability *mine, uint64_t now_ns)
{
	return (now_ns - mine->window_began_ns) / (capability_commits(mine) - mine->window_commits + SAMPLING_WINDOW);
}

void sampling_choose_every(struct ghc_capability *mine)
{
	uint64_t now_ns = stmlog_now_ns();
	if (option == NATIVE_SAMPLE_AUTO)
		mine->every = choose(period_ns(mine, now_ns));
	begin_window(mine, now_ns);
}

/* ---- late ---- */

/* An access costs about as much as so many readings of the clock. */
#define READINGS_OF_ACCESS 1
/* Measuring late may take one part in so many of a capability's time, and some time more: a few transactions that fail
 * often may come early, when little time has passed. */
#define LATE_SHARE 200
#define LATE_FREE_NS 1000000

void late_note(struct ghc_capability *mine, uint32_t accesses, uint64_t now_ns)
{
	mine->late_cost_ns += cost_ns + accesses * READINGS_OF_ACCESS * cost_ns / READINGS;
	if (mine->late_cost_ns <= LATE_FREE_NS + (now_ns - mine->late_since_ns) / LATE_SHARE)
		return;
	if (mine->late_after < LATE_AFTER_MAX)
		mine->late_after *= 2;
	mine->late_since_ns = now_ns;
	mine->late_cost_ns = 0;
}

/* ---- what hooks must look closely for ---- */

volatile AO_t watched = WATCH_OTHER; /* until hooks_set() */

bool watch_is_constant;

void watch_always(void)
{
	watch_is_constant = true;
	watch_add(WATCH_LANE);
}
