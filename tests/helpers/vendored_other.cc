/* SPDX-License-Identifier: MIT
 * The other file of vendored.c: a transaction that aborts once because of the other thread's. */
#include "stmlog-vendor.h"

extern "C" void lose(struct stmlog_thread *thread, uint64_t other);

extern "C" void lose(struct stmlog_thread *thread, uint64_t other)
{
	stmlog_push(thread, TB_HERE());
	stmlog_region_begin(thread, "lose", 0);
	stmlog_start(thread);
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "VENDORED");
	loss.object = 16;
	loss.other = other;
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_region_end(thread, 0);
	stmlog_pop(thread);
}
