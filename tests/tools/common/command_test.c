/* SPDX-License-Identifier: MIT
 * Words that no table of a subcommand has. */
#include <string.h>

#include "capture_stderr.h"
#include "command.h"
#include "test.h"

/* ---- mistyped words ---- */

static const char *best(const char *typed)
{
	static const char *const words[] = {"record", "report", "export", "merge", "diff", "check", "info", "help"};
	static struct similar similar;
	similar = similar_to(typed, strlen(typed));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		similar_try(&similar, words[i]);
	return similar.best;
}

TEST(one_slip_of_the_fingers_is_understood)
{
	assert_string_equal(best("reprot"), "report");
	assert_string_equal(best("reort"), "report");
	assert_string_equal(best("reporrt"), "report");
	assert_string_equal(best("rexord"), "record");
	assert_string_equal(best("idff"), "diff");
	assert_string_equal(best("chekc"), "check");
}

TEST(a_beginning_is_similar)
{
	assert_string_equal(best("exp"), "export");
	assert_string_equal(best("in"), "info");
}

TEST(other_words_are_not_similar)
{
	assert_string_equal(best("nonsense"), "");
	assert_string_equal(best("html"), "");
	assert_string_equal(best("x"), "");
	assert_string_equal(best(""), "");
	assert_string_equal(best("reportreportreportreportreportreport"), "");
}

TEST(the_max_similar_word_wins_whatever_the_order)
{
	struct similar similar = similar_to("reportt", 7);
	similar_try(&similar, "reports");
	similar_try(&similar, "report");
	assert_string_equal(similar.best, "reports");
	similar = similar_to("sites", 5);
	similar_try(&similar, "site");
	similar_try(&similar, "sites");
	assert_string_equal(similar.best, "sites");
}

TEST(only_the_letters_that_count_are_compared)
{
	struct similar similar = similar_to("tpo=5", 3);
	similar_try(&similar, "top");
	assert_string_equal(similar.best, "top");
}

TEST(long_words_are_no_harm)
{
	char typed[100], word[100];
	memset(typed, 'a', sizeof typed);
	memset(word, 'a', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	for (size_t len = 0; len <= sizeof typed; len++) {
		struct similar similar = similar_to(typed, len);
		for (size_t i = 0; i < sizeof word; i++)
			similar_try(&similar, word + i);
		assert_true(strlen(similar.best) <= SIMILAR_LONGEST);
	}
}

/* ---- words of earlier versions ---- */

static char told[1024];

static bool refuses(const char *command, const char *word)
{
	capture_stderr_begin();
	bool is_refused = removed_refuse(command, word, strcspn(word, " "));
	capture_stderr_end(told, sizeof told);
	return is_refused;
}

TEST(a_removed_command_is_refused_with_its_replacement)
{
	assert_true(refuses("predict", ""));
	assert_string_equal(told,
		"stmlog: predict has been removed; 'stmlog try -- COMMAND' measures the program with other settings\n");
}

TEST(a_removed_option_is_refused_with_its_replacement)
{
	assert_true(refuses("record", "--no-gain behind"));
	assert_string_equal(
		told, "stmlog: record: --no-gain has been removed; leave it out, since record replays nothing\n");
}

TEST(other_words_are_left_to_the_caller)
{
	static const char *const words[][2] = {{"record", ""}, {"nonsense", ""}, {"record", "--no-gai"},
		{"record", "--no-gain=x"}, {"try", "--no-gain"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		assert_false(refuses(words[i][0], words[i][1]));
		assert_string_equal(told, "");
	}
}
