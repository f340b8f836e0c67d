/* SPDX-License-Identifier: MIT
 * When a screen begins with a warning. */
#include "screened.h"

#include <stmlog/agent.h>

enum { MS = 1000000 };

/* One thread of a second was off the processor for so many milliseconds of it; `more` threads beside it likewise. */
static void disturb(uint64_t off_ms, size_t more)
{
	begin();
	made.has_own_account = true;
	made.recording.info.processors = 2;
	made.recording.info.descheduled_known = 1;
	made.recording.thread_count = 1 + more;
	for (size_t i = 0; i <= more; i++)
		made.threads[i] = (struct stmlog_thread_record){.id = (uint32_t)i + 1,
			.attached_ns = 1000 * MS,
			.committed_ns = (1000 - off_ms) * MS,
			.descheduled_ns = off_ms * MS,
			.commits = 100};
}

/* NULL: there is no warning. */
static void assert_warning(const char *warning)
{
	const char *line = warning != NULL ? warning : "stmlog  ";
	screen();
	if (strncmp(text, line, strlen(line)) != 0)
		fail_msg("\"%s\" is not the beginning of:\n%s", line, text);
	assert_has(text, warning != NULL ? "\nstmlog  " : "");
}

TEST(time_without_a_processor_alone_says_nothing_about_other_programs)
{
	for (size_t more = 0; more < MADE_THREADS; more += MADE_THREADS - 1) {
		disturb(900, more);
		assert_warning(NULL);
	}
}

TEST(threads_that_may_not_read_the_clock_are_said)
{
	disturb(0, 0);
	made.recording.info.threads_without_clock = 1;
	assert_warning("1 thread may not read the clock");
	disturb(0, 0);
	made.recording.info.threads_without_clock = 2;
	assert_warning("2 threads may not read the clock");
}

TEST(a_signal_that_ended_the_program_is_said)
{
	disturb(0, 0);
	made.recording.info.killed_by = 11;
	assert_warning("ended by signal 11 (SEGV)");
	made.recording.info.killed_by = 4000;
	assert_warning("ended by signal 4000 (unknown)");
	made.recording.info.killed_by = 0;
	assert_warning(NULL);
}

TEST(losses_in_hardware_are_not_seen)
{
	disturb(0, 0);
	made.recording.info.method = "htm";
	assert_warning("htm: losses");
}

static void say_machine(uint64_t all_ms, uint64_t idle_ms, uint64_t others_ms)
{
	made.recording.info.machine_ns = all_ms * MS;
	made.recording.info.machine_idle_ns = idle_ms * MS;
	made.recording.info.machine_others_ns = others_ms * MS;
}

/* Even if the account has no time off the processor. */
TEST(processors_that_others_had_are_said_unless_some_were_left)
{
	static const struct {
		uint64_t all_ms, idle_ms, others_ms;
		bool is_said;
	} cases[] = {{1000, 100, 200, true}, {1000, 100, 199, false}, {1000, 101, 200, false}, {400, 0, 80, true},
		{399, 0, 399, false}, {0, 0, 0, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		disturb(0, 0);
		say_machine(cases[i].all_ms, cases[i].idle_ms, cases[i].others_ms);
		assert_warning(cases[i].is_said ? "other programs had 20.0 % of the processors: the run was disturbed\n"
						: NULL);
	}
}

TEST(threads_without_a_processor_blame_others_for_what_the_machine_says_that_they_had)
{
	static const struct {
		uint64_t off_ms, idle_ms, others_ms;
		const char *warning;
	} cases[] = {{49, 0, 50, NULL}, {50, 0, 49, NULL},
		{50, 0, 50, "other programs had 5.0 % of the processors: the run was disturbed\n"},
		{299, 100, 50, "other programs had 5.0 % of the processors: the run was disturbed\n"},
		{300, 101, 50, NULL}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		disturb(cases[i].off_ms, 0);
		say_machine(1000, cases[i].idle_ms, cases[i].others_ms);
		assert_warning(cases[i].warning);
	}
}

TEST(measuring_that_takes_a_twentieth_of_the_time_in_transactions_is_said)
{
	for (int has_timeline = 0; has_timeline < 2; has_timeline++) {
		for (uint64_t less = 0; less < 2; less++) {
			disturb(0, 0);
			made.recording.has_timeline = has_timeline != 0;
			made.recording.info.probe_cost_ns = 50 * MS - less;
			assert_warning(
				less == 1 ? NULL
				: has_timeline
					? "the timeline changes how often transactions abort; leave out --timeline\n"
					: "measuring them all changes how often transactions abort; leave "
					  "out --sample=1\n");
		}
	}
}

/* In a hundred phases transactions were measured, and in as many they were not: 100,000 in a second of each. */
TEST(a_sample_whose_phases_abort_more_or_less_often_is_said)
{
	for (int i = 0; i < 2; i++) {
		disturb(0, 0);
		struct recording_info *info = &made.recording.info;
		info->sampled = 1;
		info->on_phases = info->off_phases = 100;
		info->on_ns = info->off_ns = 1000 * MS;
		info->on_transactions = info->off_transactions = 100000;
		info->on_aborts = i == 0 ? 19000 : 5000;
		info->off_aborts = 20000;
		info->on_aborts_square = 250000;
		info->off_aborts_square = 4000000;
		info->on_aborts_us = 50000000;
		info->off_aborts_us = 200000000;
		info->on_us_square = info->off_us_square = 10000000000;
		assert_warning(i == 0 ? NULL : "measuring changes the program: 0.25 to 0.25 times as many aborts");
	}
}
