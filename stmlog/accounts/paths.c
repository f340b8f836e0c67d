/* SPDX-License-Identifier: MIT
 * Adds times to the paths of a thread, and reads them. */
#include "paths.h"

#include <string.h>

#include "mem.h"

struct paths *paths_create(void)
{
	return mem_alloc(sizeof(struct paths));
}

void paths_destroy(struct paths **paths, struct tb_stack *stack)
{
	if (*paths == NULL)
		return;
	places_clear(&(*paths)->places, stack);
	mem_free(*paths, sizeof **paths);
	*paths = NULL;
}

void paths_clear(struct paths *paths, struct tb_stack *stack)
{
	places_clear(&paths->places, stack);
	memset(paths, 0, sizeof *paths);
}

static void add(struct path_cost *cost, enum path_kind kind, uint64_t ns, uint32_t extra)
{
	AO_store(&cost->count[kind], AO_load(&cost->count[kind]) + 1);
	AO_store(&cost->ns[kind], AO_load(&cost->ns[kind]) + ns);
	AO_store(&cost->surplus[kind], AO_load(&cost->surplus[kind]) + extra);
	AO_store(&cost->surplus_ns[kind], AO_load(&cost->surplus_ns[kind]) + ns * extra);
}

static struct path_cost *cost_of(struct paths *paths, struct tb_frame *traceback)
{
	if (tb_is_unknown(traceback))
		return &paths->costs[0];
	uint32_t number = places_number(&paths->places, traceback, NULL);
	if (number == 0)
		return &paths->overflow;
	if (number >= AO_load(&paths->len))
		AO_store_release(&paths->len, number + 1); /* partner: paths_each() */
	return &paths->costs[number];
}

void paths_add(struct paths *paths, struct tb_frame *traceback, enum path_kind kind, uint64_t ns, uint32_t extra)
{
	add(cost_of(paths, traceback), kind, ns, extra);
}

static bool has_any(const struct path_cost *cost)
{
	AO_t count = 0;
	for (int kind = 0; kind < PATH_KINDS; kind++)
		count |= AO_load(&cost->count[kind]);
	return count != 0;
}

void paths_each(const struct paths *paths,
	void (*each)(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg),
	void *arg)
{
	AO_t len = AO_load_acquire(&paths->len); /* partner: cost_of() */
	if (has_any(&paths->costs[0]))
		each(TB_UNKNOWN, false, &paths->costs[0], arg);
	for (AO_t i = 1; i < len; i++)
		if (has_any(&paths->costs[i]))
			each(paths->places.rows[i].traceback, false, &paths->costs[i], arg);
	if (has_any(&paths->overflow))
		each(TB_UNKNOWN, true, &paths->overflow, arg);
}
