/* SPDX-License-Identifier: MIT
 * Writes the recordings of the golden texts and of the unit tests to files, and two that are hard to fit on a screen:
 * long names of C++ templates, deep tracebacks, long paths, large numbers, many threads; the second has hostile names.
 * usage: golden_recordings DIRECTORY */
#include <stdio.h>
#include <string.h>

#include <stmlog/read.h>

#include "random_recording.h"
#include "recording_sample.h"

enum { THREADS = 40, DEPTH = 60, ENTRIES = 24, RANDOM = 3 };

/* Longer than any terminal's line: a name with templates, and arguments that are templates. */
static const char *long_name(unsigned number, bool is_hostile)
{
	static char name[1000];
	static const char *const hostile[] = {"\033[2J\033[31m", "\302\2331m", "\n\r\t", "\342\200\256", "\377\376",
		"\033]8;;file:///etc/passwd\033\\"};
	snprintf(name, sizeof name,
		"%svoid market::Book<std::map<std::string, std::vector<unsigned long, Allocator<unsigned long> > >, "
		"Policy<%u> >::place_%u%s<std::pair<int const, market::\346\263\250\346\226\207> >(std::unordered_map<"
		"std::string, std::function<void (int)>, std::hash<std::string> > const&, unsigned long long) const",
		is_hostile ? hostile[number % 6] : "", number, number, is_hostile ? hostile[(number + 1) % 6] : "");
	return name;
}

static const char *long_path(unsigned number, bool is_hostile)
{
	static char path[300];
	snprintf(path, sizeof path,
		"/home/somebody/projects/a-market-of-many-words/%ssources/of/the/order/book/in_a_very_long_file_name_"
		"%u.template.implementation.hpp",
		is_hostile ? "\033[1m\302\205\342\200\250" : "", number);
	return path;
}

static uint32_t deep(struct writer *writer, unsigned first, bool is_hostile)
{
	uint32_t sites[DEPTH];
	for (unsigned i = 0; i < DEPTH; i++) {
		char file[300];
		snprintf(file, sizeof file, "%s", long_path((first + i) % 7, is_hostile));
		sites[i] = writer_place(writer, long_name(first + i, is_hostile), file, 4000000000u - first - i);
	}
	return writer_traceback(writer, sites, DEPTH, first % 2 == 0 ? STMLOG_TRACEBACK_CUT : 0);
}

static void add_threads(struct writer *writer, bool is_hostile)
{
	for (unsigned i = 1; i <= THREADS; i++) {
		struct stmlog_thread_record thread = {.id = i,
			.name = writer_string(writer, long_name(i, is_hostile)),
			.runtime = writer_string(writer, i % 2 ? "libitm" : "a runtime of a long name"),
			.attached_ns = 9000000000000000000u / THREADS,
			.committed_ns = 123456789012345,
			.aborted_ns = {98765432109876, 1},
			.paused_ns = 1234567890123,
			.waiting_inevitable_ns = 23456789012345,
			.other_ns = 1,
			.descheduled_ns = 34567890123456,
			.descheduled = 987654321,
			.blocked_ns = 45678901234567,
			.blocked = 9876543210,
			.blocked_in_vain = 987654321,
			.blocked_unattached = 9876543210,
			.blocked_unattached_ns = 1234567890123456,
			.commits = 123456789012345678,
			.aborts = {98765432109876543, 2},
			.pauses = 12345678901,
			.waits_inevitable = 123456789012,
			.others = 12345678901};
		writer_thread(writer, &thread);
	}
}

static void add_entry(struct writer *writer, unsigned number, bool is_hostile)
{
	static const uint32_t reasons[] = {STMLOG_SELF_ABORT, STMLOG_ABORTED_BY_OTHER, STMLOG_WAIT, STMLOG_PAUSE};
	struct stmlog_entry_record entry = {.reason = reasons[number % 4],
		.contention = number % 4 == 2 ? STMLOG_INEVITABLE : STMLOG_WRITE_WRITE,
		.detail = writer_string(writer, long_name(number, is_hostile)),
		.grade = STMLOG_GRADE_CERTAIN,
		.local = deep(writer, number, is_hostile),
		.remote = deep(writer, 2 * number + 1, is_hostile),
		.local_thread = number + 1,
		.remote_thread = THREADS - number,
		.count = 1234567890123456 >> number,
		.lost_ns = 98765432109876543 >> number,
		.longest_ns = 98765432109876,
		.shortest_ns = 1,
		.last_ns = 1000,
		.false_conflicts = 123456789,
		.false_aliases = 12345678,
		.objects = {{0x7fff12345678 + 64 * number, 123456789012345 >> number},
			{0x7fff00000010, 12345678901234}},
		.object_others = {0x7fff22345678, 0x7fff00000018},
		.object_names = {writer_string(writer, long_name(number + 100, is_hostile))},
		.certain = 12345678,
		.wasted = 123456789,
		.wasted_ns = 1234567890123,
		.undecided = 12345,
		.descheduled_ns = 123456789012};
	writer_entry(writer, &entry);
	writer_path(writer, &(struct stmlog_path_record){.traceback = entry.local,
				    .commits = 12345678901234567 >> number,
				    .aborts = entry.count,
				    .committed_ns = 98765432109876543 >> number,
				    .aborted_ns = entry.lost_ns});
	writer_total(writer, entry.reason, entry.contention, entry.count, entry.lost_ns);
}

