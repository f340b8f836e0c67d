/* SPDX-License-Identifier: MIT
 * The table of touched lines: the owner adds to it, other threads compare it with their own. */
#include "lines.h"

/* A longer access is one of the memcpy family: its beginning stands for the whole. */
#define LINES_MAX 16

/* When a count exceeds this, all counts of the set are halved, so that lines touched long ago can be replaced. */
#define COUNT_MAX 1024

static size_t set_of(AO_t line)
{
	return (size_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % ITM_LINES_SETS;
}

/* ---- owner ---- */

void itm_lines_begin(struct itm_lines *lines)
{
	lines->transactions++;
}

/* The element for line and site; without one, the element to use for them: a free one, or the one with the lowest
 * count. */
static struct itm_line *find(struct itm_lines *lines, AO_t line, AO_t site)
{
	struct itm_line *set = lines->sets[set_of(line)], *min = set;
	for (size_t way = 0; way < ITM_LINES_WAYS; way++) {
		if (AO_load(&set[way].line) == line && AO_load(&set[way].site) == site)
			return &set[way];
		if (AO_load(&set[way].count) < AO_load(&min->count))
			min = &set[way];
	}
	return min;
}

static void halve(struct itm_lines *lines, AO_t line)
{
	struct itm_line *set = lines->sets[set_of(line)];
	for (size_t way = 0; way < ITM_LINES_WAYS; way++)
		AO_store(&set[way].count, AO_load(&set[way].count) / 2);
}

static void open(struct itm_line *element)
{
	AO_store(&element->version, AO_load(&element->version) + 1);
	AO_nop_write();
}

static void close(struct itm_line *element)
{
	AO_store_release(&element->version, AO_load(&element->version) + 1);
}

static void reset_element(struct itm_line *element, AO_t line, AO_t site)
{
	AO_store(&element->line, line);
	AO_store(&element->site, site);
	AO_store(&element->place, 0);
	AO_store(&element->reads, 0);
	AO_store(&element->writes, 0);
	AO_store(&element->count, 0);
	AO_store(&element->last, 0);
}

static void note(struct itm_lines *lines, AO_t line, AO_t site, uintptr_t place, uint64_t mask, bool is_write)
{
	struct itm_line *element = find(lines, line, site);
	open(element);
	if (AO_load(&element->line) != line || AO_load(&element->site) != site)
		reset_element(element, line, site);
	volatile AO_t *bytes = is_write ? &element->writes : &element->reads;
	AO_store(bytes, AO_load(bytes) | mask);
	if (is_write || AO_load(&element->writes) == 0)
		AO_store(&element->place, place);
	if (AO_load(&element->last) != lines->transactions) {
		AO_store(&element->last, lines->transactions);
		AO_store(&element->count, AO_load(&element->count) + 1);
	}
	close(element);
	if (AO_load(&element->count) > COUNT_MAX)
		halve(lines, line);
}

/* The bits for the bytes [from, from + len) of a line. */
static uint64_t mask_of(size_t from, size_t len)
{
	uint64_t ones = len >= ITM_LINE_BYTES ? UINT64_MAX : ((uint64_t)1 << len) - 1;
	return ones << from;
}

void itm_lines_add(
	struct itm_lines *lines, uintptr_t site, uintptr_t place, uintptr_t address, size_t size, bool is_write)
{
	for (size_t n = 0; n < LINES_MAX && size != 0; n++) {
		size_t from = address % ITM_LINE_BYTES, len = ITM_LINE_BYTES - from;
		if (len > size)
			len = size;
		note(lines, address >> ITM_LINE_SHIFT, site, place, mask_of(from, len), is_write);
		address += len;
		size -= len;
	}
}

/* ---- any thread ---- */

/* Copies an element; false: it is free, or the owner has changed it meanwhile. */
static bool copy(const struct itm_line *element, struct itm_line *to)
{
	AO_t version = AO_load_acquire(&element->version);
	if (version % 2 != 0)
		return false;
	to->line = AO_load(&element->line);
	to->site = AO_load(&element->site);
	to->place = AO_load(&element->place);
	to->reads = AO_load(&element->reads);
	to->writes = AO_load(&element->writes);
	to->count = AO_load(&element->count);
	AO_nop_read();
	return AO_load(&element->version) == version && to->line != 0;
}

static uintptr_t first_byte(const struct itm_line *element, uint64_t mask)
{
	return ((uintptr_t)element->line << ITM_LINE_SHIFT) + (uintptr_t)__builtin_ctzll(mask);
}

static void compare(const struct itm_line *mine, const struct itm_line *theirs, struct itm_common_line *best)
{
	uint64_t my_bytes = mine->reads | mine->writes, their_bytes = theirs->reads | theirs->writes;
	uint64_t shared = (mine->writes & their_bytes) | (theirs->writes & my_bytes);
	uint64_t weight = mine->count * theirs->count;
	if ((mine->writes | theirs->writes) == 0 || weight <= best->weight)
		return;
	best->weight = weight;
	best->is_false = shared == 0;
	best->mine = first_byte(mine, shared != 0 ? shared : my_bytes);
	best->theirs = first_byte(theirs, shared != 0 ? shared : their_bytes);
	best->site = theirs->site;
	best->place = theirs->place;
}

static void find_in_set(const struct itm_line *mine, const struct itm_lines *theirs, struct itm_common_line *best)
{
	const struct itm_line *set = theirs->sets[set_of(mine->line)];
	struct itm_line other;
	for (size_t way = 0; way < ITM_LINES_WAYS; way++)
		if (AO_load(&set[way].line) == mine->line && copy(&set[way], &other) && other.line == mine->line)
			compare(mine, &other, best);
}

void itm_lines_find_common(
	const struct itm_lines *mine, uintptr_t site, const struct itm_lines *theirs, struct itm_common_line *best)
{
	struct itm_line own;
	for (size_t i = 0; i < (size_t)ITM_LINES_SETS * ITM_LINES_WAYS; i++) {
		const struct itm_line *element = &mine->sets[0][0] + i;
		if (AO_load(&element->site) == site && copy(element, &own))
			find_in_set(&own, theirs, best);
	}
}
