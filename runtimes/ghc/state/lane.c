/* SPDX-License-Identifier: MIT
 * Allocates lanes for attempts, and frees them. */
#include "lane.h"

#include <stdio.h>

#include "pages.h"
#include "sampling.h"

struct ghc_lane *lanes[CAPABILITIES_MAX * LANES_OF_CAPABILITY + 1];

/* Transactions that are not measured are counted for the capability: its first lane reports the counts. */
static void open_lane(struct ghc_lane *lane, struct ghc_capability *mine, bool is_first)
{
	char name[32];
	snprintf(name, sizeof name, is_first ? "cap %u" : "cap %u spare", (unsigned)mine->number);
	lane->log = stmlog_thread_open(name);
	lane->weight = 1;
	lane->is_claimed = false;
	if (is_first)
		stmlog_read_unmeasured_by(lane->log, capability_read_counts, mine);
	else
		stmlog_set_spare(lane->log);
}

static struct ghc_lane *make(struct ghc_capability *mine, size_t index)
{
	struct ghc_lane *lane = native_pages(sizeof *lane);
	if (lane == NULL)
		return NULL;
	lane->number = (uint32_t)(mine->number * LANES_OF_CAPABILITY + index + 1);
	lane->random = 0x9e3779b97f4a7c15 * lane->number;
	mine->lanes[index] = lane;
	lanes[lane->number] = lane;
	return lane;
}

static struct ghc_lane *find_free(struct ghc_capability *mine)
{
	for (size_t i = 0; i < LANES_OF_CAPABILITY; i++) {
		struct ghc_lane *lane = mine->lanes[i] != NULL ? mine->lanes[i] : make(mine, i);
		if (lane == NULL)
			return NULL;
		if (AO_load_acquire(&lane->is_in_use))
			continue;
		if (lane->log == NULL)
			open_lane(lane, mine, i == 0);
		return lane->log != NULL ? lane : NULL;
	}
	return NULL;
}

/* Nearly always the first one is free, and open. */
static inline struct ghc_lane *alloc(struct ghc_capability *mine)
{
	struct ghc_lane *lane = mine->lanes[0];
	if (STMLOG_UNLIKELY(lane == NULL || lane->log == NULL || AO_load_acquire(&lane->is_in_use)))
		lane = find_free(mine);
	if (lane != NULL)
		AO_store(&lane->is_in_use, 1);
	return lane;
}

struct ghc_lane *lane_alloc(struct ghc_capability *mine)
{
	struct ghc_lane *lane = alloc(mine);
	if (lane != NULL)
		watch_lane(true);
	return lane;
}

struct ghc_lane *lane_alloc_due(struct ghc_capability *mine)
{
	struct ghc_lane *lane = alloc(mine);
	if (lane != NULL)
		watch_lane_for(&mine->is_due);
	return lane;
}

static void set_stopped(struct ghc_lane *lane, bool is_stopped)
{
	if (lane->is_stopped != is_stopped)
		watch_rival(is_stopped);
	lane->is_stopped = is_stopped;
}

void lane_claim_idle(struct ghc_lane *lane)
{
	stmlog_claim(lane->log);
	lane->is_claimed = true;
	set_stopped(lane, false);
}

static void release(struct ghc_lane *lane)
{
	if (lane->is_claimed)
		stmlog_release(lane->log);
	lane->is_claimed = false;
}

void lane_stop(struct ghc_lane *lane)
{
	release(lane);
	set_stopped(lane, true);
}

void lane_free(struct ghc_lane *lane, struct ghc_capability *mine)
{
	if (lane->log == NULL)
		return; /* the attempt began in the process that forked: forget() has freed the lane */
	REQUIRES(AO_load(&lane->is_in_use) != 0);
	if (lane != mine->lanes[0])
		release(lane);
	watch_lane(false);
	AO_store_release(&lane->is_in_use, 0); /* partner: lane_alloc() */
}

/* Opens its first lane, if that is not open. */
static void attach(struct ghc_capability *mine)
{
	struct ghc_lane *lane = mine->lanes[0] == NULL || mine->lanes[0]->log == NULL ? lane_alloc(mine) : NULL;
	if (lane == NULL)
		return;
	lane_claim(lane);
	lane_free(lane, mine);
}

static volatile AO_t is_used; /* a transaction has begun, on any capability */

void lane_begin_slow(struct ghc_capability *mine)
{
	AO_store(&is_used, 1);
	attach(mine);
	watch_set(&mine->awaits_start, false);
}

void lane_attach_if_used(struct ghc_capability *mine)
{
	if (AO_load(&is_used))
		attach(mine);
}

void lanes_visit(void (*visit)(struct ghc_lane *lane, void *arg), void *arg)
{
	for (size_t i = 0; i < capabilities_len(); i++)
		for (size_t k = 0; k < LANES_OF_CAPABILITY && capability_at(i)->lanes[k] != NULL; k++)
			if (AO_load_acquire(&capability_at(i)->lanes[k]->is_in_use))
				visit(capability_at(i)->lanes[k], arg);
}

static void forget(struct ghc_lane *lane)
{
	if (AO_load(&lane->is_in_use))
		watch_lane(false);
	set_stopped(lane, false);
	lane->log = NULL;
	lane->is_claimed = false;
	AO_store(&lane->is_in_use, 0);
}

void lanes_after_fork(void)
{
	for (size_t i = 0; i < capabilities_len(); i++)
		for (size_t k = 0; k < LANES_OF_CAPABILITY && capability_at(i)->lanes[k] != NULL; k++)
			forget(capability_at(i)->lanes[k]);
}
