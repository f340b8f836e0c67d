/* SPDX-License-Identifier: MIT
 * What a report says of hardware transactions. */
#include "report_words.h"

static const char *const not_reported =
	"libitm reports neither aborts nor waits of hardware transactions: their time is among that committed\n";

/* The sample's own losses are none of htm: the row that has one is shown. */
TEST(commits_in_hardware_and_without_have_a_line)
{
	recording_sample_hardware(&writer);
	expect_words(plain,
		(const char *const[]){"(pid 4711): libitm htm, 2 threads on 2 processors, 2.00 s, clock monotonic\n",
			"\nhardware: 60,622 commits, fallbacks 612 = 1.0 % of transactions\n", not_reported, NULL});
}

static void one_transaction_without_a_loss(const char *method)
{
	writer_init(&writer);
	writer_info(&writer, method);
	writer_thread(
		&writer, &(struct stmlog_thread_record){.id = 1, .attached_ns = 1, .committed_ns = 1, .commits = 1});
}

TEST(losses_that_nobody_sees_are_not_called_none)
{
	static const char *const rows[] = {
		"\naborted      not known", "\npaused       not known", "\nwaiting      not known"};
	for (int is_hardware = 0; is_hardware < 2; is_hardware++) {
		one_transaction_without_a_loss(is_hardware ? "method=htm" : "method=ml_wt");
		OWNED(owned_free) char *text = text_of(plain);
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
			assert_int_equal(strstr(text, rows[i]) != NULL, is_hardware);
		assert_int_equal(strstr(text, not_reported) != NULL, is_hardware);
		assert_int_equal(strstr(text, "Nothing was lost") != NULL, !is_hardware);
		assert_int_equal(strstr(text, " attempts per second") != NULL, !is_hardware);
		assert_null(strstr(text, "hardware: "));
	}
}

/* Nothing is called exact there. */
TEST(aborts_that_nobody_sees_are_not_counted_exactly)
{
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	expect_words(
		plain, (const char *const[]){"\ncounts of commits and aborts are exact, of all transactions\n", NULL});
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	writer_info(&writer, "method=htm");
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "exact"));
}
