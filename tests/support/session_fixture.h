/* SPDX-License-Identifier: MIT
 *
 * Opens the library for one test with a fake clock at 1,000 ns, attaches the
 * test's thread, and after it closes again and finds that nothing is left: no
 * frame, no byte.
 */
#ifndef SESSION_FIXTURE_H
#define SESSION_FIXTURE_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "fake_clock.h"
#include "test.h"

#define MS 1000000u
#define US 1000u

extern const struct test_fixture session_fixture;

/* Its functions, for fixtures that do more. */
void session_set_up(void);
void session_tear_down(void);

/* The objects that the session's runtime names: "accounts+8" is 8 bytes behind the first; and one whose name has no
 * end. */
#define ACCOUNTS ((uintptr_t)0xacc000)
#define ACCOUNTS_END (ACCOUNTS + 64)
#define ENDLESS ((uintptr_t)0xeeee00)

/* Two blocks of memory that it knows, and one that cannot be: an object in it lies outside. */
#define NODE ((uintptr_t)0xb10c00)
#define NODE_SIZE 64
#define FREED_NODE (NODE + NODE_SIZE)
#define IMPOSSIBLE_NODE (NODE + 2 * NODE_SIZE)

/* A site that the session's runtime names: "bytecode prog.py:LINE", whatever the offset (below 10). Sites of other
 * codes have no names. */
#define BYTECODE 78
#define BYTECODE_SITE(line, offset) tb_site_make(BYTECODE, 10 * (uintptr_t)(line) + (offset))

/* The same, with STMLOG_OPTIONS. */
void session_open_with(const char *options);

/* The thread that calls it. */
static inline struct stmlog_thread *me(void)
{
	return stmlog_thread_self();
}

/* What the test's thread has collected, in a timelog that the fixture activated at set-up. */
extern struct stmlog_timelog *fixture_log;

/* One attempt of so long that ends in this loss. */
void lose(struct stmlog_thread *thread, uint64_t ns, const struct stmlog_loss *loss);
/* One of 1 ms of the test's thread, which commits the next attempt. */
void lose_1_ms(const struct stmlog_loss *loss);

/* The n-th entry (from 0) of a timelog, which must have one. */
struct stmlog_entry entry_at(struct stmlog_timelog *log, size_t rank);

/* Sums over entries and evicted, which must equal the totals; fails the test otherwise. */
void assert_conserved(struct stmlog_timelog *log);

/* attached == the sum of the others. */
void assert_no_residual(const struct stmlog_thread *thread);

static inline uint64_t estimated_aborted_ns(struct stmlog_account account)
{
	uint64_t sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += account.estimated_aborted_ns[c];
	return sum;
}

/* Without a residual. */
static inline struct stmlog_account account_of(const struct stmlog_thread *thread)
{
	struct stmlog_account account;
	stmlog_account_read(thread, &account);
	assert_no_residual(thread);
	return account;
}

#endif
