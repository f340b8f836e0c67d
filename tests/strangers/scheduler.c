/* SPDX-License-Identifier: MIT
 *
 * A scheduler of builds: each worker builds its jobs of a release, and goes on to the next release. One thread ships a
 * release when all its jobs are done. It asks for that again and again; fixed, it waits until a worker has done its
 * part.
 */
#include "crew.h"

#include <semaphore.h>

enum { JOBS = 1200 };

static struct job {
	_Alignas(64) long built; /* the last release with this job */
	long bytes, warnings;
} jobs[JOBS];

static struct {
	_Alignas(128) long release, bytes;
} shipped;

static sem_t parts_done;

NOINLINE static void finish(struct job *job, long release, long bytes)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		job->built = release;
		job->bytes += bytes;
		job->warnings += bytes % 7 == 0;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

/* Returns false as long as a job is not done. */
NOINLINE static bool ship_release(long release)
{
	bool is_shipped = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long bytes = 0, missing = 0;
		for (int i = 0; i < JOBS; i++) {
			missing += jobs[i].built < release;
			bytes += jobs[i].bytes;
		}
		if (missing > 0)
			__transaction_cancel;
		shipped.release = release;
		shipped.bytes = bytes;
		is_shipped = true;
		stamp_last();
	}
	stamp_after();
	return is_shipped;
}

static void wait_for_part(void)
{
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	sem_timedwait(&parts_done, &end);
}

static void ship_releases(void)
{
	for (long release = 1; is_open();) {
		if (ship_release(release))
			release++;
#ifdef FIXED
		else
			wait_for_part();
#endif
	}
}

static void build_releases(struct member *me, int workers)
{
	for (long release = 1; is_open(); release++) {
		for (int i = me->number - 1; i < JOBS && is_open(); i += workers) {
			idle(10000);
			finish(&jobs[i], release, (long)member_random(me, 10000));
		}
		sem_post(&parts_done);
	}
}

static void build(struct member *me)
{
	if (me->number == 0)
		ship_releases();
	else
		build_releases(me, crew_twice() - 1);
}

int main(int argc, char **argv)
{
	(void)wait_for_part;
	sem_init(&parts_done, 0, 0);
	return crew_run(argc, argv, crew_twice(), build);
}
