/* SPDX-License-Identifier: MIT
 *
 * A thread that loses to transactions of which its runtime knows nothing: aborts and waits at two places. The program
 * has its own clock, so the figures are exact. */
#include <stmlog/runtime.h>

static uint64_t now_ns = 1000;

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose_at(struct stmlog_thread *thread, const struct tb_place *place)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_READ, NULL);
	struct tb_stack *stack = stmlog_thread_stack(thread);
	tb_push(stack, tb_place_site(place));
	loss.local = wait.local = stmlog_current(stack);
	stmlog_start(thread);
	stmlog_pause_begin(thread, &wait);
	now_ns += 1000000;
	stmlog_pause_end(thread);
	now_ns += 2000000;
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	tb_pop(stack);
}

int main(void)
{
	static const struct tb_place places[] = {{"deposit", "bank.c", 10}, {"withdraw", "bank.c", 20}};
	const struct stmlog_setup setup = {.runtime = "blind"};
	stmlog_set_clock(read_clock);
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_attach();
	for (int times = 0; times < 20; times++)
		lose_at(thread, &places[times % 2]);
	return 0;
}
