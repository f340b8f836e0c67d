/* SPDX-License-Identifier: MIT
 * Makes recordings of runs with given figures. */
#ifndef MADE_RUNS_H
#define MADE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/read.h>

#include "recording_writer.h"

#define ABORTS UINT64_C(10) /* of each place */

/* The losses of a run at two places, and its commits. */
struct made_run {
	uint64_t commits;
	uint64_t lost_ns[2]; /* 0: no entry */
	uint64_t paused_ns;  /* at a third place */
	const char *facts[3];
	uint32_t shift;
};

static inline uint32_t traceback_at(struct writer *writer, const char *function, uint32_t line)
{
	uint32_t site = writer_place(writer, function, "/src/bank.c", line);
	return writer_traceback(writer, &site, 1, 0);
}

static inline void add_loss(
	struct writer *writer, uint32_t reason, const char *function, uint32_t line, uint64_t count, uint64_t lost_ns)
{
	struct stmlog_entry_record entry = {.reason = reason,
		.contention = STMLOG_WRITE_WRITE,
		.local = traceback_at(writer, function, line),
		.remote = traceback_at(writer, "audit", line + 50),
		.count = count,
		.lost_ns = lost_ns};
	if (lost_ns > 0)
		writer_entry(writer, &entry);
}

static inline void add_sums(struct writer *writer, const struct made_run *made)
{
	uint64_t count = (made->lost_ns[0] > 0 ? 1u : 0u) * ABORTS + (made->lost_ns[1] > 0 ? 1u : 0u) * ABORTS;
	struct stmlog_thread_record thread = {.id = 1,
		.attached_ns = 1000000000,
		.aborted_ns = {made->lost_ns[0] + made->lost_ns[1]},
		.paused_ns = made->paused_ns,
		.commits = made->commits,
		.aborts = {count}};
	thread.outside_ns = thread.attached_ns - thread.aborted_ns[0] - thread.paused_ns;
	writer_thread(writer, &thread);
	writer_total(writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, count, thread.aborted_ns[0]);
	writer_total(writer, STMLOG_PAUSE, STMLOG_WRITE_WRITE, 1, made->paused_ns);
}

static inline void made_run_save(const struct made_run *made, const char *path)
{
	OWNED(writer_fini) struct writer writer;
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	for (size_t i = 0; i < 3 && made->facts[i] != NULL; i++)
		writer_info(&writer, made->facts[i]);
	add_loss(&writer, STMLOG_SELF_ABORT, "transfer", 10 + made->shift, ABORTS, made->lost_ns[0]);
	add_loss(&writer, STMLOG_SELF_ABORT, "transfer", 20 + made->shift, ABORTS, made->lost_ns[1]);
	add_loss(&writer, STMLOG_PAUSE, "rest", 30 + made->shift, 1, made->paused_ns);
	add_sums(&writer, made);
	writer_save(&writer, path);
}

#endif
