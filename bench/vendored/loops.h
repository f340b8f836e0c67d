/* SPDX-License-Identifier: MIT
 * Two loops of hooks, for the file that includes this one: it includes one of the two kinds of headers before. */
#ifndef BENCH_VENDORED_LOOPS_H
#define BENCH_VENDORED_LOOPS_H

#include "bench.h"

static void origins(uint64_t times, void *thread)
{
	struct stmlog_thread *log = bench_opaque(thread);
	stmlog_start(log);
	for (uint64_t i = 0; i < times; i++)
		bench_opaque((void *)(uintptr_t)stmlog_origin(log, TB_NO_SITE));
	stmlog_commit(log);
}

static void commits(uint64_t times, void *thread)
{
	struct stmlog_thread *log = bench_opaque(thread);
	for (uint64_t i = 0; i < times; i += 2) {
		stmlog_start(log);
		stmlog_commit(log);
	}
}

#endif
