/* SPDX-License-Identifier: MIT
 *
 * The threads of a small program with transactions, which run for some seconds, and with -DSTAMPS the program's own
 * time stamps. At the end "commits=N" is on stdout, and with -DSTAMPS also lost_ns, waited_ns, taken_ns,
 * threads_ns and attempts. A program that counts operations by crew_count(), those of its threads that have no fault,
 * prints done=N, too.
 *
 *     stamp_before();
 *     __transaction_atomic
 *     {
 *             stamp_first();
 *             ...
 *             stamp_last();
 *     }
 *     stamp_after();
 */
#ifndef STRANGERS_CREW_H
#define STRANGERS_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define TM_SAFE __attribute__((transaction_safe))
#define TM_PURE __attribute__((transaction_pure, noinline, unused))
/* Of functions with transactions. gcc cannot clone those that are called in transactions if they are noclone. */
#define NOINLINE __attribute__((noinline, noclone))

/* A plugin defines CREW_PLUGIN first: its transactions are run by threads of the program that has loaded it. */
#ifdef CREW_PLUGIN
#define CREW_STATE extern
#else
#define CREW_STATE
#endif

enum { MEMBERS_MAX = 8 };

/* How many threads a program has, which has `usual` otherwise: with -DCROWDED so many that each of two processors has
 * four. */
#ifdef CROWDED
#define CREW_THREADS(usual) MEMBERS_MAX
#else
#define CREW_THREADS(usual) (usual)
#endif

/* Apart from the others, since each writes its own all the time: two cache lines, which processors fetch in pairs. */
struct member {
	int number;
	uint64_t random;
	void (*work)(struct member *);
} __attribute__((aligned(128)));

/* Times in ticks. lost: of attempts that failed; waited: before the first statement of a transaction or after its last
 * one, if that took longer than begin and commit take without a wait; taken: while another process had the processor,
 * which is part of neither. */
struct stamps {
	uint64_t lost, waited, taken, alive, commits, attempts, done;
};

CREW_STATE bool crew_is_over;
CREW_STATE __thread struct stamps my_stamps;

#ifdef STAMPS
/* Of the transaction. */
CREW_STATE __thread uint64_t my_before, my_first, my_last, my_after, my_tries;
CREW_STATE __thread uint64_t my_body; /* from the first statement to the last one */
CREW_STATE __thread bool is_at_end;

/* Of the thread, at the last reading: how long it was off the processor, and how often it gave the processor up. */
CREW_STATE __thread uint64_t my_off_ns;
CREW_STATE __thread long my_sleeps;

enum { NO_WAIT = 400, LONG_TICKS = 100000 };

CREW_STATE double crew_ticks_per_ns;

static inline uint64_t crew_clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A piece of time without what another process has taken of it; a sleep is none of that. */
TM_PURE static uint64_t stamp_own(uint64_t piece)
{
	if (piece < LONG_TICKS)
		return piece;
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	uint64_t busy_ns = crew_clock_ns(CLOCK_THREAD_CPUTIME_ID), off_ns = crew_clock_ns(CLOCK_MONOTONIC) - busy_ns;
	uint64_t taken = off_ns > my_off_ns ? (uint64_t)((double)(off_ns - my_off_ns) * crew_ticks_per_ns) : 0;
	if (usage.ru_nvcsw != my_sleeps)
		taken = 0;
	if (taken > piece)
		taken = piece;
	my_off_ns = off_ns;
	my_sleeps = usage.ru_nvcsw;
	my_stamps.taken += taken;
	return piece - taken;
}

static inline void stamp_before(void)
{
	my_tries = 0;
	my_before = __rdtsc();
	stamp_own(my_before - my_after);
}

static inline uint64_t stamp_wait(uint64_t ticks)
{
	return ticks > NO_WAIT ? stamp_own(ticks) : 0;
}

TM_PURE static void stamp_first(void)
{
	uint64_t now = __rdtsc();
	if (my_tries++ == 0)
		my_stamps.waited += stamp_wait(now - my_before);
	else
		my_stamps.lost += is_at_end ? my_body + stamp_own(now - my_last) : stamp_own(now - my_first);
	my_first = __rdtsc();
	is_at_end = false;
}

TM_PURE static void stamp_last(void)
{
	uint64_t now = __rdtsc();
	my_body = stamp_own(now - my_first);
	my_last = __rdtsc();
	is_at_end = true;
}

/* A transaction that has cancelled itself has not come to its end. */
static inline void stamp_after(void)
{
	uint64_t now = __rdtsc();
	my_stamps.attempts += my_tries;
	my_stamps.commits += is_at_end;
	if (is_at_end)
		my_stamps.waited += stamp_wait(now - my_last);
	else
		my_stamps.lost += stamp_own(now - my_first);
	my_after = __rdtsc();
}

