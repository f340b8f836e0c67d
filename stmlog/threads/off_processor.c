/* SPDX-License-Identifier: MIT
 * Reads a thread's time off the processor, and finds out to which state of the account it belongs. */
#include "off_processor.h"

#include <string.h>
#include <sys/resource.h>

#include "check.h"
#include "locks.h"
#include "session.h"

/* A reading older than this is not compared, because interrupts take up to some percent of the time. */
#define READING_MAX_NS 10000000

/* A tracer or a sandbox stops a thread at each system call, so each reading is interrupted. After so many interrupted
 * readings in a row no more are made: they would cost more than the program. */
#define STOPPED_READINGS_MAX 16

/* How many readings in a row were interrupted, of any threads. Relaxed, because it publishes no other data; an addition
 * that another thread's store overwrites is made up for by the next one. */
static volatile AO_t stopped_readings;

/* The calling thread's last reading; all zero: none. */
static __thread struct stmlog_moment last __attribute__((tls_model("initial-exec")));

/* ---- readings ---- */

/* The calling thread's time off the processor by its last reading; 0: none. */
static __thread uint64_t last_off_ns __attribute__((tls_model("initial-exec")));

/* What getrusage() calls time on the processor ends where the kernel has updated it: when the thread got the processor,
 * or at a tick since. So this is never too little. */
static uint64_t max_off_ns(const struct rusage *usage, uint64_t now_ns)
{
	uint64_t on_s = (uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec;
	uint64_t on_us = (uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec;
	return now_ns - on_s * UINT64_C(1000000000) - on_us * 1000;
}

/* Returns the difference of two clocks of the kernel. The thread's own clock stops while the thread is off the
 * processor. Reading that clock is a system call. Where threads sleep for some microseconds again and again, until they
 * have a lock, they look while others wait for them: so it is left out where `usage` shows that the time since the last
 * reading is short. The error is less than the kernel's tick, and does not add up. */
static uint64_t read_off_ns(const struct rusage *usage)
{
	enum { SHORT_NS = 100000 };
	struct timespec on_processor;
	uint64_t now_ns = clock_monotonic_ns(), max_ns = max_off_ns(usage, now_ns);
	if ((int64_t)(max_ns - last_off_ns) >= SHORT_NS) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on_processor);
		max_ns = now_ns - clock_ns_of(on_processor);
	}
	last_off_ns = max_ns;
	return max_ns;
}

/* The thread may also be descheduled between these system calls. Then their results are of different moments, and are
 * read again; not so if the reading before was interrupted in each of its tries. */
#define READ_TRIES 8

static bool are_stopped(void)
{
	return AO_load(&stopped_readings) >= STOPPED_READINGS_MAX;
}

struct stmlog_moment stmlog_interruption_look(volatile uint64_t *word)
{
	struct stmlog_moment moment;
	struct rusage usage;
	AO_t stopped = AO_load(&stopped_readings);
	int tries = stopped == 0 ? READ_TRIES : 1;
	do {
		interruption_watch(word);
		getrusage(RUSAGE_THREAD, &usage);
		moment.sleeps = (uint64_t)usage.ru_nvcsw;
		moment.off_ns = read_off_ns(&usage);
		moment.now_ns = clock_now_ns();
	} while (*word == 0 && --tries != 0);
	if (tries == 0)
		AO_store(&stopped_readings, stopped + 1);
	else if (stopped != 0 && !are_stopped())
		AO_store(&stopped_readings, 0);
	return moment;
}

void off_processor_forget(void)
{
	last = (struct stmlog_moment){.now_ns = 0};
	last_off_ns = 0;
}

/* ---- booking the time ---- */

/* Returns how much of the time off the processor moves from the account's state, which ends now. */
static uint64_t off_of_state(enum account_slot state, uint64_t off_ns, bool has_slept, uint64_t waited_ns)
{
	if (state == ATTEMPT_STATE && has_slept)
		return off_ns > waited_ns ? off_ns - waited_ns : 0;
	if (state == ATTEMPT_STATE)
		return off_ns;
	return account_is_interruption(state) && !has_slept ? off_ns : 0;
}

