/* SPDX-License-Identifier: MIT
 * Finds the fields in the lines of the two files, and converts their numbers. */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "out.h"
#include "saturate.h"

/* ---- a process ---- */

struct process_stat process_stat_read(pid_t pid)
{
	struct process_stat stat = {.text = ""};
	char number[DECIMAL_SIZE], path[sizeof "/proc//stat" + DECIMAL_SIZE];
	stpcpy(stpcpy(stpcpy(path, "/proc/"), decimal_text(number, (uint64_t)pid)), "/stat");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return stat;
	ssize_t len = read(file, stat.text, sizeof stat.text - 1);
	close(file);
	stat.text[len > 0 ? len : 0] = '\0';
	return stat;
}

/* Returns the text of a field, which ends at the next space; NULL: there is no such field. The second field is the name
 * in parentheses, which may have spaces, so the search begins after it. */
static const char *text_of(const struct process_stat *stat, int field)
{
	const char *at = strrchr(stat->text, ')');
	for (int i = PROCESS_STATE; at != NULL && i <= field; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	return at;
}

char process_stat_state(const struct process_stat *stat)
{
	const char *text = text_of(stat, PROCESS_STATE);
	return text != NULL ? *text : '\0';
}

uint64_t process_stat_number(const struct process_stat *stat, int field)
{
	const char *text = text_of(stat, field);
	return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* ---- the machine ----
 *
 * The first line of /proc/stat has the ticks in which the processors were in user code, niced user code, the kernel,
 * idle, idle while input or output was under way, in two kinds of interrupts, and left to other guests of a hypervisor.
 * The columns that follow are parts of these. */

enum { COLUMNS = 8, IDLE = 3, IDLE_IN_IO = 4 };

static const struct machine_time unknown;

static struct machine_time time_of(const char *line, uint64_t tick_ns)
{
	struct machine_time time = unknown;
	if (strncmp(line, "cpu ", 4) != 0)
		return unknown;
	line += 4;
	for (int column = 0; column < COLUMNS; column++) {
		char *behind;
		uint64_t ns = strtoull(line, &behind, 10) * tick_ns;
		if (behind == line)
			return unknown;
		time.all_ns += ns;
		time.idle_ns += column == IDLE || column == IDLE_IN_IO ? ns : 0;
		line = behind;
	}
	return time;
}

static bool read_own(pid_t pid, struct timespec *own)
{
	clockid_t clock;
	return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, own) == 0;
}

static struct machine_time read_time(pid_t pid)
{
	char line[512];
	struct timespec own;
	long ticks = sysconf(_SC_CLK_TCK);
	int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return unknown;
	ssize_t len = read(file, line, sizeof line - 1);
	close(file);
	line[len > 0 ? len : 0] = '\0';
	struct machine_time time = time_of(line, ticks > 0 ? 1000000000 / (uint64_t)ticks : 0);
	if (time.all_ns == 0 || !read_own(pid, &own))
		return unknown;
	time.own_ns = clock_ns_of(own);
	return time;
}

struct machine_time machine_time_now(pid_t pid)
{
	int saved = errno;
	struct machine_time time = read_time(pid);
	errno = saved;
	return time;
}

struct machine_time machine_time_between(const struct machine_time *from, const struct machine_time *to)
{
	if (from->all_ns == 0 || to->all_ns == 0)
		return unknown;
	return (struct machine_time){saturated_difference(to->all_ns, from->all_ns),
		saturated_difference(to->idle_ns, from->idle_ns), saturated_difference(to->own_ns, from->own_ns)};
}

uint64_t machine_time_of_others_ns(const struct machine_time *between)
{
	return saturated_difference(saturated_difference(between->all_ns, between->idle_ns), between->own_ns);
}