static void add_distributions(struct writer *writer, bool is_hostile)
{
	uint32_t site = writer_place(writer, long_name(7, is_hostile), long_path(7, is_hostile), 123456);
	struct stmlog_transaction_record transaction = {.site = site,
		.commits = 123456789012345678,
		.attempts = 987654321098765432,
		.lost_ns = 98765432109876543,
		.max_attempts = 987654321098765,
		.longest_ns = 98765432109876};
	transaction.by_attempts[5] = transaction.commits;
	transaction.by_lost_ns[150] = transaction.commits;
	writer_transaction(writer, &transaction);
	writer_blocked(writer, &(struct stmlog_blocked_record){.site = site,
				       .count = 9876543210,
				       .in_vain = 987654321,
				       .blocked_ns = 45678901234567,
				       .longest_ns = 45678901234567,
				       .estimated_ns = 45678901234567});
}

static void add_processes(struct writer *writer, bool is_hostile)
{
	for (unsigned i = 1; i <= THREADS; i++) {
		struct stmlog_process_record process = {.program = writer_string(writer, long_name(i, is_hostile)),
			.pid = 4194304 - i,
			.threads = 123456,
			.attached_ns = 9000000000000000000u / THREADS,
			.row_ns = {123456789012345, 98765432109876, 1234567890123, 23456789012345},
			.commits = 123456789012345678,
			.aborts = 98765432109876543};
		writer_process(writer, &process);
	}
}

static void write_wide(struct writer *writer, bool is_hostile)
{
	char line[1100];
	static const char *const info[] = {"version=0.1.0", "method=ml_wt", "clock=monotonic",
		"wall_ns=9000000000000000000", "processors=4096", "stripe_bytes=32", "probe_events=1234567890123456",
		"probe_cost_ns=123456789012345", "tracebacks_unavailable=123456789012",
		"writes_unrecorded=123456789012", "blocks_missing=1234567890", "misuses=1234567890",
		"wasted_aborts=123456789012", "wasted_ns=12345678901234", "undecided_aborts=12345678"};
	writer_init(writer);
	for (size_t i = 0; i < sizeof info / sizeof info[0]; i++)
		writer_info(writer, info[i]);
	snprintf(line, sizeof line, "runtime=%s", is_hostile ? "lib\033[1mitm\n\342\200\256" : "libitm");
	writer_info(writer, line);
	snprintf(line, sizeof line, "program=%s", long_path(1, is_hostile));
	writer_info(writer, line);
	snprintf(line, sizeof line, "arg=%s", long_path(1, is_hostile));
	writer_info(writer, line);
	for (unsigned i = 0; i < 9; i++) {
		snprintf(line, sizeof line, "arg=%s", long_name(i, is_hostile));
		writer_info(writer, line);
	}
	writer_module(writer, &(struct stmlog_module_record){.start = 0x1000,
				      .end = 0x2000,
				      .path = writer_string(writer, long_path(3, is_hostile)),
				      .build_id_len = 20,
				      .build_id = {0xde, 0xad, 0xbe, 0xef}});
	add_threads(writer, is_hostile);
	add_processes(writer, is_hostile);
	for (unsigned i = 0; i < ENTRIES; i++)
		add_entry(writer, i, is_hostile);
	writer_block(
		writer, &(struct stmlog_block_record){
				.address = 0x7fff12340000, .size = 1000000, .traceback = deep(writer, 50, is_hostile)});
	add_distributions(writer, is_hostile);
	writer_total(writer, UINT32_MAX, UINT32_MAX, 1234567890, 123456789012);
}

static void save(struct writer *writer, const char *directory, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.data", directory, name);
	writer_save(writer, path);
	writer_fini(writer);
}

static void save_random(const char *directory)
{
	static const struct {
		const char *name;
		void (*make)(struct writer *writer, struct random *random);
	} kinds[] = {{"random", random_recording}, {"sampled", random_recording_sampled},
		{"spoilt", random_recording_spoilt}};
	struct random random = {20};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] * RANDOM; i++) {
		char name[64];
		struct writer writer;
		writer_init(&writer);
		kinds[i / RANDOM].make(&writer, &random);
		snprintf(name, sizeof name, "%s-%zu", kinds[i / RANDOM].name, i % RANDOM);
		save(&writer, directory, name);
	}
}

int main(int argc, char **argv)
{
	static struct writer writer;
	if (argc != 2)
		return 2;
	recording_sample(&writer);
	save(&writer, argv[1], "sample");
	recording_sample_weighed(&writer);
	save(&writer, argv[1], "weighed");
	recording_sample_processes(&writer);
	save(&writer, argv[1], "processes");
	recording_sample_hardware(&writer);
	save(&writer, argv[1], "hardware");
	save_random(argv[1]);
	write_wide(&writer, false);
	save(&writer, argv[1], "wide");
	write_wide(&writer, true);
	save(&writer, argv[1], "hostile");
	return 0;
}
