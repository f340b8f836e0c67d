/* SPDX-License-Identifier: MIT
 *
 * The cost of a hook in a program that has the header for vendoring, which calls the library through a table, against
 * the same hook in a program that is linked with the library. stmlog_origin() takes some nanoseconds; start and commit
 * read the clock. Then without a profiler, where neither makes a call.
 */
#include <stdio.h>

#include <stmlog/agent.h>

#include "hooks.h"
#include "loops.h"

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "vendored", .report = "none"};
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	if (thread == NULL || vendored_attach() != thread) {
		fprintf(stderr, "vendored: the table has not found the library in the program\n");
		return 1;
	}
	bench_against("origin", (struct bench_side){"table", vendored_origins, thread},
		(struct bench_side){"linked", origins, thread});
	bench_against("start + commit, each", (struct bench_side){"table", vendored_commits, thread},
		(struct bench_side){"linked", commits, thread});
	bench_against("origin, no profiler", (struct bench_side){"table", vendored_origins, NULL},
		(struct bench_side){"linked", origins, NULL});
	return 0;
}
