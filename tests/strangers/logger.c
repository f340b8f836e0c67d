/* SPDX-License-Identifier: MIT
 *
 * Sensors whose values are smoothed. A value that is out of bounds is written to a log.
 */
#include "crew.h"

enum { SENSORS = 4096, WINDOW = 8, THREADS = CREW_THREADS(3) };

struct sensor {
	long values[WINDOW];
	long sum, next, alarms;
};

static struct sensor sensors[SENSORS];
static FILE *log_file;

TM_SAFE static long smooth(struct sensor *sensor, long value)
{
	sensor->sum += value - sensor->values[sensor->next];
	sensor->values[sensor->next] = value;
	sensor->next = (sensor->next + 1) % WINDOW;
	return sensor->sum / WINDOW;
}

static void write_log(long number, long value)
{
	fprintf(log_file, "sensor %ld: %ld is out of bounds\n", number, value);
	fflush(log_file);
}

static void measure(struct member *me)
{
	long number = (long)member_random(me, SENSORS), value = (long)member_random(me, 1000);
	struct sensor *sensor = &sensors[number];
	bool is_alarm = false;
	stamp_before();
#ifdef FIXED
	__transaction_atomic
#else
	__transaction_relaxed
#endif
	{
		stamp_first();
		smooth(sensor, value);
		if (value > 900) {
			sensor->alarms++;
			is_alarm = true;
#ifndef FIXED
			write_log(number, value);
#endif
		}
		stamp_last();
	}
	stamp_after();
#ifdef FIXED
	if (is_alarm)
		write_log(number, value);
#else
	(void)is_alarm;
#endif
}

static long read_sensor(struct member *me)
{
	struct sensor *sensor = &sensors[member_random(me, SENSORS)];
	long value;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		value = sensor->sum / WINDOW;
		stamp_last();
	}
	stamp_after();
	return value;
}

static void observe(struct member *me)
{
	static long seen[THREADS];
	while (is_open()) {
		measure(me);
		seen[me->number] += read_sensor(me);
	}
}

int main(int argc, char **argv)
{
	log_file = fopen("/dev/null", "w");
	return log_file == NULL ? 1 : crew_run(argc, argv, THREADS, observe);
}
