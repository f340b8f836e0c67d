/* SPDX-License-Identifier: MIT
 * Loops of hooks that were compiled with the header for vendoring, for bench/micro/vendored.c. `thread` may be NULL. */
#ifndef BENCH_VENDORED_HOOKS_H
#define BENCH_VENDORED_HOOKS_H

#include <stdint.h>

struct stmlog_thread;

/* The thread's handle, found as a program finds it that is not linked with the library; NULL: it was not found. */
struct stmlog_thread *vendored_attach(void);

void vendored_origins(uint64_t times, void *thread);
void vendored_commits(uint64_t times, void *thread);

#endif
