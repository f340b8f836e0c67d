/* SPDX-License-Identifier: MIT
 * The other file of vendored.c: a transaction that aborts once because of the other thread's. */
#include "stmlog-vendor.h"

extern "C" void lose(struct stmlog_thread *thread, struct stmlog_other other);

extern "C" void lose(struct stmlog_thread *thread, struct stmlog_other other)
{
	stmlog_push(stmlog_thread_stack(thread), TB_HERE());
	stmlog_region_begin(thread, "lose", 0);
	stmlog_start(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, 16, other, "VENDORED");
	stmlog_abort_self(thread);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_region_end(thread, 0);
	stmlog_pop(stmlog_thread_stack(thread));
}
