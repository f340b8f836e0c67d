/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include "recording_sample.h"
#include "verify.h"

static struct writer writer;
static char told[1024];

static void keep(const char *text, void *arg)
{
	(void)arg;
	strcat(told, text);
	strcat(told, "\n");
}

/* One thread, which has spent what its members say; then what was written is verified. */
static void begin(uint32_t flags)
{
	writer_init(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){
				       .id = 1,
				       .flags = flags,
				       .commits = 10,
				       .committed_ns = 100,
				       .aborts = {1, 2, 3, 4},
				       .aborted_ns = {10, 20, 30, 40},
				       .pauses = 5,
				       .paused_ns = 50,
				       .waits_inevitable = 6,
				       .waits_none = 7,
				       .waiting_inevitable_ns = 60,
				       .waiting_none_ns = 70,
			       });
	told[0] = '\0';
}

static const struct stmlog_path_record all = {
	.commits = 10,
	.aborts = 10,
	.pauses = 5,
	.waits = 13,
	.committed_ns = 100,
	.aborted_ns = 100,
	.paused_ns = 50,
	.waiting_ns = 130,
};

static void expect(const char *wanted)
{
	struct recording recording;
	size_t lines = 0;
	if (load_written(&recording, &writer) != RECORDING_WHOLE)
		fail_msg("%s", recording.fault);
	struct verifier verifier = {&recording, keep, NULL, 0};
	verify_spent(&verifier);
	recording_fini(&recording);
	assert_string_equal(told, wanted);
	for (const char *at = told; *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(verifier.violations, lines);
}

static struct stmlog_transaction_record ten(void)
{
	struct stmlog_transaction_record record = {.site = STMLOG_NO_SITE, .commits = 10, .attempts = 12};
	record.by_attempts[1] = 8;
	record.by_attempts[2] = 2;
	record.by_lost_ns[0] = 8;
	record.by_lost_ns[100] = 2;
	return record;
}

TEST(what_adds_up_is_not_told)
{
	begin(STMLOG_THREAD_ENDED);
	struct stmlog_path_record part = all, rest = {.flags = STMLOG_PATH_OVERFLOW, .commits = 4, .committed_ns = 1};
	part.commits -= 4;
	part.committed_ns -= 1;
	writer_path(&writer, &part);
	writer_path(&writer, &rest);
	struct stmlog_transaction_record record = ten();
	writer_transaction(&writer, &record);
	expect("");
}

TEST(files_without_them_have_nothing_to_verify)
{
	begin(STMLOG_THREAD_ENDED);
	expect("");
}

TEST(each_sum_of_paths_is_looked_at)
{
	begin(STMLOG_THREAD_ENDED);
	writer_path(&writer, &(struct stmlog_path_record){.commits = 11});
	expect("commits of paths: 11, the threads have 10\naborts of paths: 0, the threads have 10\n"
	       "pauses of paths: 0, the threads have 5\nwaits of paths: 0, the threads have 13\n"
	       "ns committed of paths: 0, the threads have 100\nns aborted of paths: 0, the threads have 100\n"
	       "ns paused of paths: 0, the threads have 50\nns waiting of paths: 0, the threads have 130\n");
}

TEST(times_blocked_by_site_are_those_of_the_threads)
{
	struct stmlog_thread_record threads[2] = {{.id = 1, .flags = STMLOG_THREAD_ENDED, .blocked = 3},
		{.id = 2, .flags = STMLOG_THREAD_ENDED, .blocked_unattached = 2}};
	threads[0].blocked_ns = 30;
	threads[0].blocked_in_vain = 1;
	threads[1].blocked_unattached_ns = 70;
	for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
		writer_init(&writer);
		writer_thread(&writer, &threads[0]);
		writer_thread(&writer, &threads[1]);
		const uint64_t more = (uint64_t)is_wrong;
		writer_blocked(&writer, &(struct stmlog_blocked_record){.site = STMLOG_NO_SITE,
						.count = 5 + more,
						.in_vain = 1 + 8 * more,
						.blocked_ns = 100 - more});
		told[0] = '\0';
		expect(is_wrong ? "site 0: blocked 6 times, but 9 in vain\ntimes blocked by site: 6, the threads have "
				  "5\n"
				  "times in vain by site: 9, the threads have 1\n"
				  "ns blocked by site: 99, the threads have 100\n"
				: "");
	}
}

TEST(wakes_by_waker_are_no_more_than_those_that_are_known)
{
	for (uint64_t known = 7; known >= 6; known--) {
		begin(0);
		writer_blocked(
			&writer, &(struct stmlog_blocked_record){.site = STMLOG_NO_SITE,
					 .count = 20,
					 .wakes_known = known,
					 .wakers = {{.site = STMLOG_NO_SITE, .count = 3}, {.site = 0, .count = 4}}});
		writer_place(&writer, "waker", "file.c", 1);
		told[0] = '\0';
		expect(known == 7 ? "" : "site 0: 6 wakes, but 7 by waker\n");
	}
}

TEST(of_threads_that_go_on_there_may_be_more_but_not_less)
{
	begin(0);
	struct stmlog_path_record more = all;
	more.commits++;
	more.aborted_ns += 5;
	writer_path(&writer, &more);
	expect("");
	begin(0);
	more.commits -= 2;
	writer_path(&writer, &more);
	expect("commits of paths: 9, the threads have 10\n");
}

TEST(buckets_sum_to_the_commits_and_these_to_the_threads)
{
	struct stmlog_transaction_record record = ten();
	begin(STMLOG_THREAD_ENDED);
	record.by_attempts[1]++;
	record.by_lost_ns[0]--;
	writer_transaction(&writer, &record);
	expect("transactions 0: 10 commits, but 11 by attempts\ntransactions 0: 10 commits, but 9 by lost time\n");
	begin(STMLOG_THREAD_ENDED);
	record = ten();
	writer_transaction(&writer, &record);
	writer_transaction(&writer, &record);
	expect("commits by site: 20, the threads have 10\n");
}

TEST(reads_are_known_of_commits_only)
{
	struct stmlog_transaction_record record = ten();
	begin(STMLOG_THREAD_ENDED);
	record.reads_known = 10;
	writer_transaction(&writer, &record);
	expect("");
	begin(STMLOG_THREAD_ENDED);
	record.reads_known = 11;
	writer_transaction(&writer, &record);
	expect("transactions 0: 10 commits, but the reads of 11\n");
}

TEST(references_that_lead_nowhere_are_refused)
{
	struct recording recording;
	struct stmlog_transaction_record record = ten();
	begin(0);
	record.site = 0;
	writer_transaction(&writer, &record);
	assert_int_equal(load_written(&recording, &writer), RECORDING_UNUSABLE);
	recording_fini(&recording);
	begin(0);
	writer_path(&writer, &(struct stmlog_path_record){.traceback = 2});
	assert_int_equal(load_written(&recording, &writer), RECORDING_UNUSABLE);
	recording_fini(&recording);
}
