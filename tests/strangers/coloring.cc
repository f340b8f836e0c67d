/* SPDX-License-Identifier: MIT
 *
 * A map is coloured by threads: each takes a vertex and gives it a colour that no neighbour has. One thread improves a
 * region instead, by many steps in one transaction, which lasts until another thread gets its processor. Fixed: a
 * transaction for each step.
 */
#include "crew.h"

#include <algorithm>
#include <set>
#include <vector>

namespace
{

constexpr int Vertices = 4000, Degree = 6, Colours = 12, Steps = 20000;

struct Vertex {
	alignas(64) int colour;
	int neighbours[Degree];
	long repaints;
};

std::vector<Vertex> graph(Vertices);

TM_SAFE int free_colour(const Vertex *vertices, const Vertex *vertex, unsigned seed)
{
	unsigned taken = 0;
	for (int neighbour : vertex->neighbours)
		taken |= 1u << vertices[neighbour].colour;
	for (unsigned i = 0; i < Colours; i++)
		if ((taken >> (seed + i) % Colours & 1) == 0)
			return static_cast<int>((seed + i) % Colours);
	return vertex->colour;
}

NOINLINE void paint(Vertex *vertex, unsigned seed)
{
	const Vertex *vertices = graph.data();
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		vertex->colour = free_colour(vertices, vertex, seed);
		vertex->repaints++;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

/* Walks along the graph, and lowers the colours on its way. Returns where it has come to. */
NOINLINE int improve_along(int start, int steps)
{
	Vertex *vertices = graph.data();
	int at;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		at = start;
		for (int i = 0; i < steps; i++) {
			int colour = free_colour(vertices, &vertices[at], 0);
			if (colour < vertices[at].colour)
				vertices[at].colour = colour;
			at = vertices[at].neighbours[i % Degree];
		}
		stamp_last();
	}
	stamp_after();
	return at;
}

void improve_region(member *me)
{
	int at = static_cast<int>(member_random(me, Vertices));
#ifdef FIXED
	for (int i = 0; i < Steps && is_open(); i++) {
		at = improve_along(at, 1);
		idle(10000);
	}
#else
	improve_along(at, Steps);
#endif
}

void colour(member *me)
{
	while (is_open()) {
		if (me->number == 0)
			improve_region(me);
		else
			paint(&graph[member_random(me, Vertices)], static_cast<unsigned>(member_random(me, Colours)));
		idle(10000);
	}
}

void draw_map()
{
	member random{};
	random.random = 88172645463325252u;
	for (Vertex &vertex : graph) {
		std::set<int> chosen;
		while (chosen.size() < Degree)
			chosen.insert(static_cast<int>(member_random(&random, Vertices)));
		std::copy(chosen.begin(), chosen.end(), vertex.neighbours);
	}
}

} // namespace

int main(int argc, char **argv)
{
	draw_map();
	return crew_run(argc, argv, crew_twice(), colour);
}
