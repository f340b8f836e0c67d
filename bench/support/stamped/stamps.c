/* SPDX-License-Identifier: MIT
 *
 * Where the time of a program's threads went, by the program's own time stamps. The rows are those of the account in
 * the profiler's report, by the same definitions (bench/RESULTS.txt, "Whether reports are true").
 *
 * The stamps of a thread follow each other without a gap: each piece of time between two stamps is added to one row,
 * so the rows add up to the time from the thread's first stamp to its last one. A piece of 50 us or more may have been
 * spent off the processor. Then the kernel is asked whether it was, and for the processor time of the thread; what the
 * clock has advanced beyond it is time off the processor. If the thread gave the processor up itself, it slept; it does
 * so where libitm waits for the serial lock: before the first statement of an attempt, and where it becomes
 * irrevocable.
 */
#include "stamps.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

enum row { COMMITTED, ABORTED, PAUSED, WAITING, OUTSIDE, DESCHEDULED, ROWS };
enum { COMMITS, ATTEMPTS, CANCELS, COUNTS };

/* A program has fewer. Those beyond are added to the last one. */
enum { SITES = 8 };

/* In ticks of the time stamp counter, as in runtimes/libitm/waits/wait.h: what an entry of libitm takes for its own
 * work, and from when on the rest of its time is a wait. A piece between two stamps also has the reading of a stamp in
 * it, and what the profiler's hook of the entry does for every transaction. */
enum { HOOK = 96, OWN_WORK = 256 + HOOK, WAIT_MIN = 1024 + HOOK, WAIT_MIN_BEGIN = 4096 + HOOK };

/* A shorter piece is not examined for time off the processor: it would cost a system call each time. */
enum { LONG_NS = 50000 };

static const char *const row_names[ROWS] = {"committed", "aborted", "paused", "waiting", "outside", "descheduled"};
static const char *const count_names[COUNTS] = {"commits", "attempts", "cancels"};

struct pair {
	uint64_t ticks, ns;
};

/* The function in which transactions are, and what they have lost. NULL: there are no more. */
struct site {
	const char *function;
	uint64_t aborted, paused;
};

/* How often the thread has given the processor up, and how often it was taken away, up to now. */
struct switches {
	long given, taken;
};

/* Times are in ticks, except where the name says ns. Invariant: `last` - the first stamp == the sum of `rows`, of
 * `attempt` and of `upgrade`; between transactions the latter two are 0. */
static _Thread_local struct {
	_Alignas(128) uint64_t rows[ROWS];
	uint64_t counts[COUNTS];
	uint64_t last;
	uint64_t attempt; /* of this attempt, up to the last stamp: committed or aborted, which is not known yet */
	uint64_t upgrade; /* likewise: the wait until the attempt was irrevocable */
	uint64_t before;  /* of this transaction, without time off the processor, up to the last stamp */
	uint64_t off_ns;  /* time off the processor in all, at the last reading */
	struct switches switches; /* likewise */
	uint64_t began_ns;
	uint64_t began_off_ns;
	uint64_t first_busy_ns; /* processor time of the transaction before the first stamp */
	unsigned attempts;      /* of this transaction */
	bool is_at_end;         /* the attempt has come to its last statement */
	struct site *site;      /* of this transaction */
	struct site sites[SITES];
} my;

/* Set before main(). */
static struct pair start;
static double first_ratio; /* ticks in a nanosecond, to some millionths */
static uint64_t long_ticks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t rows[ROWS];
	uint64_t counts[COUNTS];
	uint64_t attached_ns;   /* by the clock alone */
	uint64_t off_ns;        /* off the processor in all this time */
	uint64_t first_busy_ns; /* of the transactions before the first stamps */
	struct site sites[SITES];
} sums;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of some tries the one that took the least time. */
static struct pair read_pair(void)
{
	struct pair best = {0, 0};
	uint64_t shortest = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t before = __rdtsc(), ns = clock_ns(CLOCK_MONOTONIC), took = __rdtsc() - before;
		if (took < shortest) {
			shortest = took;
			best = (struct pair){before + took / 2, ns};
		}
	}
	return best;
}

static double ticks_per_ns(void)
{
	struct pair now = read_pair();
	return (double)(now.ticks - start.ticks) / (double)(now.ns - start.ns);
}

__attribute__((constructor)) static void prepare(void)
{
	start = read_pair();
	while (clock_ns(CLOCK_MONOTONIC) - start.ns < 5000000)
		;
	first_ratio = ticks_per_ns();
	long_ticks = (uint64_t)(LONG_NS * first_ratio);
}