/* Before the first transaction of a thread. */
static inline void stamp_begin(void)
{
	struct timespec rest = {0, 5000000};
	uint64_t ticks = __rdtsc(), ns = crew_clock_ns(CLOCK_MONOTONIC);
	nanosleep(&rest, NULL);
	double ratio = (double)(__rdtsc() - ticks) / (double)(crew_clock_ns(CLOCK_MONOTONIC) - ns);
	__atomic_store(&crew_ticks_per_ns, &ratio, __ATOMIC_RELAXED);
	stamp_own(LONG_TICKS);
	my_stamps.taken = 0;
	my_after = __rdtsc();
}
#else
#define stamp_before() ((void)0)
#define stamp_first() ((void)0)
#define stamp_last() ((void)0)
#define stamp_after() ((void)my_stamps.commits++)
#define stamp_begin() ((void)0)
#endif

/* The threads work as long as it is true. */
static inline bool is_open(void)
{
	return !__atomic_load_n(&crew_is_over, __ATOMIC_RELAXED);
}

static inline void crew_count(void)
{
	my_stamps.done++;
}

/* A number below `limit`. */
static inline uint64_t member_random(struct member *me, uint64_t limit)
{
	me->random ^= me->random << 13;
	me->random ^= me->random >> 7;
	me->random ^= me->random << 17;
	return (me->random >> 11) % limit;
}

/* Work outside of transactions. */
static inline void idle(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		__asm__ volatile("" : : : "memory");
}

#ifndef CREW_PLUGIN
static struct stamps crew_sums;
static pthread_mutex_t crew_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t crew_start;

static void crew_add(const struct stamps *stamps)
{
	crew_sums.lost += stamps->lost;
	crew_sums.waited += stamps->waited;
	crew_sums.taken += stamps->taken;
	crew_sums.alive += stamps->alive;
	crew_sums.commits += stamps->commits;
	crew_sums.attempts += stamps->attempts;
	crew_sums.done += stamps->done;
}

static void *crew_thread(void *argument)
{
	struct member *me = (struct member *)argument;
	stamp_begin();
	pthread_barrier_wait(&crew_start);
	uint64_t began = __rdtsc();
	me->work(me);
	my_stamps.alive = __rdtsc() - began;
	pthread_mutex_lock(&crew_lock);
	crew_add(&my_stamps);
	pthread_mutex_unlock(&crew_lock);
	return NULL;
}

static void crew_print(double ns_per_tick)
{
	if (crew_sums.done > 0)
		printf("done=%llu ", (unsigned long long)crew_sums.done);
#ifdef STAMPS
	printf("lost_ns=%.0f threads_ns=%.0f ", (double)crew_sums.lost * ns_per_tick,
		(double)crew_sums.alive * ns_per_tick);
	printf("commits=%llu attempts=%llu ", (unsigned long long)crew_sums.commits,
		(unsigned long long)crew_sums.attempts);
	printf("waited_ns=%.0f taken_ns=%.0f\n", (double)crew_sums.waited * ns_per_tick,
		(double)crew_sums.taken * ns_per_tick);
#else
	(void)ns_per_tick;
	printf("commits=%llu\n", (unsigned long long)crew_sums.commits);
#endif
}

static double crew_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Twice as many threads as there are processors, as far as there is room for them. */
static inline int crew_twice(void)
{
	long threads = 2 * sysconf(_SC_NPROCESSORS_ONLN), least = CREW_THREADS(4);
	if (threads > MEMBERS_MAX)
		return MEMBERS_MAX;
	return (int)(threads < least ? least : threads);
}

/* Runs the threads, and leaves their sums in crew_sums. Returns whether all could be started. */
static bool crew_work(double seconds, int threads, void (*work)(struct member *))
{
	struct member members[MEMBERS_MAX];
	pthread_t ids[MEMBERS_MAX];
	pthread_barrier_init(&crew_start, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		members[i].number = i;
		members[i].random = 0x9e3779b97f4a7c15u * (unsigned)(i + 1);
		members[i].work = work;
		if (pthread_create(&ids[i], NULL, crew_thread, &members[i]) != 0)
			return false;
	}
	usleep((useconds_t)(seconds * 1e6));
	__atomic_store_n(&crew_is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return true;
}

/* Runs the threads for the seconds that the first argument says, or one. The second argument says how many threads, for
 * programs that have room for them, instead of `threads`. */
static inline int crew_run(int argc, char **argv, int threads, void (*work)(struct member *))
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, clock = crew_clock();
	if (argc > 2)
		threads = atoi(argv[2]);
	if (threads < 1 || threads > MEMBERS_MAX) {
		fprintf(stderr, "%s: 1 to %d threads\n", argv[0], MEMBERS_MAX);
		return 2;
	}
	uint64_t ticks = __rdtsc();
	if (!crew_work(seconds, threads, work))
		return 1;
	crew_print((crew_clock() - clock) / (double)(__rdtsc() - ticks));
	return 0;
}
#endif

#endif
