/* SPDX-License-Identifier: MIT
 *
 * An aggregator of telemetry: each process has a thread that smooths the samples of its stations, and a thread that
 * receives packets. The number of packets stands beside the calibration, which smoothing reads. Fixed: apart from it.
 */
#include "workers.h"

enum { STATIONS = 256, SENSORS = 2, SAMPLES = 128, THREADS = CREW_THREADS(2) };

static struct {
	_Alignas(64) int scale[SENSORS], offset[SENSORS];
#ifdef FIXED
	_Alignas(64)
#endif
		long packets,
		bytes;
} station;

static struct series {
	_Alignas(64) int samples[SAMPLES];
	long sum, peak;
} series[STATIONS];

/* Replaces the oldest sample, and sums up all of them anew, corrected by the calibration of their sensors. */
NOINLINE static void smooth(struct series *of, unsigned at, int raw)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long sum = 0;
		of->samples[at % SAMPLES] = raw;
		for (int i = 0; i < SAMPLES; i++)
			sum += of->samples[i] * station.scale[i % SENSORS] + station.offset[i % SENSORS];
		of->sum = sum;
		if (sum > of->peak)
			of->peak = sum;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

NOINLINE static void receive_packet(long bytes)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		station.packets++;
		station.bytes += bytes;
		stamp_last();
	}
	stamp_after();
}

NOINLINE static void calibrate(unsigned sensor, int scale, int offset)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		station.scale[sensor] = scale;
		station.offset[sensor] = offset;
		stamp_last();
	}
	stamp_after();
}

static void work(struct member *me)
{
	for (unsigned i = 0; is_open(); i++) {
		if (me->number == 0) {
			idle(3000);
			smooth(&series[member_random(me, STATIONS)], i, (int)member_random(me, 100));
			if (i % 100000 == 0)
				calibrate(i / 100000 % SENSORS, 2 + (int)member_random(me, 3), 10);
		} else {
			receive_packet(64 + (long)member_random(me, 1400));
			idle(500);
		}
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < SENSORS; i++)
		station.scale[i] = 2;
	return workers_run(argc, argv, workers_pairs(), THREADS, work);
}
