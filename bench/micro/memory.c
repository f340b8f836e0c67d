/* SPDX-License-Identifier: MIT
 *
 * How much memory a thread takes with default options: when it attaches, after its first transactions, and when its
 * losses have as many keys as its timelog keeps. The frames of its stack are not included, because all threads take
 * them from common slabs. Their size is printed in a line of its own.
 */
#include <mem.h>
#include <stmlog/agent.h>

#include "bench.h"

/* Runs a transaction at each of so many sites. Each transaction aborts once. */
static void transact(struct stmlog_thread *thread, uintptr_t sites)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (uintptr_t site = 1; site <= sites; site++) {
		struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
		tb_push(stack, tb_site_make(2, site));
		loss.local = tb_current(stack);
		stmlog_start(thread);
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
		stmlog_commit(thread);
		tb_pop(stack);
	}
}

static void print_since(const char *when, size_t before)
{
	printf("memory of a thread, %-40s %6.1f KiB\n", when, (double)(mem_live_bytes() - before) / 1024);
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "memory", .report = "none"};
	struct tb_stack *common = tb_stack_create(0);
	if (common == NULL || stmlog_open(&setup) != 0)
		return 1;
	tb_push(common, TB_HERE());
	tb_current(common); /* so that the slab is there */
	size_t before = mem_live_bytes();
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	if (thread == NULL)
		return 1;
	print_since("attached", before);
	transact(thread, 4);
	print_since("4 sites, each a key", before);
	transact(thread, 16);
	print_since("16 sites, each a key", before);
	transact(thread, 128);
	print_since("128 sites, each a key (timelog full)", before);
	printf("a frame %zu bytes; a thread takes 64 at once\n", sizeof(struct tb_frame));
	tb_pop(common);
	tb_stack_destroy(&common);
	return 0;
}
