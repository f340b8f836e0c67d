/* SPDX-License-Identifier: MIT
 *
 * Clustering as points come and go: each new point replaces an old one, joins the cluster with the nearest centre, and
 * adds its coordinates to that cluster's sums. Now and then a centre moves to the mean of its points. Some points are
 * only classified. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant, outside transactions: each cluster has the count, and the sums of the coordinates, of the points whose
 * `cluster` is its number. Coordinates are whole numbers, so that sums are exact in any order.
 */
#include "run.h"
#include "stamps.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 8, LIMIT = 1000, SPREAD = 200 };
enum tally { REPLACED, CLASSIFIED, RECOGNISED };

struct point {
	float at[DIMENSIONS];
	int cluster;
};

/* On cache lines of its own. The centre, which all transactions read, is on another line than the sums, which each
 * update writes. */
struct cluster {
	_Alignas(64) float centre[DIMENSIONS];
	_Alignas(64) double sum[DIMENSIONS];
	long count;
	long changes; /* since the centre moved */
};

static struct point *points;
static struct cluster *clusters;
static size_t points_len;
static int clusters_len;
static long changes_limit;
static uint64_t updates_percent;

/* A coordinate of a source. Points are drawn near the sources, of which there are as many as clusters. */
static float source_at(int source, int dimension)
{
	uint64_t hash = (uint64_t)(source * DIMENSIONS + dimension + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return (float)((hash >> 32) % LIMIT);
}

/* Draws a point near a source, and returns the number of the source. */
static int draw_point(struct worker *worker, struct point *point)
{
	int source = (int)worker_random(worker, (uint64_t)clusters_len);
	for (int i = 0; i < DIMENSIONS; i++)
		point->at[i] = source_at(source, i) + (float)worker_random(worker, SPREAD);
	return source;
}

TM_SAFE static int find_nearest(const struct point *point)
{
	float shortest = FLT_MAX;
	int nearest = 0;
	for (int i = 0; i < clusters_len; i++) {
		float distance = 0;
		for (int j = 0; j < DIMENSIONS; j++) {
			float apart = point->at[j] - clusters[i].centre[j];
			distance += apart * apart;
		}
		if (distance < shortest) {
			shortest = distance;
			nearest = i;
		}
	}
	return nearest;
}

TM_SAFE static void add_point(struct cluster *cluster, const struct point *point, int sign)
{
	cluster->count += sign;
	cluster->changes++;
	for (int i = 0; i < DIMENSIONS; i++)
		cluster->sum[i] += (double)((float)sign * point->at[i]);
}

/* The centre of a cluster without points stays where it is. */
TM_SAFE static void move_centre(struct cluster *cluster)
{
	long count = cluster->count;
	cluster->changes = 0;
	for (int i = 0; count != 0 && i < DIMENSIONS; i++)
		cluster->centre[i] = (float)(cluster->sum[i] / (double)count);
}

TM_RUNS static void replace(struct point *old, const struct point *drawn)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		int nearest = find_nearest(drawn);
		struct cluster *joined = &clusters[nearest];
		add_point(&clusters[old->cluster], old, -1);
		*old = *drawn;
		old->cluster = nearest;
		add_point(joined, old, 1);
		if (joined->changes >= changes_limit)
			move_centre(joined);
		stamp_last();
	}
	stamp_after();
}

TM_RUNS static int classify(const struct point *point)
{
	int nearest;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		nearest = find_nearest(point);
		stamp_last();
	}
	stamp_after();
	return nearest;
}

static void serve(struct worker *worker)
{
	struct point drawn = {.cluster = 0};
	int source = draw_point(worker, &drawn);
	if (worker_random(worker, 100) < updates_percent) {
		worker->tally[REPLACED]++;
		replace(&points[worker_random(worker, points_len)], &drawn);
	} else {
		worker->tally[CLASSIFIED]++;
		worker->tally[RECOGNISED] += classify(&drawn) == source;
	}
}

/* Cluster n begins with source n as its centre. There are no transactions here, for the main thread would be one more
 * thread to the STM. */
static void fill(void)
{
	struct worker dice = {.random = 1};
	clusters = aligned_alloc(_Alignof(struct cluster), (size_t)clusters_len * sizeof(*clusters));
	points = calloc(points_len, sizeof(*points));
	if (clusters == NULL || points == NULL)
		options_refuse("no memory for %zu points in %d clusters", points_len, clusters_len);
	for (int i = 0; i < clusters_len; i++) {
		clusters[i] = (struct cluster){.count = 0};
		for (int j = 0; j < DIMENSIONS; j++)
			clusters[i].centre[j] = source_at(i, j);
	}
	for (size_t i = 0; i < points_len; i++) {
		draw_point(&dice, &points[i]);
		points[i].cluster = find_nearest(&points[i]);
		add_point(&clusters[points[i].cluster], &points[i], 1);
	}
}

/* Takes all points out of their clusters: then all counts and sums must be 0. */
static bool are_sums_right(void)
{
	for (size_t i = 0; i < points_len; i++)
		add_point(&clusters[points[i].cluster], &points[i], -1);
	for (int i = 0; i < clusters_len; i++) {
		bool is_empty = clusters[i].count == 0;
		for (int j = 0; j < DIMENSIONS; j++)
			is_empty = is_empty && clusters[i].sum[j] == 0;
		if (!is_empty)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double size = 4096, centres = 16, changes = 100, updates = 50;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"size", &size, 1, 1e8, true, "points"},
		{"clusters", &centres, 1, 1e6, true, "of them"},
		{"changes", &changes, 1, 1e9, true, "of a cluster, after which its centre moves"},
		{"updates", &updates, 0, 100, true, "percent of operations that replace a point"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	points_len = (size_t)size;
	clusters_len = (int)centres;
	changes_limit = (long)changes;
	updates_percent = (uint64_t)updates;
	fill();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_sums_right();
	run_print(&run, elapsed, &sum);
	printf("replaced %lld\nclassified %lld\nrecognised %lld\n", (long long)sum.tally[REPLACED],
		(long long)sum.tally[CLASSIFIED], (long long)sum.tally[RECOGNISED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(points);
	free(clusters);
	return is_ok ? 0 : 1;
}
