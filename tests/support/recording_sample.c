/* SPDX-License-Identifier: MIT */
#include "recording_sample.h"

#include <stmlog/read.h>

static void add_info(struct writer *writer)
{
	static const char *const lines[] = {"version=0.1.0", "runtime=libitm", "clock=monotonic", "pid=4711",
		"program=/usr/bin/bank", "arg=bank", "arg=--threads=2", "option=depth", "value=9", "began_ns=1000",
		"wall_ns=2000000000", "unix_ns=1700000000000000000", "sample_every=1", "probe_events=200000",
		"probe_cost_ns=6200000", "origins=1000000", "origins_cost_ns=6400000", "events_missing=0",
		"tracebacks_unavailable=1", "writes_unrecorded=3", "wasted_aborts=14", "wasted_ns=340000",
		"undecided_aborts=6", "misuses=0", "threads_dropped=0", "logs_unread=0", "descheduled_known=1",
		"of_the_future=1"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		writer_info(writer, lines[i]);
}

static void add_threads(struct writer *writer)
{
	struct stmlog_thread_record first = {
		.id = 1,
		.name = writer_string(writer, "bank"),
		.flags = STMLOG_THREAD_ENDED,
		.attached_at_ns = 1000,
		.attached_ns = 2000000000,
		.outside_ns = 795750000,
		.committed_ns = 1200000000,
		.aborted_ns = {4000000, 0, 0, 0},
		.paused_ns = 250000,
		.commits = 60000,
		.aborts = {2000, 0, 0, 0},
		.pauses = 5,
		.events = 130000,
	};
	struct stmlog_thread_record second = {
		.id = 2,
		.name = writer_string(writer, "aud\xc3\xaft"),
		.attached_at_ns = 51000,
		.attached_ns = 1000000000,
		.outside_ns = 498000000,
		.committed_ns = 500000000,
		.aborted_ns = {150000, 1100000, 0, 50000},
		.waiting_none_ns = 400000,
		.other_ns = 200000,
		.open_ns = 100000,
		.commits = 1234,
		.aborts = {4, 46, 0, 2},
		.waits_none = 1,
		.others = 2,
		.events = 70000,
	};
	writer_thread(writer, &first);
	writer_thread(writer, &second);
}

/* Where transfers and audits stood: tracebacks. */
struct places {
	uint32_t transferring;
	uint32_t auditing;
};

static struct places add_places(struct writer *writer)
{
	struct stmlog_module_record library = {
		.start = 0x7f0000020000,
		.end = 0x7f0000180000,
		.bias = 0x7f0000000000,
		.path = writer_string(writer, "/gone/libc.so.6"),
		.build_id_len = 4,
		.build_id = {0xde, 0xad, 0xbe, 0xef},
	};
	uint32_t libc = writer_module(writer, &library);
	uint32_t transfer = writer_place(writer, "transfer", "bench/bank.c", 61);
	uint32_t worker = writer_place(writer, "worker", "bench/bank.c", 120);
	uint32_t audit = writer_place(writer, "audit", "bench/bank.c", 85);
	uint32_t start = writer_address(writer, libc, 0x7f0000029d90);
	return (struct places){
		.transferring = writer_traceback(writer, (uint32_t[]){transfer, worker, start}, 3, 0),
		.auditing = writer_traceback(writer, (uint32_t[]){audit, start}, 2, STMLOG_TRACEBACK_CUT),
	};
}

/* How many losses, how long all of them, the longest and the shortest one are, and when the first and the last one
 * were. */
#define LOSSES(number, all, longest, shortest, first, last)                                                           \
	.count = (number), .lost_ns = (all), .longest_ns = (longest), .shortest_ns = (shortest), .first_ns = (first), \
	.last_ns = (last)

static void add_aborts(struct writer *writer, const struct places *places)
{
	struct stmlog_entry_record transfers = {
		.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_WRITE,
		.detail = writer_string(writer, "LOCKED_WRITE"),
		.local = places->transferring,
		.local_thread = 1,
		LOSSES(2000, 4000000, 12100, 90, 5000, 1900000000),
		.objects = {{0x404080, 1500}, {0x4040a0, 300}},
		.object_names = {writer_string(writer, "accounts+16")},
	};
	struct stmlog_entry_record audits = {
		.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_READ,
		.detail = writer_string(writer, "VALIDATE_READ"),
		.grade = STMLOG_GRADE_CERTAIN,
		.local = places->auditing,
		.remote = places->transferring,
		.local_thread = 2,
		.remote_thread = 1,
		LOSSES(40, 1000000, 100000, 7000, 60000, 900000000),
		.false_conflicts = 2,
		.certain = 40,
		.false_aliases = 1,
		.wasted = 12,
		.wasted_ns = 300000,
		.undecided = 5,
	};
	writer_entry(writer, &transfers);
	writer_entry(writer, &audits);
}

static void add_pause(struct writer *writer)
{
	struct stmlog_entry_record pause = {
		.reason = STMLOG_PAUSE,
		.contention = STMLOG_WRITE_READ,
		.local = 1,
		.local_thread = 1,
		LOSSES(5, 250000, 50000, 50000, 70000, 80000),
	};
	writer_entry(writer, &pause);
}

/* A transfer that an audit made abort, and two that the program gave up. */
static void add_few(struct writer *writer, const struct places *places)
{
	struct stmlog_entry_record victim = {
		.reason = STMLOG_ABORTED_BY_OTHER,
		.contention = STMLOG_WRITE_WRITE,
		.grade = STMLOG_GRADE_CERTAIN,
		.local = places->transferring,
		.remote = places->auditing,
		.local_thread = 2,
		.remote_thread = 1,
		LOSSES(4, 150000, 60000, 20000, 90000, 95000),
		.wasted = 1,
		.wasted_ns = 20000,
	};
	struct stmlog_entry_record given_up = {
		.reason = STMLOG_USER_ABORT,
		.contention = STMLOG_NONE,
		.local = places->transferring,
		.remote = 1,
		.local_thread = 2,
		LOSSES(2, 50000, 30000, 20000, 91000, 96000),
	};
	writer_entry(writer, &victim);
	writer_entry(writer, &given_up);
}

void recording_sample(struct writer *writer)
{
	writer_init(writer);
	add_info(writer);
	add_threads(writer);
	struct places places = add_places(writer);
	add_aborts(writer, &places);
	add_pause(writer);
	add_few(writer, &places);
	writer_own_work(writer, &(struct stmlog_own_work_record){"back-off", 1, 120000});
	writer_total(writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 2000, 4000000);
	writer_total(writer, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, 46, 1100000);
	writer_total(writer, STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE, 4, 150000);
	writer_total(writer, STMLOG_PAUSE, STMLOG_WRITE_READ, 5, 250000);
	writer_total(writer, STMLOG_USER_ABORT, STMLOG_NONE, 2, 50000);
	writer_total(writer, UINT32_MAX, UINT32_MAX, 6, 100000);
}

/* As if each loss had been a transaction of its own, and all of one length. */
static double variance_of(uint64_t lost_ns, uint64_t count)
{
	double lost = (double)lost_ns;
	return count != 0 ? SAMPLE_WEIGHT * (SAMPLE_WEIGHT - 1) * lost * lost / (double)count : 0;
}

/* Each row is known to a tenth by chance, and to a hundredth besides. */
static void doubt_rows(struct stmlog_thread_record *thread)
{
	const uint64_t rows[STMLOG_ACCOUNT_OUTSIDE] = {thread->estimated_committed_ns,
		thread->estimated_aborted_ns[0] + thread->estimated_aborted_ns[1] + thread->estimated_aborted_ns[3],
		thread->estimated_paused_ns, thread->estimated_waiting_none_ns, thread->estimated_other_ns};
	for (size_t row = 0; row < STMLOG_ACCOUNT_OUTSIDE; row++) {
		double error_ns = (double)rows[row] / 19.6;
		thread->row_variance_ns2[row] = error_ns * error_ns;
		thread->row_variance_ns2[STMLOG_ACCOUNT_OUTSIDE] += error_ns * error_ns;
		thread->row_doubt_ns[row] = rows[row] / 100;
		thread->row_doubt_ns[STMLOG_ACCOUNT_OUTSIDE] += rows[row] / 100;
	}
}

static void weigh_threads(struct stmlog_thread_record *threads, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct stmlog_thread_record *thread = &threads[i];
		thread->estimated_committed_ns = thread->committed_ns * 14 / 10;
		for (size_t k = 0; k < 4; k++)
			thread->estimated_aborted_ns[k] *= SAMPLE_WEIGHT;
		thread->estimated_paused_ns *= SAMPLE_WEIGHT;
		thread->estimated_waiting_none_ns *= SAMPLE_WEIGHT;
		thread->estimated_other_ns *= SAMPLE_WEIGHT;
		thread->unmeasured_commits = thread->commits * (SAMPLE_WEIGHT - 1);
		doubt_rows(thread);
	}
}

