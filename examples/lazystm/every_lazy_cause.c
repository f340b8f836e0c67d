/* SPDX-License-Identifier: MIT
 *
 * Plays all scenes (scenes.h) in their order, so that each cause of a lazy STM happens once, and prints their names.
 *
 *     stmlog record -- build/every-lazy-cause
 */
#include <stdio.h>
#include <time.h>

#include "scenes.h"

/* 2 ms, and a little more with each scene: so the report shows the scenes from the last to the first. */
static void let_time_pass(void)
{
	static long more_ns;
	struct timespec time = {0, 2000000 + (more_ns += 500000)};
	nanosleep(&time, NULL);
}

int main(void)
{
	struct stage stage = {.dwell = let_time_pass};
	if (lazy_open() != 0) {
		fputs("every-lazy-cause: the profiler cannot be opened\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < scenes_len; i++) {
		scene_play(&scenes[i], &stage);
		puts(scenes[i].name);
	}
	lazy_close();
	return 0;
}
