/* SPDX-License-Identifier: MIT
 * What a report says of hardware transactions. */
#include "report_words.h"

#include "built_module.h"
#include "temp_dir.h"

TEST(hardware_transactions_have_a_line)
{
	recording_sample_hardware(&writer);
	expect_words(plain,
		(const char *const[]){"(pid 4711): libitm htm, 2 threads on 2 processors, 2.00 s, clock monotonic\n",
			"\nhardware: 70,000 attempts, aborted 2,052 (conflict 1,500, lock held 400, capacity 100, "
			"unfriendly 52), fallbacks 612 = 1.0 % of transactions\n",
			NULL});
}

TEST(hardware_that_did_nothing_has_done_nothing)
{
	writer_init(&writer);
	writer_info(&writer, "hardware_attempts=0");
	writer_info(&writer, "processors=1");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .attached_ns = 1, .open_ns = 1});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	expect_words(plain, (const char *const[]){"1 thread on 1 processor, ",
				    "\nhardware: 0 attempts, aborted 0, fallbacks 0\n", NULL});
}

/* Nothing is called exact there. */
TEST(hardware_that_nobody_has_counted_is_missing)
{
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	expect_words(
		plain, (const char *const[]){"\ncounts of commits and aborts are exact, of all transactions\n", NULL});
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	writer_info(&writer, "method=htm");
	char *text = text_of(plain);
	assert_non_null(strstr(text, "\naborts of hardware transactions are missing, and their time is among that "
				     "committed: nobody has seen them\n"));
	assert_null(strstr(text, "exact"));
	assert_null(strstr(text, "hardware: "));
	free(text);
	recording_sample(&writer);
	writer_info(&writer, "passive=1");
	writer_info(&writer, "method=htm");
	expect_words(
		plain, (const char *const[]){"\naborts of hardware transactions are missing: they leave no counts in "
					     "libitm\n",
			       NULL});
}

/* A module of the test's own making, in which a place loses nearly all its attempts for no reason of the hardware's. */
TEST_WITH(temp_dir_fixture, lazy_binding_is_suspected_where_it_may_be)
{
	const char *path = temp_dir_path("lazy.so");
	built_module(path, "extern void free(void *); void drop(void *p) { free(p); }", "-Wl,-z,lazy");
	for (int bind_now = 0; bind_now < 2; bind_now++) {
		recording_sample_hardware(&writer);
		writer_info(&writer, bind_now ? "bind_now=1" : "bind_now=0");
		struct stmlog_module_record module = {.start = 16, .end = 4096, .path = writer_string(&writer, path)};
		struct stmlog_site_record site = {
			.kind = STMLOG_SITE_PLACE, .module = writer_module(&writer, &module), .code = 1, .line = 33};
		site.function = writer_string(&writer, "drop");
		site.file = writer_string(&writer, "src/list.c");
		uint32_t where = writer_traceback(&writer, (uint32_t[]){writer_site(&writer, &site)}, 1, 0);
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_NONE,
					      .detail = writer_string(&writer, "HTM_UNFRIENDLY"),
					      .local = where,
					      .count = 39,
					      .lost_ns = 1});
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_DATA,
					      .detail = writer_string(&writer, "HTM_CONFLICT"),
					      .local = where,
					      .count = 1,
					      .lost_ns = 1});
		char *text = text_of(plain);
		const char *hint = strstr(text, "\nhint: 97.5 % of the aborts at list.c:33 drop are of a kind that");
		assert_true((hint != NULL) == (bind_now == 0));
		assert_true((strstr(text, "LD_BIND_NOW=1\n") != NULL) == (bind_now == 0));
		/* The finding needs a tenth of the hardware's aborts. */
		assert_true((strstr(text, "maybe lazy binding (98 % of HTM aborts): list.c:33 drop\n") != NULL) ==
			    (bind_now == 0));
		free(text);
	}
}
