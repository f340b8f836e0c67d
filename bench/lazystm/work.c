/* SPDX-License-Identifier: MIT
 * The work of copies.h. Compiled once for each copy of lazystm, with COPY, the copy's name. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "lazystm.h"

#define ACCOUNTS 1024

static struct lazy_thread *self;
static uintptr_t two[2];
static struct {
	uintptr_t balance, transfers;
} accounts[ACCOUNTS];
static size_t from, to;

/* The clock that the option chooses. */
static bool is_tsc;

static void begin(void)
{
	const char *options = getenv("STMLOG_OPTIONS");
	is_tsc = options != NULL && strstr(options, "clock=tsc") != NULL;
	self = lazy_thread_begin();
	if (self == NULL)
		exit(1);
}

static void change_two(struct lazy_thread *thread, void *unused)
{
	(void)unused;
	lazy_write(thread, &two[0], lazy_read(thread, &two[0]) + 1);
	lazy_write(thread, &two[1], lazy_read(thread, &two[1]) + 1);
}

static void transfer(struct lazy_thread *thread, void *unused)
{
	(void)unused;
	lazy_write(thread, &accounts[from].balance, lazy_read(thread, &accounts[from].balance) - 1);
	lazy_write(thread, &accounts[from].transfers, lazy_read(thread, &accounts[from].transfers) + 1);
	lazy_write(thread, &accounts[to].balance, lazy_read(thread, &accounts[to].balance) + 1);
	lazy_write(thread, &accounts[to].transfers, lazy_read(thread, &accounts[to].transfers) + 1);
}

static void read_monotonic(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	bench_opaque(&now);
}

#ifdef __x86_64__
static void read_tsc(void)
{
	bench_opaque((void *)(uintptr_t)__builtin_ia32_rdtsc());
}
#else
#define read_tsc read_monotonic
#endif

static inline void read_clock(void)
{
	if (is_tsc)
		read_tsc();
	else
		read_monotonic();
}

static void tiny(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++)
		lazy_run(self, change_two, NULL);
}

static void tiny_with_clock(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		read_clock();
		lazy_run(self, change_two, NULL);
		read_clock();
	}
}

static void choose_accounts(uint64_t i)
{
	uint64_t hash = i * 0x9e3779b97f4a7c15u;
	from = hash >> 40 & (ACCOUNTS - 1);
	to = hash >> 52 & (ACCOUNTS - 1);
}

static void bank(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		choose_accounts(i);
		lazy_run(self, transfer, NULL);
	}
}

static void bank_with_clock(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		choose_accounts(i);
		read_clock();
		lazy_run(self, transfer, NULL);
		read_clock();
	}
}

const struct copy COPY = {begin, tiny, tiny_with_clock, bank, bank_with_clock};