void recording_sample_weighed(struct writer *writer)
{
	recording_sample(writer);
	writer_info(writer, "sample_every=16");
	writer_info(writer, "sampled=1");
	writer_info(writer, "timed_commits=122468");
	static const char *const phases[] = {"on_phases=40", "on_ns=3200000000", "on_transactions=800000",
		"on_aborts=1600", "on_aborts_square=70000", "on_aborts_us=128000000", "on_us_square=256000000000",
		"off_phases=38", "off_ns=800000000", "off_transactions=250000", "off_aborts=500",
		"off_aborts_square=7000", "off_aborts_us=10526000", "off_us_square=16842000000"};
	for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
		writer_info(writer, phases[i]);
	writer_info(writer, "lost_error_ns=6000000");
	struct stmlog_entry_record *entries = (void *)writer->sections[STMLOG_SECTION_ENTRIES].bytes;
	for (size_t i = 0; i < writer->sections[STMLOG_SECTION_ENTRIES].len / sizeof *entries; i++) {
		entries[i].estimated_ns *= SAMPLE_WEIGHT;
		entries[i].variance_ns2 = variance_of(entries[i].lost_ns, entries[i].count);
	}
	struct stmlog_total_record *totals = (void *)writer->sections[STMLOG_SECTION_TOTALS].bytes;
	for (size_t i = 0; i < writer->sections[STMLOG_SECTION_TOTALS].len / sizeof *totals; i++) {
		totals[i].estimated_ns *= SAMPLE_WEIGHT;
		totals[i].variance_ns2 = 2 * variance_of(totals[i].lost_ns, totals[i].count);
	}
	weigh_threads((void *)writer->sections[STMLOG_SECTION_THREADS].bytes,
		writer->sections[STMLOG_SECTION_THREADS].len / sizeof(struct stmlog_thread_record));
}

