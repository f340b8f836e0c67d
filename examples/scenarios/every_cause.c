/* SPDX-License-Identifier: MIT
 *
 * Runs all scenarios of an STM in their order, so that each of its causes happens once, and prints their names. The
 * example of a program whose runtime embeds stmlog.
 *
 *     stmlog record -- build/every-cause           with smallstm
 *     stmlog record -- build/every-lazy-cause      with lazystm
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scenario.h"

/* 2 ms, and a little more with each scenario: so the report shows them from the last to the first. */
static void let_time_pass(void)
{
	static long more_ns;
	struct timespec time = {0, 2000000 + (more_ns += 500000)};
	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	(void)argc;
	struct scenario_observer observer = {.pass_time = let_time_pass};
	int error = stm_open();
	if (error != 0) {
		fprintf(stderr, "%s: stm_open: %s\n", argv[0], strerror(-error));
		return 1;
	}
	for (size_t i = 0; i < scenarios.len; i++) {
		scenario_run(&scenarios.list[i], &observer);
		puts(scenarios.list[i].name);
	}
	stm_close();
	return 0;
}
