/* SPDX-License-Identifier: MIT
 *
 * A grid of cells in which one thread routes wires along the cheapest of some ways, while the other one changes what
 * cells cost.
 */
#include "crew.h"

enum { SIDE = 48, CELLS = SIDE * SIDE, THREADS = CREW_THREADS(2) };

struct cell {
	int cost;
	int wires;
};

static _Alignas(128) struct cell grid[CELLS];
static struct member chooser = {0, 88172645463325252u, NULL};

TM_SAFE static int cost_of_row(const struct cell *cells, int row, int from, int to)
{
	int cost = 0;
	for (int column = from; column < to; column++)
		cost += cells[row * SIDE + column].cost;
	return cost;
}

TM_SAFE static int best_row(const struct cell *cells, int from, int to)
{
	int best = 0, min = 1 << 30;
	for (int row = 0; row < SIDE; row++) {
		int cost = cost_of_row(cells, row, from, to);
		if (cost < min) {
			min = cost;
			best = row;
		}
	}
	return best;
}

TM_SAFE static void lay(int row, int from, int to)
{
	for (int column = from; column < to; column++)
		grid[row * SIDE + column].wires++;
}

#ifdef FIXED
/* As labyrinths are routed: on a copy, made outside the transaction, which may be a little old. */
static void route(int from, int to)
{
	static struct cell copy[CELLS];
	for (int i = 0; i < CELLS; i++)
		copy[i].cost = __atomic_load_n(&grid[i].cost, __ATOMIC_RELAXED);
	int row = best_row(copy, from, to);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		lay(row, from, to);
		stamp_last();
	}
	stamp_after();
}
#else
static void route(int from, int to)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		lay(best_row(grid, from, to), from, to);
		stamp_last();
	}
	stamp_after();
}
#endif

static void change_cost(struct member *me)
{
	struct cell *cell = &grid[member_random(me, CELLS)];
	int cost = 1 + (int)member_random(me, 9);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		cell->cost = cost;
		stamp_last();
	}
	stamp_after();
	idle(3000);
}

static void work(struct member *me)
{
	while (is_open()) {
		if (me->number == 0) {
			int from = (int)member_random(&chooser, SIDE / 4);
			route(from, SIDE - 1 - from);
		} else {
			change_cost(me);
		}
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < CELLS; i++)
		grid[i].cost = 1 + i % 7;
	return crew_run(argc, argv, THREADS, work);
}
