/* SPDX-License-Identifier: MIT
 * Observes the program's process by its /proc/PID/stat. */
#include "host.h"

#include <stdint.h>
#include <unistd.h>

#include "proc.h"

/* In place of an address the kernel shows 1 to a process without the right to know it: a program that has changed its
 * user hides its addresses from its watcher. */
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

/* After exec() the code and the stack have other addresses, unless the kernel does not randomise them: then the watcher
 * stays until the process ends. A zombie has no addresses. */
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
