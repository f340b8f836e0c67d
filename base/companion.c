/* SPDX-License-Identifier: MIT
 * Makes the companion by clone() with CLONE_VM, without the other flags of threads. The companion observes its host by
 * /proc/PID/stat. */
#include "companion.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "mem.h"
#include "proc.h"
#include "undisturbed.h"

/* Of a companion's memory: its own stack, and all. */
enum { STACK_BYTES = 64 * 1024, BYTES = STACK_BYTES + 256 * 1024 };

/* ---- the companion ---- */

/* Waits until the lender's thread has ended: until then the lender uses errno, which is the companion's as well. */
static void wait_for_lender(const struct companion *self)
{
	while (AO_load_acquire(&self->has_lent) == 0 && getppid() == self->host) /* partner: start() */
		sched_yield();
}

/* Gives the thread's descriptor the companion's number while it runs. The lock of the dynamic linker stores the number
 * of the thread that holds it, and counts as free if that number is 0. */
static int run(void *companion)
{
	struct companion *self = companion;
	wait_for_lender(self);
	*self->thread_number = getpid();
	self->run();
	*self->thread_number = 0;
	return 0;
}

/* ---- the lender ---- */

/* Finds the thread's number in the C library's descriptor of the calling thread, which begins at the address that
 * pthread_self() returns. The upper half of one of the descriptor's pointers may be the same number: so only places are
 * looked at where a pointer could begin. The number stands at such a place, behind pointers. */
static volatile int *find_thread_number(void)
{
	enum { INTS = 256 }; /* a descriptor has at least so many */
	volatile int *descriptor = (volatile int *)pthread_self();
	pid_t number = gettid();
	for (size_t i = 0; i < INTS; i += sizeof(void *) / sizeof(int))
		if (descriptor[i] == number)
			return &descriptor[i];
	return NULL;
}

/* Makes the companion, and ends. The companion needs thread-local memory, because functions of the C library set errno.
 * It uses that of this thread, which nothing frees before the thread is joined. The clone's flags have no signal for
 * the companion's end, so wait() does not return it. CLONE_UNTRACED keeps debuggers from following it. */
static void *lend(void *companion)
{
	struct companion *made = companion;
	made->pid = -1;
	made->thread_number = find_thread_number();
	if (made->thread_number != NULL)
		made->pid = clone(run, made->memory + STACK_BYTES, CLONE_VM | CLONE_UNTRACED, made);
	AO_store_release(&made->lender_tid, (AO_t)gettid()); /* partner: wait_until_lender_is_gone() */
	return NULL;
}

/* ---- the program's thread ---- */

static void wait_until_lender_is_gone(const struct companion *companion)
{
	AO_t tid;
	while ((tid = AO_load_acquire(&companion->lender_tid)) == 0 || tgkill(companion->host, (pid_t)tid, 0) == 0)
		sched_yield();
}

/* Thread-local memory is a part of the stack. If the small stack has no room for it, the default size is used, 8 MB. */
static int begin_lender(struct companion *companion)
{
	pthread_attr_t small;
	pthread_attr_init(&small);
	int error = pthread_attr_setstack(&small, companion->memory + STACK_BYTES, BYTES - STACK_BYTES);
	if (error == 0)
		error = pthread_create(&companion->lender, &small, lend, companion);
	if (error != 0)
		error = pthread_create(&companion->lender, NULL, lend, companion);
	pthread_attr_destroy(&small);
	return error;
}

static bool start(struct companion *companion)
{
	companion->memory = mem_alloc(BYTES);
	if (companion->memory == NULL)
		return false;
	sigset_t mask = signals_block();
	int error = begin_lender(companion);
	signals_restore(&mask);
	if (error != 0) {
		mem_free(companion->memory, BYTES);
		return false;
	}
	wait_until_lender_is_gone(companion);
	AO_store_release(&companion->has_lent, 1); /* partner: wait_for_lender() */
	if (companion->pid > 0)
		return true;
	companion_fini(companion);
	return false;
}

