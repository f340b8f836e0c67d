/* SPDX-License-Identifier: MIT */
#include "wait_until.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STUCK_S = 100 };

void wait_nap(unsigned naps, const char *condition, const char *file, int line)
{
	static const struct timespec nap = {0, 1000000};
	if (naps >= 1000 * STUCK_S) {
		fprintf(stderr, "%s:%d: waited in vain for %s\n", file, line, condition);
		abort();
	}
	nanosleep(&nap, NULL);
}

bool is_asleep(pid_t thread)
{
	char path[32], line[512] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)thread);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return true;
	(void)!fgets(line, sizeof line, file);
	fclose(file);
	const char *name_end = strrchr(line, ')');
	return name_end == NULL || strncmp(name_end, ") S", 3) == 0;
}

void hang_guard_begin(void)
{
	alarm(STUCK_S);
}

void hang_guard_end(void)
{
	alarm(0);
}
