/* SPDX-License-Identifier: MIT */
#include "merged.h"

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "random_recording.h"

/* Merges the files as the processes of one run, and loads the result. */
static struct recording merged_run(const char *out, const char *const *paths, size_t count)
{
	struct recording merged;
	OWNED(merge_fini) struct merge merge;
	merge_init_run(&merge);
	for (size_t i = 0; i < count; i++) {
		OWNED(recording_fini) struct recording recording;
		assert_int_equal(recording_load(&recording, paths[i]), RECORDING_WHOLE);
		assert_null(merge_add(&merge, &recording));
	}
	assert_true(merge_save(&merge, out));
	assert_right(out);
	assert_int_equal(recording_load(&merged, out), RECORDING_WHOLE);
	return merged;
}
#define RUN(out, ...)                                       \
	merged_run(out, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

TEST(a_run_has_a_record_of_each_process_and_their_threads_stay_apart)
{
	struct names n = names_in();
	save_sample(n.name[0], NULL);
	save_sample(n.name[1], "pid=12");
	OWNED(recording_fini) struct recording merged = RUN(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(merged.process_count, 2);
	assert_int_equal(merged.processes[0].pid, 4711);
	assert_int_equal(merged.processes[1].pid, 12);
	for (size_t i = 0; i < 2; i++) {
		struct process process = processes_at(&merged, i);
		assert_string_equal(process.program, "bank");
		assert_int_equal(process.record.threads, 2);
		assert_int_equal(process.record.attached_ns, 3000000000);
		assert_int_equal(process.record.commits, 61234);
		assert_int_equal(process.record.aborts, 2052);
		assert_int_equal(process.record.row_ns[STMLOG_ACCOUNT_COMMITTED], 1700000000);
		assert_int_equal(process_lost_ns(&process), 5950000);
	}
	assert_int_equal(merged.thread_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(merged.threads[i].id, i + 1);
	assert_string_equal(recording_string(&merged, merged.threads[2].name), "bank");
	assert_int_equal(merged.threads[2].commits, 60000);
}

TEST(a_single_process_has_no_record)
{
	struct names n = names_in();
	save_sample(n.name[0], NULL);
	OWNED(recording_fini) struct recording merged = RUN(n.name[1], n.name[0]);
	assert_int_equal(merged.process_count, 0);
	assert_int_equal(processes_count(&merged), 1);
	struct process process = processes_at(&merged, 0);
	assert_string_equal(process.program, "bank");
	assert_int_equal(process.record.pid, 4711);
	assert_int_equal(process.record.commits, 61234);
}

static void save_longer(const char *path, uint64_t longest_ns)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	struct stmlog_entry_record *entries = (void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes;
	entries[1].longest_ns = longest_ns;
	writer_save(&writer, path);
}

TEST(entries_name_the_threads_of_their_process)
{
	struct names n = names_in();
	save_longer(n.name[0], 100000);
	save_longer(n.name[1], 100001);
	OWNED(recording_fini) struct recording merged = RUN(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(merged.entries[1].longest_ns, 100001);
	assert_int_equal(merged.entries[1].local_thread, 4);
	assert_int_equal(merged.entries[1].remote_thread, 3);
	assert_int_equal(merged.entries[0].local_thread, 1);
	assert_int_equal(merged.entries[0].remote_thread, 0);
}

static void save_lines(const char *path, const char *const *lines)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	for (; *lines != NULL; lines++)
		writer_info(&writer, *lines);
	writer_save(&writer, path);
}

TEST(a_run_is_as_long_as_from_its_first_beginning_to_its_last_end)
{
	struct names n = names_in();
	save_lines(n.name[0],
		(const char *const[]){"began_ns=5000", "wall_ns=3000", "runs=1", "machine_ns=7", "killed_by=11", NULL});
	save_lines(n.name[1], (const char *const[]){"began_ns=4000", "wall_ns=1000", "unix_ns=9", "arg=--more",
				      "machine_ns=7", "program=/bin/helper", "killed_by=15", NULL});
	save_lines(n.name[2], (const char *const[]){"began_ns=6000", "wall_ns=2500", "pid=12", NULL});
	OWNED(recording_fini) struct recording merged = RUN(n.name[3], n.name[0], n.name[1], n.name[2]);
	assert_int_equal(merged.info.runs, 1);
	assert_int_equal(merged.info.began_ns, 4000);
	assert_int_equal(merged.info.unix_ns, 9);
	assert_int_equal(merged.info.wall_ns, 4500);
	assert_int_equal(merged.info.machine_ns, 0);
	assert_int_equal(merged.info.pid, 4711);
	assert_int_equal(merged.info.killed_by, 11);
	assert_string_equal(merged.info.program, "/usr/bin/bank");
	assert_int_equal(merged.info.args.len, 2);
	assert_int_equal(merged.threads[0].attached_at_ns, 1000);
	assert_int_equal(merged.entries[0].first_ns, 5000);
	OWNED(owned_free) char *programs = processes_programs(&merged);
	assert_string_equal(programs, "bank x2, helper");
}

/* The third process follows the first, so what the machine did is known of half of the run. */
TEST(other_programs_had_what_no_process_of_the_run_had)
{
	struct names n = names_in();
	for (int is_known = 0; is_known < 2; is_known++) {
		save_lines(n.name[0], (const char *const[]){"began_ns=1000", "wall_ns=1000", "machine_ns=100",
					      "machine_idle_ns=10", "process_ns=30", NULL});
		save_lines(n.name[1], (const char *const[]){"began_ns=1500", "wall_ns=500", "machine_ns=50",
					      is_known ? "process_ns=20" : "process_ns=0", NULL});
		save_lines(n.name[2], (const char *const[]){"began_ns=2000", "wall_ns=1000", "machine_ns=100",
					      "machine_idle_ns=1", "process_ns=5", NULL});
		OWNED(recording_fini) struct recording merged = RUN(n.name[3], n.name[0], n.name[1], n.name[2]);
		assert_int_equal(merged.info.machine_ns, is_known ? 200 : 0);
		assert_int_equal(merged.info.machine_idle_ns, is_known ? 20 : 0);
		assert_int_equal(merged.info.machine_others_ns, is_known ? 180 - 30 - 20 - 5 : 0);
	}
}

static void save_open(const char *path, uint64_t open_ns)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	uint32_t site = writer_place(&writer, "transfer", "bank.c", 61);
	writer_open(&writer, &(struct stmlog_open_record){2, STMLOG_OPEN_TRANSACTION, site, 1, STMLOG_NO_SITE,
				     STMLOG_GRADE_CERTAIN, open_ns});
	writer_save(&writer, path);
}

TEST(what_was_under_way_stays_known_in_a_run_and_not_in_several)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording several;
	save_open(n.name[0], 5);
	save_open(n.name[1], 6);
	OWNED(recording_fini) struct recording merged = RUN(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(merged.open_count, 2);
	assert_int_equal(merged.open[0].open_ns, 6);
	assert_int_equal(merged.open[0].thread, 4);
	assert_int_equal(merged.open[0].other_thread, 3);
	assert_int_equal(merged.sites[merged.open[0].site].line, 61);
	assert_true(merged.open[0].other_site == STMLOG_NO_SITE);
	assert_int_equal(merged.open[1].thread, 2);
	MERGE(n.name[3], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&several, n.name[3]), RECORDING_WHOLE);
	assert_int_equal(several.open_count, 0);
}

static void save_random(const char *path, struct random *random)
{
	OWNED(writer_fini) struct writer writer;
	random_below(random, 2) != 0 ? random_recording(&writer, random) : random_recording_sampled(&writer, random);
	writer_save(&writer, path);
}

TEST(the_rows_of_all_processes_are_those_of_the_run_to_the_nanosecond)
{
	enum { ROUNDS = 20 };
	struct names n = names_in();
	struct random random = {31};
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < 3; i++)
			save_random(n.name[i], &random);
		OWNED(recording_fini) struct recording merged = RUN(n.name[3], n.name[0], n.name[1], n.name[2]);
		for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
			uint64_t sum_ns = 0;
			for (size_t i = 0; i < merged.process_count; i++)
				sum_ns += merged.processes[i].row_ns[row];
			assert_int_equal(sum_ns, merged.row_ns[row]);
		}
	}
}

TEST(of_several_runs_the_processes_of_one_place_are_added_up)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording several;
	save_sample(n.name[0], NULL);
	save_sample(n.name[1], "program=/bin/helper");
	struct recording first = RUN(n.name[2], n.name[0], n.name[0], n.name[1]);
	recording_fini(&first);
	MERGE(n.name[3], n.name[2], n.name[2], n.name[0]);
	assert_right(n.name[3]);
	assert_int_equal(recording_load(&several, n.name[3]), RECORDING_WHOLE);
	assert_int_equal(several.info.runs, 3);
	assert_int_equal(several.process_count, 3);
	assert_int_equal(several.processes[0].commits, 3 * 61234);
	assert_int_equal(several.processes[1].commits, 2 * 61234);
	assert_int_equal(several.processes[2].commits, 2 * 61234);
	assert_int_equal(several.processes[0].threads, 2);
	OWNED(owned_free) char *programs = processes_programs(&several);
	assert_string_equal(programs, "bank x2, helper");
}

GROUP_WITH(temp_dir_fixture);