/* Processor time first: being descheduled between the two readings is counted. */
static uint64_t read_off_ns(void)
{
	uint64_t busy_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return clock_ns(CLOCK_MONOTONIC) - busy_ns;
}

/* Of the thread. */
static struct switches count_switches(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return (struct switches){usage.ru_nvcsw, usage.ru_nivcsw};
}

/* Sets the readings of the kernel, at a time stamp: my.last, which grows by what this takes. After a system call the
 * thread may lose the processor. So the readings are taken again until they lie close together: otherwise one would
 * have the time off the processor, and the other would not. Returns the time since `my.last` was set before. */
static uint64_t read_together(void)
{
	uint64_t first = my.last, before;
	do {
		before = my.last;
		my.off_ns = read_off_ns();
		my.switches = count_switches();
		my.last = __rdtsc();
	} while (my.last - before >= long_ticks);
	return my.last - first;
}

/* The time off the processor in a long piece, which ends a little later: when that was read. Interrupts and the
 * hypervisor take time as well, which the kernel does not count as the thread's; but without a switch to another thread
 * it stays where it is. *has_slept: the thread gave the processor up; if it had to wait for a processor then, that is
 * part of its sleep. */
static uint64_t time_off(uint64_t *piece, bool *has_slept)
{
	struct switches before = my.switches;
	uint64_t before_ns = my.off_ns;
	*piece += read_together();
	uint64_t off_ns = my.off_ns;
	bool is_given = my.switches.given != before.given, is_taken = my.switches.taken != before.taken;
	*has_slept = is_given;
	if ((!is_given && !is_taken) || off_ns <= before_ns)
		return 0;
	uint64_t off = (uint64_t)((double)(off_ns - before_ns) * first_ratio);
	return off < *piece ? off : *piece;
}

/* The time since the last stamp. */
static uint64_t next_piece(void)
{
	uint64_t now = __rdtsc(), piece = now - my.last;
	my.last = now;
	return piece;
}

static void end_outside(void)
{
	uint64_t piece = next_piece();
	bool has_slept;
	if (__builtin_expect(piece >= long_ticks, false))
		time_off(&piece, &has_slept);
	my.rows[OUTSIDE] += piece;
}

/* Ends a piece in which libitm may have waited for the serial lock. Returns it without the time off the processor,
 * which is added to its row, or, if the thread slept, to `asleep`. */
static uint64_t end_wait(uint64_t *asleep)
{
	uint64_t piece = next_piece();
	if (__builtin_expect(piece < long_ticks, true))
		return piece;
	bool has_slept;
	uint64_t off = time_off(&piece, &has_slept);
	*(has_slept ? asleep : &my.rows[DESCHEDULED]) += off;
	return piece - off;
}

/* The same of another piece inside a transaction. */
static uint64_t end_piece(void)
{
	return end_wait(&my.rows[DESCHEDULED]);
}

/* The same of the last piece of a transaction. If the thread loses the processor while the kernel is asked, that is
 * after the transaction, and lies in the next piece. */
static uint64_t end_last_piece(void)
{
	uint64_t piece = next_piece(), end = my.last, longer = piece;
	if (__builtin_expect(piece < long_ticks, true))
		return piece;
	bool has_slept;
	uint64_t off = time_off(&longer, &has_slept), after = longer - piece;
	if (after >= long_ticks) {
		my.last = end;
		longer = piece;
		off = off > after ? off - after : 0;
	}
	my.rows[DESCHEDULED] += off;
	return longer - off;
}

/* The part of a piece that is a wait, if it is more than `min`. */
static inline uint64_t wait_of(uint64_t piece, uint64_t min)
{
	return piece > min ? piece - OWN_WORK : 0;
}

/* A transaction before the first stamp: in a thread's first begin libitm and the profiler prepare for the thread, one
 * thread after the other. How much of this time a profiler counts is nobody's contention. */
void stamp_begin(void)
{
	static long threads;
	uint64_t busy_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	__transaction_atomic
	{
		threads++;
	}
	my.first_busy_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - busy_ns;
	my.last = __rdtsc();
	read_together();
	my.began_off_ns = my.off_ns;
	my.began_ns = clock_ns(CLOCK_MONOTONIC);
	my.last = __rdtsc();
}

