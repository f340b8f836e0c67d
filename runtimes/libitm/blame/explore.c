/* SPDX-License-Identifier: MIT
 * Decides when a transaction is to run alone so that the agent sees its accesses, and keeps the cache lines that it
 * touches. When a hardware transaction has aborted, searches the lines of other threads for a candidate: a transaction
 * that touches a line which the aborted one touches, too. */
#include "explore.h"

#include <x86intrin.h>

#include "agent.h"
#include "blame.h"
#include "hardware_code.h"
#include "pages.h"
#include "ranges.h"
#include "remote.h"
#include "thread.h"

/* In ticks of the time stamp counter, of which a millisecond has some millions. Keeping the lines of a transaction
 * takes up to some tens of microseconds. */
#define FORCED_EVERY (UINT64_C(1) << 24)
#define KEPT_EVERY (UINT64_C(1) << 23)
#define SEARCHED_EVERY (UINT64_C(1) << 20)

/* The agent makes no transaction run alone in an off phase, in which nothing may disturb, nor with sample=1: there only
 * the transactions that fall back by themselves are explored. */
bool itm_explore_is_due(struct itm_thread *self)
{
	struct itm_exploring *exploring = &self->exploring;
	if (STMLOG_LIKELY(!itm_hardware_is_watched()) || itm_agent.options.sample == 1 || self->sampling.is_off ||
		itm_blame_reads(self) == NULL || itm_hardware.lock->fastpath == 0)
		return false;
	uint64_t now = __rdtsc();
	if (now - exploring->forced < FORCED_EVERY)
		return false;
	exploring->forced = now;
	return true;
}

void itm_explore_begin(struct itm_thread *self)
{
	uint64_t now = __rdtsc();
	bool is_forced = self->flags & ITM_EXPLORED;
	if (itm_blame_reads(self) == NULL || (!is_forced && now - self->exploring.kept < KEPT_EVERY))
		return;
	self->exploring.kept = now;
	self->flags |= ITM_EXPLORED;
	itm_blame_forget_reads(self);
}

/* ---- keeping ---- */

static struct itm_lines *own_lines(struct itm_ring *ring)
{
	if (AO_load(&ring->lines) != 0)
		return (struct itm_lines *)AO_load(&ring->lines);
	struct itm_lines *lines = native_pages(sizeof *lines);
	if (lines == NULL)
		return NULL;
	AO_store_release(&ring->lines, (AO_t)lines); /* partner: itm_explore_blame() */
	return lines;
}

static void record_reads(const struct itm_thread *self, struct itm_lines *lines, uintptr_t site)
{
	for (const uint64_t *entry = itm_blame_reads(self); entry <= self->reads_at; entry++) {
		struct itm_range read = itm_read_range(*entry);
		itm_lines_add(lines, site, 0, read.address, read.size, false);
	}
}

static void record_writes(const struct itm_ring *ring, struct itm_lines *lines, uintptr_t site, uint64_t from)
{
	struct itm_ring_reader reader = itm_ring_read(ring);
	if (reader.floor < from)
		reader.floor = from;
	while (itm_ring_back(&reader))
		if (!reader.is_end)
			itm_lines_add(lines, site, reader.write.site, reader.write.address, reader.write.size, true);
}

void itm_explore_record_lines(struct itm_thread *self, uint64_t from)
{
	struct itm_lines *lines = self->ring != &itm_ring_dummy ? own_lines(self->ring) : NULL;
	uintptr_t site = itm_ring_site(self->ring);
	if (lines == NULL)
		return;
	itm_lines_begin(lines);
	record_reads(self, lines, site);
	record_writes(self->ring, lines, site, from);
}

/* ---- blaming ---- */

/* Without the place of the access, only the site of its transaction is shown. Borrowed. */
static struct tb_frame *traceback_of(const struct itm_common_line *common)
{
	struct tb_site sites[2];
	size_t len = 0;
	if (common->place != 0)
		sites[len++] = tb_site_make(TB_CODE_ADDRESS, common->place);
	sites[len++] = tb_site_make(TB_CODE_ADDRESS, common->site);
	return itm_remote_traceback(sites, len);
}

/* Compares the lines of the thread's transactions at `site` with the lines of each other thread. */
static void search(struct itm_thread *self, struct itm_exploring *exploring)
{
	const struct itm_lines *mine = (const struct itm_lines *)AO_load(&self->ring->lines);
	exploring->common = (struct itm_common_line){.weight = 0};
	for (const struct itm_ring *ring = itm_ring_first(); mine != NULL && ring != NULL; ring = itm_ring_next(ring)) {
		const struct itm_lines *theirs = (const struct itm_lines *)AO_load_acquire(&ring->lines);
		uint64_t before = exploring->common.weight;
		if (ring == self->ring || theirs == NULL)
			continue;
		itm_lines_find_common(mine, self->site, theirs, &exploring->common);
		if (exploring->common.weight != before)
			exploring->other = (uint32_t)AO_load(&ring->thread);
	}
}

void itm_explore_blame(struct itm_thread *self, struct stmlog_loss *loss)
{
	struct itm_exploring *exploring = &self->exploring;
	const struct itm_common_line *common = &exploring->common;
	uint64_t now = __rdtsc();
	if (exploring->site != self->site || now - exploring->searched > SEARCHED_EVERY) {
		exploring->site = self->site;
		exploring->searched = now;
		search(self, exploring);
	}
	if (common->weight == 0)
		return;
	loss->remote = traceback_of(common);
	loss->remote_thread = exploring->other;
	loss->grade = STMLOG_GRADE_CANDIDATE;
	loss->object = common->mine;
	loss->other_object = common->is_false ? common->theirs : 0;
	loss->overlap = common->is_false ? STMLOG_OVERLAP_STRIPE : STMLOG_OVERLAP_SAME;
}
