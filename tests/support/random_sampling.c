/* SPDX-License-Identifier: MIT
 * Makes a random recording, in which all was measured, one of which a part was. */
#include "random_recording.h"

#include <math.h>
#include <stdio.h>

#include <stmlog/read.h>

enum { ABORTS, PAUSES, LOSSES }; /* the rows that entries are parts of */

/* The records that are made already, and what the estimates of entries may have beyond what was measured. */
struct sampling {
	struct random *random;
	struct stmlog_thread_record *threads;
	size_t thread_count;
	struct stmlog_entry_record *entries;
	size_t entry_count;
	struct stmlog_total_record *totals; /* the last one is of what was evicted */
	size_t total_count;
	uint64_t surplus_ns[LOSSES], measured_ns[LOSSES];
};

static struct sampling sampling_of(struct writer *writer, struct random *random)
{
	struct sampling sampling = {.random = random};
	sampling.threads = (void *)writer->sections[STMLOG_SECTION_THREADS].bytes;
	sampling.thread_count = writer->sections[STMLOG_SECTION_THREADS].len / sizeof *sampling.threads;
	sampling.entries = (void *)writer->sections[STMLOG_SECTION_ENTRIES].bytes;
	sampling.entry_count = writer->sections[STMLOG_SECTION_ENTRIES].len / sizeof *sampling.entries;
	sampling.totals = (void *)writer->sections[STMLOG_SECTION_TOTALS].bytes;
	sampling.total_count = writer->sections[STMLOG_SECTION_TOTALS].len / sizeof *sampling.totals;
	return sampling;
}

/* A part of the time that is left, which is none in one of four cases. */
static uint64_t some_of(struct sampling *sampling, uint64_t *left_ns)
{
	uint64_t part = random_below(sampling->random, 4) != 0 ? random_next(sampling->random) % (*left_ns + 1) : 0;
	*left_ns -= part;
	return part;
}

static void estimate_thread(struct sampling *sampling, struct stmlog_thread_record *thread)
{
	uint64_t unmeasured_ns = random_below(sampling->random, 100000000), left_ns;
	thread->outside_ns += unmeasured_ns;
	thread->descheduled_ns = random_below(sampling->random, 2) != 0 ? random_below(sampling->random, 10000000) : 0;
	thread->descheduled = thread->descheduled_ns != 0;
	thread->attached_ns += unmeasured_ns + thread->descheduled_ns;
	sampling->measured_ns[ABORTS] += thread->aborted_data_ns;
	for (size_t i = 0; i < 4; i++)
		sampling->measured_ns[ABORTS] += thread->aborted_ns[i];
	sampling->measured_ns[PAUSES] += thread->paused_ns;
	left_ns = thread->outside_ns;
	uint64_t aborted_ns = some_of(sampling, &left_ns), paused_ns = some_of(sampling, &left_ns);
	thread->estimated_aborted_ns[0] += aborted_ns;
	thread->estimated_paused_ns += paused_ns;
	thread->estimated_committed_ns += some_of(sampling, &left_ns);
	thread->estimated_waiting_none_ns += some_of(sampling, &left_ns);
	thread->estimated_other_ns += some_of(sampling, &left_ns);
	thread->estimated_blocked_ns += some_of(sampling, &left_ns);
	thread->blocked_variance_ns2 = (double)thread->estimated_blocked_ns * 100;
	sampling->surplus_ns[ABORTS] += aborted_ns;
	sampling->surplus_ns[PAUSES] += paused_ns;
}

static void doubt_thread(struct sampling *sampling, struct stmlog_thread_record *thread)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++) {
		double error_ns = random_below(sampling->random, 10000000);
		thread->row_variance_ns2[row] = random_below(sampling->random, 3) != 0 ? error_ns * error_ns : 0;
		thread->row_doubt_ns[row] = random_below(sampling->random, 3) != 0 ? 0 : (uint64_t)error_ns;
	}
}

/* In proportion to what was measured, rounded down. */
static double surplus_of(const struct sampling *sampling, uint32_t reason, uint64_t lost_ns)
{
	int row = reason == STMLOG_PAUSE ? PAUSES : ABORTS;
	uint64_t whole_ns = sampling->measured_ns[row];
	return whole_ns != 0 ? (double)(sampling->surplus_ns[row] / 2 * lost_ns / whole_ns) : 0;
}