/* The site of this function; a new one, if there is none. */
static struct site *find_site(struct site *sites, const char *function)
{
	struct site *site = sites, *last = &sites[SITES - 1];
	while (site != last && site->function != NULL && site->function != function)
		site++;
	site->function = function;
	return site;
}

void stamp_before_in(const char *function)
{
	end_outside();
	my.site = find_site(my.sites, function);
	my.attempts = 0;
	my.before = 0;
	my.is_at_end = false;
}

static void begin_first_attempt(uint64_t piece)
{
	uint64_t wait = wait_of(piece, WAIT_MIN_BEGIN);
	my.rows[WAITING] += wait;
	my.rows[COMMITTED] += piece - wait;
}

static void end_aborted(uint64_t piece)
{
	uint64_t lost = my.attempt + my.upgrade + piece;
	my.rows[ABORTED] += lost;
	my.site->aborted += lost;
}

/* What the attempt before has taken until now is lost. */
void stamp_first(void)
{
	uint64_t piece = end_wait(&my.rows[WAITING]);
	my.before += piece;
	if (my.attempts++ == 0)
		begin_first_attempt(piece);
	else
		end_aborted(piece);
	my.attempt = 0;
	my.upgrade = 0;
	my.is_at_end = false;
}

void stamp_last(void)
{
	uint64_t piece = end_piece();
	my.before += piece;
	my.attempt += piece;
	my.is_at_end = true;
}

/* Commit checks all reads once more. Of a wait that is shorter than that may take, half counts
 * (runtimes/libitm/NOTES.txt, section 6). */
static uint64_t commit_wait(uint64_t piece)
{
	uint64_t wait = wait_of(piece, WAIT_MIN);
	return wait < my.before / 8 ? wait / 2 : wait;
}

static void end_committed(uint64_t piece)
{
	uint64_t wait = commit_wait(piece);
	my.rows[PAUSED] += wait + my.upgrade;
	my.site->paused += wait + my.upgrade;
	my.rows[COMMITTED] += my.attempt + piece - wait;
	my.counts[COMMITS]++;
}

/* A transaction that has not come to its last statement has cancelled itself. */
void stamp_after(void)
{
	uint64_t piece = end_last_piece();
	if (my.is_at_end) {
		end_committed(piece);
	} else {
		end_aborted(piece);
		my.counts[CANCELS]++;
	}
	my.counts[ATTEMPTS] += my.attempts;
	my.attempt = 0;
	my.upgrade = 0;
}

void stamp_upgrade(void)
{
	uint64_t piece = end_piece();
	my.before += piece;
	my.attempt += piece;
}

void stamp_irrevocable(void)
{
	uint64_t piece = end_wait(&my.upgrade), wait = wait_of(piece, WAIT_MIN);
	my.upgrade += wait;
	my.before += piece;
	my.attempt += piece - wait;
}

static void add_sites(void)
{
	for (const struct site *from = my.sites; from != &my.sites[SITES] && from->function != NULL; from++) {
		struct site *to = find_site(sums.sites, from->function);
		to->aborted += from->aborted;
		to->paused += from->paused;
	}
}

void stamp_end(void)
{
	end_outside();
	uint64_t attached_ns = clock_ns(CLOCK_MONOTONIC) - my.began_ns;
	uint64_t off_ns = read_off_ns() - my.began_off_ns;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < ROWS; i++)
		sums.rows[i] += my.rows[i];
	for (int i = 0; i < COUNTS; i++)
		sums.counts[i] += my.counts[i];
	sums.attached_ns += attached_ns;
	sums.off_ns += off_ns;
	sums.first_busy_ns += my.first_busy_ns;
	add_sites();
	pthread_mutex_unlock(&lock);
}

void stamps_print(void)
{
	double ratio = ticks_per_ns();
	printf("truth_attached_ns %" PRIu64 "\ntruth_off_ns %" PRIu64 "\ntruth_first_busy %" PRIu64 "\n",
		sums.attached_ns, sums.off_ns, sums.first_busy_ns);
	for (int i = 0; i < ROWS; i++)
		printf("truth_%s_ns %.0f\n", row_names[i], (double)sums.rows[i] / ratio);
	for (int i = 0; i < COUNTS; i++)
		printf("truth_%s %" PRIu64 "\n", count_names[i], sums.counts[i]);
	for (const struct site *site = sums.sites; site != &sums.sites[SITES] && site->function != NULL; site++)
		printf("truth_site %s %.0f %.0f\n", site->function, (double)site->aborted / ratio,
			(double)site->paused / ratio);
}
