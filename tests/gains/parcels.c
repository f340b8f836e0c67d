/* SPDX-License-Identifier: MIT
 *
 * A post office. The way of a parcel is chosen by the weights that the routes carry already; of each second parcel,
 * which is insured, a receipt is printed.
 */
#include "crew.h"

#include <fcntl.h>

enum { TOWNS = 1024, ROUTES = 48, THREADS = 2 };

static struct town {
	_Alignas(64) long carried[ROUTES];
	long parcels;
} towns[TOWNS];
static int printer;

static void print_receipt(long town, long route, long weight)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "town %ld by route %ld: %ld g\n", town, route, weight);
	if (write(printer, line, (size_t)len) != len)
		abort();
}

TM_SAFE static long lightest(const struct town *town)
{
	long best = 0;
	for (long i = 1; i < ROUTES; i++)
		if (town->carried[i] < town->carried[best])
			best = i;
	return best;
}

static void post(long number, long weight, bool is_insured)
{
	struct town *town = &towns[number];
	long route;
	stamp_before();
#ifdef FIXED
	__transaction_atomic
#else
	__transaction_relaxed
#endif
	{
		stamp_first();
		route = lightest(town);
		town->carried[route] += weight;
		town->parcels++;
#ifndef FIXED
		if (is_insured)
			print_receipt(number, route, weight);
#endif
		stamp_last();
	}
	stamp_after();
#ifdef FIXED
	if (is_insured)
		print_receipt(number, route, weight);
#endif
}

static void serve(struct member *me)
{
	while (is_open()) {
		long town = (long)member_random(me, TOWNS), weight = 50 + (long)member_random(me, 5000);
		post(town, weight, member_random(me, 2) == 0);
	}
}

int main(int argc, char **argv)
{
	printer = open("/dev/null", O_WRONLY);
	return printer < 0 ? 1 : crew_run(argc, argv, THREADS, serve);
}
