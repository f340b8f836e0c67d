/* SPDX-License-Identifier: MIT
 * Maps memory for the recorded addresses. A place is an address relative to the base. Only the pages that are accessed
 * are mapped, in as few mappings as possible, since the kernel limits their number. */
#include "targets.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "lock_hash.h"
#include "requires.h"

/* The places [from, to), in bytes, of whole pages. */
struct targets_range {
	uint64_t from, to;
};

#define REGION_BYTES ((uint64_t)1 << TARGETS_KEPT_BITS)
#define PAGE_BYTES ((uint64_t)4096)

/* The kernel allows a process 65530 mappings by default; the rest is for libraries and stacks. */
enum { RANGES_MAX = 60000 };
#define BYTES_MAX ((uint64_t)1 << 30)

/* Bases are multiples of this. All regions fit between two of them, with a page after the last region, in which an
 * access may end. */
#define BASE_STEP ((uint64_t)1 << 43)
#define BASE_END ((uint64_t)1 << 47)

_Static_assert(TARGETS_KEPT_BITS == ITM_STRIPE_SHIFT + 32, "the bits of which libitm makes the number of a lock");
_Static_assert(TARGETS_REGIONS_MAX *REGION_BYTES + PAGE_BYTES * 17 <= BASE_STEP, "all regions fit");

/* ---- regions ---- */

/* The number of the address's region; region_count: it is not known. */
static size_t find_region(const struct targets *targets, uint64_t address)
{
	size_t i = 0;
	while (i < targets->region_count && targets->regions[i] != address >> TARGETS_KEPT_BITS)
		i++;
	return i;
}

static bool add_region(struct targets *targets, uint64_t address)
{
	size_t i = find_region(targets, address);
	if (i == TARGETS_REGIONS_MAX)
		return false;
	if (i == targets->region_count)
		targets->regions[targets->region_count++] = address >> TARGETS_KEPT_BITS;
	return true;
}

static uint64_t find_place(const struct targets *targets, uint64_t address)
{
	return find_region(targets, address) * REGION_BYTES + address % REGION_BYTES;
}

char *targets_find(const struct targets *targets, uint64_t address)
{
	REQUIRES(find_region(targets, address) < targets->region_count);
	return targets->base + find_place(targets, address);
}

/* ---- ranges ---- */

static struct targets_range pages_of(uint64_t place, uint64_t size)
{
	return (struct targets_range){place & -PAGE_BYTES, (place + size + PAGE_BYTES - 1) & -PAGE_BYTES};
}

static int compare(const void *a, const void *b)
{
	const struct targets_range *first = a, *second = b;
	return (first->from > second->from) - (first->from < second->from);
}

/* Joins ranges that overlap, or have no more than `between` bytes between them. Requires that they ascend. */
static void join(struct targets *targets, uint64_t between)
{
	size_t count = 0;
	for (size_t i = 0; i < targets->range_count; i++) {
		struct targets_range *last = count > 0 ? &targets->ranges[count - 1] : NULL, next = targets->ranges[i];
		REQUIRES(last == NULL || last->from <= next.from);
		if (last == NULL || next.from > last->to + between)
			targets->ranges[count++] = next;
		else if (next.to > last->to)
			last->to = next.to;
	}
	targets->range_count = count;
}

static uint64_t sum_bytes(const struct targets *targets)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < targets->range_count; i++)
		sum += targets->ranges[i].to - targets->ranges[i].from;
	return sum;
}

/* If there are too many ranges, they are joined across pages that are not accessed. These stay untouched, and so take
 * no memory. */
static const char *join_all(struct targets *targets)
{
	qsort(targets->ranges, targets->range_count, sizeof *targets->ranges, compare);
	join(targets, 0);
	if (sum_bytes(targets) > BYTES_MAX)
		return "accesses too much memory";
	targets->has_unused_pages = targets->range_count > RANGES_MAX;
	for (uint64_t between = PAGE_BYTES; targets->range_count > RANGES_MAX; between *= 2)
		join(targets, between);
	return NULL;
}

static const char *find_ranges(struct targets *targets, const struct recorded *recorded)
{
	targets->ranges = malloc(recorded->count * sizeof *targets->ranges);
	if (targets->ranges == NULL)
		return "has too many accesses";
	for (size_t i = 0; i < recorded->count; i++) {
		const struct stmlog_access_record *record = &recorded->records[i];
		if (!recorded_is_access(record))
			continue;
		if (!add_region(targets, record->address))
			return "accesses too many regions of memory";
		targets->ranges[targets->range_count++] = pages_of(find_place(targets, record->address), record->size);
	}
	return join_all(targets);
}

/* ---- mapping ---- */

static void unmap(const struct targets *targets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		munmap(targets->base + targets->ranges[i].from, targets->ranges[i].to - targets->ranges[i].from);
}

/* Huge pages would give memory to pages that are not accessed. */
static bool map(const struct targets *targets, const struct targets_range *range)
{
	char *wanted = targets->base + range->from;
	size_t size = range->to - range->from;
	void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED)
		return false;
	if (got != wanted) { /* an old kernel, which takes the address for a hint */
		munmap(got, size);
		return false;
	}
	if (targets->has_unused_pages)
		(void)madvise(wanted, size, MADV_NOHUGEPAGE);
	/* cppcheck-suppress memleak ; `got` is `wanted` */
	return true;
}

/* Maps all ranges, or none. */
static bool map_all(const struct targets *targets)
{
	for (size_t i = 0; i < targets->range_count; i++) {
		if (map(targets, &targets->ranges[i]))
			continue;
		unmap(targets, i);
		return false;
	}
	return true;
}

/* Tries one base after the other: a base does not fit if something else is mapped there. */
static const char *map_somewhere(struct targets *targets)
{
	for (uint64_t base = BASE_STEP; base < BASE_END; base += BASE_STEP) {
		targets->base = (char *)base;
		if (map_all(targets))
			return NULL;
	}
	targets->range_count = 0;
	return "has addresses for which there is no room in this process";
}

/* Writes to all pages, since a page that was only read still faults when it is written. */
static void touch_all(const struct targets *targets, const struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->count; i++) {
		const struct stmlog_access_record *record = &recorded->records[i];
		if (!recorded_is_access(record))
			continue;
		struct targets_range pages = pages_of(find_place(targets, record->address), record->size);
		for (uint64_t page = pages.from; page < pages.to; page += PAGE_BYTES)
			*(volatile char *)(targets->base + page) = 0;
	}
}

/* ---- all of it ---- */

const char *targets_init(struct targets *targets, const struct recorded *recorded)
{
	*targets = (struct targets){0};
	const char *why = find_ranges(targets, recorded);
	if (why == NULL)
		why = map_somewhere(targets);
	if (why == NULL)
		touch_all(targets, recorded);
	else
		free(targets->ranges);
	return why;
}

void targets_fini(struct targets *targets)
{
	unmap(targets, targets->range_count);
	free(targets->ranges);
	*targets = (struct targets){0};
}
