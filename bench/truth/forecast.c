/* SPDX-License-Identifier: MIT
 *
 * Weather stations and their forecast. Ten to twenty times a second the first thread makes the forecast of a region: a
 * transaction that reads its stations, works for milliseconds, and enters what comes out at each of them. When it has
 * done its work, a station of the region has got a new measurement from another thread, so that it works again, several
 * times. All other transactions are short, and do not fail: the first thread enters measurements of other regions, and
 * the others look at these. Some work goes before each. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants, outside transactions: each station has as many measurements as were entered for it; and in the
 * region each station has the same forecast, with the number of those that were made.
 */
#include "rivals.h"
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGION = 64, STATIONS = 4096, PERIOD = 4000 };
enum tally { MEASURED, MET, FORECASTS };

struct station {
	_Alignas(64) long measurements;
	long sum;
	long forecasts;
	unsigned long forecast;
};

/* The stations of the region come first. */
static struct station stations[STATIONS];
static uint64_t forecast_rounds, work_before;
static uint64_t failures_min, failures_max;

/* Takes the result of the work, so that the compiler does not leave it out. */
static _Thread_local volatile unsigned long seen;

static inline unsigned long work(unsigned long hash, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return hash;
}

TM_RUNS static void enter(struct station *station, long value)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		station->measurements++;
		station->sum += value;
		stamp_last();
	}
	stamp_after();
}

/* A measurement in the region of a forecast. */
TM_RUNS static void correct(struct station *station, long value)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		station->measurements++;
		station->sum += value;
		rivals_answer();
		stamp_last();
	}
	stamp_after();
}

TM_RUNS static long look_at(const struct station *station)
{
	long sum;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		sum = station->sum;
		stamp_last();
	}
	stamp_after();
	return sum;
}

TM_SAFE static unsigned long look_at_region(void)
{
	long sum = 0;
	for (int i = 0; i < REGION; i++)
		sum += stations[i].sum;
	return (unsigned long)sum;
}

TM_SAFE static void enter_forecast(unsigned long forecast)
{
	for (int i = 0; i < REGION; i++) {
		stations[i].forecast = forecast;
		stations[i].forecasts++;
	}
}

TM_RUNS static void make_forecast(void)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		unsigned long forecast = work(look_at_region(), forecast_rounds);
		rivals_await();
		enter_forecast(forecast);
		stamp_last();
	}
	stamp_after();
}

static void measure_or_forecast(struct worker *worker)
{
	if (worker->operations % PERIOD == PERIOD / 10) {
		rivals_expect((unsigned)(failures_min + worker_random(worker, failures_max - failures_min + 1)));
		make_forecast();
		worker->tally[MET] += rivals_met();
		worker->tally[FORECASTS]++;
		return;
	}
	enter(&stations[REGION + worker_random(worker, STATIONS - REGION)], (long)worker_random(worker, 100));
	worker->tally[MEASURED]++;
}

static void serve(struct worker *worker)
{
	seen += work(worker->random, work_before);
	if (worker->number == 0) {
		measure_or_forecast(worker);
	} else if (rivals_is_called()) {
		correct(&stations[worker_random(worker, REGION)], (long)worker_random(worker, 100));
		worker->tally[MEASURED]++;
	} else {
		seen += (unsigned long)look_at(&stations[REGION + worker_random(worker, STATIONS - REGION)]);
	}
}

/* Whether the region's stations have what the first of them has. */
static bool is_forecast_right(int64_t forecasts)
{
	for (int i = 0; i < REGION; i++)
		if (stations[i].forecasts != forecasts || stations[i].forecast != stations[0].forecast)
			return false;
	return true;
}

static bool are_all_entered(const struct worker *sum)
{
	int64_t measurements = 0;
	for (int i = 0; i < STATIONS; i++)
		measurements += stations[i].measurements;
	return measurements == sum->tally[MEASURED] && is_forecast_right(sum->tally[FORECASTS]);
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double rounds = 3.3e6, before = 1500, failures = 8;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"work", &rounds, 0, 1e9, true, "rounds of work in an attempt at a forecast"},
		{"before", &before, 0, 1e9, true, "rounds of work before each transaction"},
		{"failures", &failures, 2, 90, true, "attempts at a forecast that fail, two more or less"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	forecast_rounds = (uint64_t)rounds;
	work_before = (uint64_t)before;
	failures_min = (uint64_t)(run.threads > 1 ? failures - 2 : 0);
	failures_max = (uint64_t)(run.threads > 1 ? failures + 2 : 0);

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_all_entered(&sum);
	run_print(&run, elapsed, &sum);
	printf("measured %lld\nmet %lld\nforecasts %lld\n", (long long)sum.tally[MEASURED], (long long)sum.tally[MET],
		(long long)sum.tally[FORECASTS]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	return is_ok ? 0 : 1;
}