bool companion_start(struct companion *companion, void (*body)(void))
{
	*companion = (struct companion){.run = body, .host = getpid()};
	return !has_checker() && start(companion);
}

bool companion_is_here(const struct companion *companion)
{
	return pthread_equal(pthread_self(), companion->lender);
}

bool companion_has_ended(const struct companion *companion)
{
	return waitpid(companion->pid, NULL, (int)__WCLONE | WNOHANG) != 0;
}

void companion_wait(const struct companion *companion)
{
	while (waitpid(companion->pid, NULL, (int)__WCLONE) < 0 && errno == EINTR) {
	}
}

/* pthread_join() waits until the thread's number is 0. A companion that was killed has not set it to 0. */
void companion_fini(struct companion *companion)
{
	REQUIRES(companion->pid <= 0 || companion_has_ended(companion));
	if (companion->thread_number != NULL)
		*companion->thread_number = 0;
	pthread_join(companion->lender, NULL);
	mem_free(companion->memory, BYTES);
	companion->memory = NULL;
}

/* ---- idle time ---- */

static uint64_t used_ns(const struct idle_time *idle)
{
	struct timespec time;
	if (!idle->has_clock || clock_gettime(idle->clock, &time) != 0)
		return 0;
	return clock_ns_of(time);
}

struct idle_time idle_time_begin(pid_t process)
{
	struct idle_time idle = {.pid = process};
	idle.has_clock = clock_getcpuclockid(process, &idle.clock) == 0;
	return idle;
}

/* Whether the process waits for a processor, or for a disk. */
static bool is_held_up(const struct idle_time *idle)
{
	if (idle->pid == 0)
		return false;
	struct process_stat stat = process_stat_read(idle->pid);
	char state = process_stat_state(&stat);
	return state == 'R' || state == 'D';
}

bool idle_time_is_over(struct idle_time *idle, unsigned waited_ms)
{
	uint64_t now_ns = used_ns(idle);
	bool is_idle = now_ns == idle->used_ns && !is_held_up(idle);
	idle->idle_ms = is_idle ? idle->idle_ms + waited_ms : 0;
	idle->used_ns = now_ns;
	return idle->idle_ms >= IDLE_MAX_MS;
}

/* ---- the host ---- */

/* In place of an address the kernel shows 1 to a process without the right to know it: a program that has changed its
 * user hides its addresses from its companion. */
enum { NOT_SHOWN = 1 };

static struct {
	pid_t pid;
	uint64_t code, stack; /* where the program's code and the first thread's stack begin; 0: not known */
} host;

void host_note(pid_t pid)
{
	struct process_stat stat = process_stat_read(pid);
	host.pid = pid;
	host.code = process_stat_number(&stat, PROCESS_START_CODE);
	host.stack = process_stat_number(&stat, PROCESS_START_STACK);
}

bool host_has_ended(void)
{
	return getppid() != host.pid;
}

/* After exec() the code and the stack have other addresses, unless the kernel does not randomise them: then the
 * companion stays until the process ends. A zombie has no addresses. */
bool host_has_left(void)
{
	if (host_has_ended())
		return true;
	struct process_stat stat = process_stat_read(host.pid);
	uint64_t code = process_stat_number(&stat, PROCESS_START_CODE);
	uint64_t stack = process_stat_number(&stat, PROCESS_START_STACK);
	bool is_known = host.code > NOT_SHOWN && code > NOT_SHOWN;
	return is_known && (code != host.code || stack != host.stack);
}

int host_signal(void)
{
	struct process_stat stat = process_stat_read(host.pid);
	bool is_zombie = process_stat_state(&stat) == 'Z';
	return is_zombie ? (int)(process_stat_number(&stat, PROCESS_EXIT_CODE) & 0x7f) : 0;
}
