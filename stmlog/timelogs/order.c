/* SPDX-License-Identifier: MIT
 * Sorts a timelog's groups by lost_ns, by a heap sort, which needs no memory. (qsort() may call malloc(), which a
 * report in a signal handler must not.) The order is total, because no two groups have equal `admitted`. So it does not
 * matter that a heap sort is not stable.
 *
 * Each step of a heap sort reads two groups at random addresses. So where memory may be allocated, many groups are
 * sorted by timelog_arrange(), which reads them in the order of their addresses. The result is the same. */
#include <errno.h>

#include "mem.h"
#include "radix.h"
#include "timelog.h"

/* Fewer groups than these fit into the processor's caches. */
enum { MANY = 4096 };

static bool comes_first(const struct group *a, const struct group *b)
{
	if (a->entry.lost_ns != b->entry.lost_ns)
		return a->entry.lost_ns > b->entry.lost_ns;
	return a->admitted < b->admitted;
}

/* Restores the heap, in which no child comes later than its parent: only the element `at` may come too early. */
static void sift(uint32_t *order, const struct group *groups, size_t at, size_t len)
{
	uint32_t moving = order[at];
	for (size_t child; (child = 2 * at + 1) < len; at = child) {
		if (child + 1 < len && comes_first(&groups[order[child]], &groups[order[child + 1]]))
			child++;
		if (!comes_first(&groups[moving], &groups[order[child]]))
			break;
		order[at] = order[child];
	}
	order[at] = moving;
}

static void sort(uint32_t *order, const struct group *groups, size_t len)
{
	for (size_t i = 0; i < len; i++)
		order[i] = (uint32_t)i;
	for (size_t i = len / 2; i-- > 0;)
		sift(order, groups, i, len);
	for (size_t end = len; end-- > 1;) {
		uint32_t last = order[0];
		order[0] = order[end];
		order[end] = last;
		sift(order, groups, 0, end);
	}
}

static struct radix_item *sort_items(
	const struct group *groups, size_t len, struct radix_item *items, struct radix_item *spare)
{
	for (size_t i = 0; i < len; i++)
		items[i] = (struct radix_item){groups[i].admitted, i};
	struct radix_item *sorted = radix_sort(items, spare, len);
	for (size_t i = 0; i < len; i++)
		sorted[i].number = UINT64_MAX - groups[sorted[i].at].entry.lost_ns;
	return radix_sort(sorted, sorted == items ? spare : items, len);
}

void timelog_arrange(struct stmlog_timelog *log)
{
	size_t size = 2 * log->len * sizeof(struct radix_item);
	if (log->len < MANY || log->order_version == log->version)
		return;
	int saved = errno;
	struct radix_item *items = mem_alloc(size);
	errno = saved;
	if (items == NULL)
		return; /* timelog_at() sorts the groups */
	const struct radix_item *sorted = sort_items(log->groups, log->len, items, items + log->len);
	for (size_t i = 0; i < log->len; i++)
		log->order[i] = (uint32_t)sorted[i].at;
	log->order_version = log->version;
	mem_free(items, size);
}

const struct group *timelog_at(struct stmlog_timelog *log, size_t rank)
{
	if (rank >= log->len)
		return NULL;
	if (log->order_version != log->version) {
		sort(log->order, log->groups, log->len);
		log->order_version = log->version;
	}
	return &log->groups[log->order[rank]];
}
