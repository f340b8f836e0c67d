/* SPDX-License-Identifier: MIT
 *
 * A thread that loses to transactions at a few places, at random, and then prints the table of these places: for each
 * its name, how many places have lost to it, the time lost, the count and the longest loss. The program has its own
 * clock, so the figures are exact. */
#include <stmlog/agent.h>
#include <stmlog/read.h>

#include <inttypes.h>
#include <stdio.h>

#include "random.h"

enum { PLACES = 6, LOSSES = 200 };

static uint64_t now_ns = 1000;
static struct tb_frame *victims[PLACES], *writers[PLACES]; /* the last one of each is unknown */

static uint64_t read_clock(void)
{
	return now_ns;
}

static struct tb_frame *place(struct tb_stack *stack, const char *of, uint32_t number)
{
	char name[32];
	snprintf(name, sizeof name, "%s_%u", of, (unsigned)number);
	const struct tb_site sites[] = {
		tb_site_make(tb_code_intern(name, "program"), 1), tb_site_make(tb_code_intern("main", "program"), 1)};
	return tb_build(stack, sites, 2, TB_EMPTY);
}

static void lose_one(struct stmlog_thread *thread, struct random *random)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	if (random_below(random, 2) == 0)
		loss.cause.contention = STMLOG_WRITE_READ;
	if (random_below(random, 8) == 0)
		loss.cause = (struct stmlog_cause){STMLOG_USER_ABORT, STMLOG_NONE, NULL};
	loss.local = victims[random_below(random, PLACES)];
	loss.remote = writers[random_below(random, PLACES)];
	loss.overlap = random_below(random, 2) == 0 ? STMLOG_OVERLAP_STRIPE : STMLOG_OVERLAP_SAME;
	stmlog_start(thread);
	now_ns += random_below(random, 1000000);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
}

static void print_table(struct stmlog_timelog *log)
{
	struct stmlog_aggressor rows[PLACES];
	size_t len = stmlog_timelog_aggressors(log, rows, PLACES);
	for (size_t i = 0; i < len; i++) {
		struct tb_place name = {"?", "", 0};
		if (tb_is_frame(rows[i].remote))
			tb_code_place(tb_frame_site(rows[i].remote), &name);
		printf("%s %zu %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name.function, rows[i].victims, rows[i].lost_ns,
			rows[i].count, rows[i].longest_ns);
	}
}

int main(void)
{
	struct random random = {7};
	stmlog_set_clock(read_clock);
	if (stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	struct tb_stack *stack = stmlog_thread_stack(thread);
	struct stmlog_timelog *log = stmlog_timelog_create(128);
	stmlog_timelog_activate(log);
	for (uint32_t i = 0; i < PLACES; i++) {
		victims[i] = i < PLACES - 1 ? place(stack, "victim", i) : TB_UNKNOWN;
		writers[i] = i < PLACES - 1 ? place(stack, "writer", i) : TB_UNKNOWN;
	}
	for (int i = 0; i < LOSSES; i++)
		lose_one(thread, &random);
	print_table(log);
	stmlog_timelog_destroy(&log);
	return 0;
}
