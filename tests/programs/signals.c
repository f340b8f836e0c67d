/* SPDX-License-Identifier: MIT
 *
 * A timer's signal arrives in the middle of transactions and of the profiler's own work. It must disturb neither, and
 * errno must not change.
 */
#include "program.h"
#include "total.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static uint64_t errno_changes;

static void on_tick(int signal)
{
	(void)signal;
	int saved = errno;
	ticks = ticks + 1;
	errno = saved;
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < 10; i++) {
		errno = EDOM;
		total_rounds(number);
		if (errno != EDOM)
			__atomic_fetch_add(&errno_changes, 1, __ATOMIC_RELAXED);
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	const struct itimerval every_ms = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	program_run(threads, body);
	setitimer(ITIMER_REAL, &never, NULL);
	uint64_t total = total_read();
	return program_result(errno_changes == 0 && total == 10 * total_expected(threads), total);
}
