/* SPDX-License-Identifier: MIT
 *
 * A thread that loses to transactions of which its runtime knows nothing: aborts and waits at two places. The program
 * has its own clock, so the figures are exact. */
#include <stmlog/agent.h>

static uint64_t now_ns = 1000;

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose_at(struct stmlog_thread *thread, const struct tb_place *place)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	const struct stmlog_loss wait = stmlog_loss_of(STMLOG_PAUSE, STMLOG_WRITE_READ, NULL);
	stmlog_push(thread, tb_place_site(place));
	stmlog_start(thread);
	stmlog_wait_begin(thread, &wait);
	now_ns += 1000000;
	stmlog_wait_end(thread);
	now_ns += 2000000;
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_pop(thread);
}

int main(void)
{
	static const struct tb_place places[] = {{"deposit", "bank.c", 10}, {"withdraw", "bank.c", 20}};
	const struct stmlog_setup setup = {.runtime = "blind"};
	stmlog_set_clock(read_clock);
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	for (int times = 0; times < 20; times++)
		lose_at(thread, &places[times % 2]);
	return 0;
}
