/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "capture_stderr.h"
#include "removed.h"
#include "test.h"

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
