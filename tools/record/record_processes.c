/* SPDX-License-Identifier: MIT
 * All processes of a run of a series. This process is their subreaper: the kernel makes it the parent of each one whose
 * parent has ended, daemons included. So none of them gets away by leaving its group or session; and the program stays
 * in the terminal's foreground. NOTES.txt, "Many runs". */
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "record.h"

enum { SPARE = -1 };

/* Children that this process had before the run, from a shell that has become it by exec. They are spared. */
static pid_t *spared;
static size_t spared_len, spared_cap;

static bool is_spared(pid_t pid)
{
	size_t i = 0;
	while (i < spared_len && spared[i] != pid)
		i++;
	return i < spared_len;
}

/* Sends the signal to each child that is not spared, or spares it. Returns false if there is none. No child loses its
 * number to another process before this process has asked for its status. */
static bool each_child(int signal)
{
	siginfo_t info;
	glob_t all = {.gl_pathc = 0};
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return false;
	glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &all);
	bool has_any = all.gl_pathc == 0 || spared_len == 0; /* /proc may hide some */
	for (size_t i = 0; i < all.gl_pathc; i++) {
		pid_t pid = (pid_t)strtol(all.gl_pathv[i] + strlen("/proc/"), NULL, 10);
		struct process_stat stat = process_stat_read(pid);
		if (process_stat_number(&stat, PROCESS_PARENT) != (uint64_t)getpid() || is_spared(pid))
			continue;
		has_any = true;
		if (signal == SPARE) {
			spared = memory_grown(spared, spared_len, &spared_cap, sizeof *spared);
			spared[spared_len++] = pid;
		} else {
			kill(pid, signal);
		}
	}
	globfree(&all);
	return has_any;
}

void record_processes_begin(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	spared_len = 0;
	each_child(SPARE);
}

/* Sends the signal to the children, and again when one of them has ended: then its children are those of this process.
 * Returns false if children are left after the time. */
static bool end_children(struct record_outcome *outcome, int signal, unsigned ms)
{
	const struct timespec nap = {0, signal == SIGKILL ? 1000000 : 100000000};
	uint64_t until_ns = clock_gettime_ns() + ms * UINT64_C(1000000);
	sigset_t ended;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	for (int sent = signal; clock_gettime_ns() < until_ns;) {
		int status;
		for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
			outcome->wait_status = pid == outcome->pid ? status : outcome->wait_status;
		if (!each_child(sent))
			return true;
		sent = sigtimedwait(&ended, NULL, &nap) == SIGCHLD || signal == SIGKILL ? signal : 0;
	}
	return false;
}

void record_processes_end(int board, struct record_outcome *outcome)
{
	enum { PATIENCE_MS = 250, GRACE_MS = 2000 };
	if (!outcome->is_stopped) {
		/* What the program leaves may be about to end: the last process of a pipe, say. */
		if (end_children(outcome, 0, PATIENCE_MS))
			return;
		record_board_await(board);
		outcome->recorder = record_board_sum_up(board).running;
		outcome->has_left = true;
	}
	outcome->is_undying = !end_children(outcome, SIGTERM, GRACE_MS) && !end_children(outcome, SIGKILL, GRACE_MS);
}