static struct stmlog_total_record *total_of(struct sampling *sampling, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < sampling->total_count; i++) {
		struct stmlog_total_record *total = &sampling->totals[i];
		if (total->reason == entry->reason && total->contention == entry->contention)
			return total;
	}
	return NULL;
}

/* Adds to a total as if all losses were correlated; the sums of entries are below. */
static void add_estimate(struct stmlog_total_record *total, double surplus_ns, double variance_ns2)
{
	total->estimated_ns += surplus_ns;
	total->variance_ns2 = stmlog_joint_variance(total->variance_ns2, variance_ns2);
}

static double estimate_entries(struct sampling *sampling)
{
	double all_ns2 = 0;
	for (size_t i = 0; i < sampling->entry_count; i++) {
		struct stmlog_entry_record *entry = &sampling->entries[i];
		double surplus_ns = surplus_of(sampling, entry->reason, entry->lost_ns);
		double error_ns = random_below(sampling->random, 1 + (uint32_t)surplus_ns);
		entry->estimated_ns += surplus_ns;
		entry->variance_ns2 = error_ns * error_ns;
		entry->descheduled_ns =
			random_below(sampling->random, 3) == 0 ? random_below(sampling->random, 1000) : 0;
		add_estimate(total_of(sampling, entry), surplus_ns, entry->variance_ns2);
	}
	for (size_t i = 0; i + 1 < sampling->total_count; i++)
		all_ns2 = stmlog_joint_variance(all_ns2, sampling->totals[i].variance_ns2);
	return all_ns2;
}

void random_recording_sampled(struct writer *writer, struct random *random)
{
	char line[64];
	random_recording(writer, random);
	struct sampling sampling = sampling_of(writer, random);
	for (size_t i = 0; i < sampling.thread_count; i++) {
		estimate_thread(&sampling, &sampling.threads[i]);
		doubt_thread(&sampling, &sampling.threads[i]);
	}
	/* Rounded up. */
	double error_ns = stmlog_root(estimate_entries(&sampling)) + 1;
	snprintf(line, sizeof line, "lost_error_ns=%llu", (unsigned long long)error_ns);
	writer_info(writer, line);
	writer_info(writer, "sampled=1");
	writer_info(writer, "sample_every=16");
}

/* ---- spoilt ---- */

static double bad_number(struct random *random)
{
	const double numbers[] = {NAN, INFINITY, -INFINITY, -1, 1e300, 1e18, 0};
	return numbers[random_below(random, sizeof numbers / sizeof numbers[0])];
}

static uint64_t any_number(struct random *random)
{
	return random_next(random) >> random_below(random, 64);
}

static void spoil_thread(struct random *random, struct stmlog_thread_record *thread)
{
	uint64_t *const estimates[] = {&thread->estimated_committed_ns, &thread->estimated_aborted_ns[1],
		&thread->estimated_paused_ns, &thread->estimated_waiting_inevitable_ns, &thread->estimated_other_ns};
	for (size_t i = 0; i < sizeof estimates / sizeof estimates[0]; i++)
		if (random_below(random, 2) != 0)
			*estimates[i] = any_number(random);
	thread->blocked_variance_ns2 = bad_number(random);
	thread->blocked_doubt_ns = any_number(random);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++) {
		thread->row_variance_ns2[row] = bad_number(random);
		thread->row_doubt_ns[row] = any_number(random);
	}
}

void random_recording_spoilt(struct writer *writer, struct random *random)
{
	random_recording_sampled(writer, random);
	struct sampling sampling = sampling_of(writer, random);
	for (size_t i = 0; i < sampling.thread_count; i++)
		spoil_thread(random, &sampling.threads[i]);
	for (size_t i = 0; i < sampling.entry_count; i++) {
		sampling.entries[i].estimated_ns = bad_number(random);
		sampling.entries[i].variance_ns2 = bad_number(random);
	}
	for (size_t i = 0; i < sampling.total_count; i++) {
		sampling.totals[i].estimated_ns = bad_number(random);
		sampling.totals[i].variance_ns2 = bad_number(random);
	}
}
