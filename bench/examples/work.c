/* SPDX-License-Identifier: MIT
 * The work of copies.h. Compiled once for each copy of lazystm, with COPY, the copy's name. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "stm.h"

#define ACCOUNTS 1024

/* The words of an account. */
enum { BALANCE, TRANSFERS, WORDS };

static struct stm_thread *self;
static struct stm_object *two, *accounts; /* one has two words, one all accounts */
static size_t from, to;                   /* where the words of two accounts begin */

/* Whether STMLOG_OPTIONS chooses the TSC as the clock. */
static bool is_tsc;

static void begin(void)
{
	const char *options = getenv("STMLOG_OPTIONS");
	is_tsc = options != NULL && strstr(options, "clock=tsc") != NULL;
	self = stm_thread_begin();
	two = stm_object_create("two words", 2);
	accounts = stm_object_create("accounts", ACCOUNTS * WORDS);
	if (self == NULL || two == NULL || accounts == NULL)
		exit(1);
}

static void change_two(struct stm_thread *thread, void *unused)
{
	(void)unused;
	stm_write(thread, two, 0, stm_read(thread, two, 0) + 1);
	stm_write(thread, two, 1, stm_read(thread, two, 1) + 1);
}

static void transfer(struct stm_thread *thread, void *unused)
{
	(void)unused;
	stm_write(thread, accounts, from + BALANCE, stm_read(thread, accounts, from + BALANCE) - 1);
	stm_write(thread, accounts, from + TRANSFERS, stm_read(thread, accounts, from + TRANSFERS) + 1);
	stm_write(thread, accounts, to + BALANCE, stm_read(thread, accounts, to + BALANCE) + 1);
	stm_write(thread, accounts, to + TRANSFERS, stm_read(thread, accounts, to + TRANSFERS) + 1);
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
		stm_run(self, change_two, NULL);
}

static void tiny_with_clock(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		read_clock();
		stm_run(self, change_two, NULL);
		read_clock();
	}
}

static void choose_accounts(uint64_t i)
{
	uint64_t hash = i * 0x9e3779b97f4a7c15u;
	from = (hash >> 40 & (ACCOUNTS - 1)) * WORDS;
	to = (hash >> 52 & (ACCOUNTS - 1)) * WORDS;
}

static void bank(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		choose_accounts(i);
		stm_run(self, transfer, NULL);
	}
}

static void bank_with_clock(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		choose_accounts(i);
		read_clock();
		stm_run(self, transfer, NULL);
		read_clock();
	}
}

const struct copy COPY = {begin, tiny, tiny_with_clock, bank, bank_with_clock};