void recording_sample_processes(struct writer *writer)
{
	recording_sample(writer);
	struct stmlog_process_record bank = {
		.program = writer_string(writer, "bank"),
		.pid = 4711,
		.threads = 1,
		.attached_ns = 2000000000,
		.row_ns = {[STMLOG_ACCOUNT_COMMITTED] = 1200000000,
			[STMLOG_ACCOUNT_ABORTED] = 4000000,
			[STMLOG_ACCOUNT_PAUSED] = 250000,
			[STMLOG_ACCOUNT_OUTSIDE] = 795750000},
		.commits = 60000,
		.aborts = 2000,
	};
	struct stmlog_process_record audit = {
		.program = writer_string(writer, "audit"),
		.pid = 4712,
		.threads = 1,
		.attached_ns = 1000000000,
		.row_ns = {[STMLOG_ACCOUNT_COMMITTED] = 500000000,
			[STMLOG_ACCOUNT_ABORTED] = 1300000,
			[STMLOG_ACCOUNT_WAITING] = 400000,
			[STMLOG_ACCOUNT_OTHER] = 200000,
			[STMLOG_ACCOUNT_OUTSIDE] = 498000000},
		.commits = 1234,
		.aborts = 52,
	};
	writer_process(writer, &bank);
	writer_process(writer, &audit);
}

void recording_sample_hardware(struct writer *writer)
{
	static const char *const lines[] = {
		"method=htm", "processors=2", "hardware_commits=60622", "hardware_fallbacks=612"};
	recording_sample(writer);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		writer_info(writer, lines[i]);
}