/* Transactions that were not measured are descheduled as well, which is not seen: so the time is in doubt. */
static void move(struct stmlog_thread *thread, uint64_t now_ns, uint64_t off_ns)
{
	uint64_t doubt_ns = thread->account.sampled.extra_weight != 0 ? off_ns : 0;
	thread_change_so_far(thread)->descheduled_ns += account_deschedule(&thread->account, now_ns, off_ns, doubt_ns);
}

/* Makes a reading. Returns the time off the processor since the last one, and whether the thread has slept. */
static uint64_t off_since_last(ptrdiff_t place, bool *has_slept)
{
	const struct stmlog_moment before = last;
	last = stmlog_interruption_look(interruption_word(place));
	*has_slept = last.sleeps != before.sleeps;
	return before.now_ns != 0 && last.off_ns > before.off_ns ? last.off_ns - before.off_ns : 0;
}

__attribute__((cold)) uint64_t off_processor_look(struct stmlog_thread *thread, uint64_t waited_ns)
{
	REQUIRES(thread->is_busy);
	forks_look(FORKS_REGISTRY);
	if (AO_load(&session_is_filtered) || are_stopped()) {
		off_processor_ignore(thread);
		return clock_now_ns();
	}
	bool has_slept;
	uint64_t off_ns = off_since_last(thread->notice_place, &has_slept);
	thread->look_at_ns = last.now_ns + READING_MAX_NS;
	off_ns = off_of_state(account_state(&thread->account), off_ns, has_slept, waited_ns);
	if (off_ns != 0)
		move(thread, last.now_ns, off_ns);
	return last.now_ns;
}

/* ---- whether to make readings ---- */

void off_processor_ignore(struct stmlog_thread *thread)
{
	thread->notice_place = INTERRUPTION_NONE;
	thread->look_at_ns = UINT64_MAX;
}

void off_processor_watch(struct stmlog_thread *thread)
{
	off_processor_ignore(thread);
	thread->notice_place = interruption_place();
	if (thread->notice_place != INTERRUPTION_NONE)
		thread->look_at_ns = 0;
}

static bool is_comparable(void)
{
	return strcmp(clock_name(), "custom") != 0;
}

void off_processor_begin(struct stmlog_thread *thread)
{
	if (is_comparable() && !AO_load(&session_is_filtered))
		off_processor_watch(thread);
	else
		off_processor_ignore(thread);
}

void off_processor_end(void)
{
	ptrdiff_t place = interruption_place();
	if (place != INTERRUPTION_NONE)
		interruption_unwatch(interruption_word(place));
}

bool off_processor_is_known(void)
{
	return is_comparable() && !AO_load(&session_is_filtered) && !are_stopped() &&
	       interruption_place() != INTERRUPTION_NONE;
}

/* ---- for runtimes that make readings themselves, or ask for them ---- */

/* Counts the time as descheduled on the handle, outside of transactions. */
static void move_unmeasured(struct stmlog_thread *thread, uint64_t off_ns)
{
	if (!thread_enter(thread))
		return;
	if (account_is_outside(&thread->account))
		account_deschedule(&thread->account, last.now_ns, off_ns, off_ns);
	else
		thread_misuse(thread, "stmlog_off_processor_ns within a transaction, pause or wait");
	thread_leave(thread);
}

__attribute__((cold)) static uint64_t look_unmeasured(struct stmlog_thread *thread, ptrdiff_t place)
{
	if (!is_comparable() || AO_load(&session_is_filtered) || are_stopped())
		return 0;
	bool has_slept;
	uint64_t off_ns = off_since_last(place, &has_slept);
	if (thread != NULL && off_ns != 0 && !has_slept)
		move_unmeasured(thread, off_ns);
	return off_ns;
}

uint64_t stmlog_off_processor_ns(struct stmlog_thread *thread)
{
	ptrdiff_t place = interruption_place();
	return STMLOG_UNLIKELY(interruption_is_noticed(place)) ? look_unmeasured(thread, place) : 0;
}

volatile uint64_t *stmlog_interruption_word(struct stmlog_thread *thread)
{
	ptrdiff_t place = interruption_place();
	if (thread != NULL)
		off_processor_ignore(thread);
	return place != INTERRUPTION_NONE ? interruption_word(place) : NULL;
}

void stmlog_interruption_watch(volatile uint64_t *word)
{
	interruption_watch(word);
}

void stmlog_interruption_end(volatile uint64_t *word)
{
	interruption_unwatch(word);
}
