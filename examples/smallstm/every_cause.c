/* SPDX-License-Identifier: MIT
 *
 * Plays all scenes (scenes.h) in their order, so that each cause happens once, and prints their names. The example of a
 * program whose runtime embeds stmlog.
 *
 *     stmlog record -- build/every-cause
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
	if (stm_open(&scenes[0].setup) != 0) {
		perror("every-cause: stm_open");
		return 1;
	}
	for (size_t i = 0; i < scenes_len; i++) {
		scene_play(&scenes[i], &stage);
		puts(scenes[i].name);
	}
	stm_close();
	return 0;
}
