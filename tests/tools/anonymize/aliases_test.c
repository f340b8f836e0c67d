/* SPDX-License-Identifier: MIT */
#include "anonymize.h"

#include <string.h>

#include "test.h"

static struct aliases aliases;

static void begin(void)
{
	memset(&aliases, 0, sizeof aliases);
}

static void end(void)
{
	aliases_fini(&aliases);
}

static const struct test_fixture empty = {begin, end};

static void assert_alias(enum alias_kind kind, const char *text, const char *expected)
{
	OWNED(owned_free) char *alias = aliases_text(&aliases, kind, text);
	assert_string_equal(alias, expected);
}

TEST_WITH(empty, equal_texts_have_equal_names_and_others_have_others)
{
	assert_alias(ALIAS_FUNCTION, "transfer", "function_1");
	assert_alias(ALIAS_FUNCTION, "audit", "function_2");
	assert_alias(ALIAS_FUNCTION, "transfer", "function_1");
	assert_alias(ALIAS_THREAD, "transfer", "thread_1");
	assert_alias(ALIAS_FUNCTION, "function_1", "function_3");
}

TEST_WITH(empty, the_empty_text_stays)
{
	for (int kind = 0; kind < ALIAS_KINDS; kind++)
		assert_alias((enum alias_kind)kind, "", "");
}

TEST_WITH(empty, the_name_of_each_kind_says_what_it_was)
{
	assert_alias(ALIAS_PROGRAM, "bank", "program_1");
	assert_alias(ALIAS_ARGUMENT, "--fast", "argument_1");
	assert_alias(ALIAS_OPTION, "colour", "option_1");
	assert_alias(ALIAS_VALUE, "/home/me/out", "value_1");
	assert_alias(ALIAS_LABEL, "customer", "label_1");
	assert_alias(ALIAS_WORD, "BACK_OFF", "word_1");
	assert_alias(ALIAS_RUNTIME, "my-stm", "runtime_1");
	assert_alias(ALIAS_NAME, "accounts", "object_1");
}

TEST_WITH(empty, words_that_reports_depend_on_stay)
{
	static const struct {
		enum alias_kind kind;
		const char *text;
	} kept[] = {{ALIAS_WORD, "COMMIT_WAIT"}, {ALIAS_WORD, "LOCKED_READ"}, {ALIAS_WORD, "RETRY_IN_VAIN"},
		{ALIAS_WORD, "ml_wt"}, {ALIAS_WORD, "one OS thread"}, {ALIAS_WORD, "monotonic"},
		{ALIAS_RUNTIME, "libitm"}, {ALIAS_RUNTIME, "ghc"}, {ALIAS_OPTION, "sample"}, {ALIAS_OPTION, "kill"},
		{ALIAS_FUNCTION, "(starved: runs alone after 101 failed attempts)"},
		{ALIAS_FUNCTION, "(preempted: a thread had no processor)"},
		{ALIAS_FUNCTION, "(long: a wait of 0.4 ms or more)"},
		{ALIAS_FUNCTION, "(holder: its write was not recorded)"}, {ALIAS_FUNCTION, "_start"},
		{ALIAS_FIGURE, "0.1.0"}, {ALIAS_VALUE, "4096"}};
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		assert_alias(kept[i].kind, kept[i].text, kept[i].text);
	assert_alias(ALIAS_FUNCTION, "COMMIT_WAIT", "function_1");
	assert_alias(ALIAS_WORD, "COMMIT", "word_1");
	assert_alias(ALIAS_WORD, "COMMIT_WAITS", "word_2");
	assert_alias(ALIAS_ARGUMENT, "4096", "argument_1");
}

TEST_WITH(empty, a_source_file_keeps_its_ending)
{
	assert_alias(ALIAS_FILE, "src/bank.c", "file_1.c");
	assert_alias(ALIAS_FILE, "/src/Bank.hs", "file_2.hs");
	assert_alias(ALIAS_FILE, "bank.secret", "file_3");
	assert_alias(ALIAS_FILE, "bank", "file_4");
	assert_alias(ALIAS_FILE, "bank.c", "file_5.c");
	assert_alias(ALIAS_FILE, "/usr/include/c++/12/bits/stl_map.h", "/include/c++/file_6.h");
}

TEST_WITH(empty, a_library_that_reports_know_keeps_the_beginning_of_its_name)
{
	assert_alias(ALIAS_MODULE, "/usr/lib/libbank.so.1", "module_1");
	assert_alias(ALIAS_MODULE, "/lib/x86_64-linux-gnu/libc.so.6", "module_2/libc.so");
	assert_alias(ALIAS_MODULE, "/opt/gcc/libitm.so.1.0.0", "module_3/libitm.so");
	assert_alias(ALIAS_MODULE, "/opt/libc.so.d/libbank.so", "module_4");
}

TEST_WITH(empty, a_function_of_the_run_time_system_of_ghc_keeps_its_form)
{
	assert_alias(ALIAS_FUNCTION, "stg_atomically_frame_info", "stg_function_1_info");
	assert_alias(ALIAS_FUNCTION, "stg_info", "function_2");
	assert_alias(ALIAS_FUNCTION, "stg_atomically", "function_3");
}

TEST_WITH(empty, the_name_of_an_object_keeps_its_form)
{
	assert_alias(ALIAS_OBJECT, "accounts[16].balance", "object_1[16].object_2");
	assert_alias(ALIAS_OBJECT, "accounts+128", "object_1+128");
	assert_alias(ALIAS_OBJECT, "Book::accounts", "object_3::object_1");
	assert_alias(ALIAS_OBJECT, "TVar #3 of bank-1.0:Types.I#", "TVar #3 of object_4-1.0:object_5.object_6#");
	assert_alias(ALIAS_OBJECT, "  ", "  ");
	assert_alias(ALIAS_OBJECT, "f\xc3\xbcr 4711x", "object_7 object_8");
}

TEST_WITH(empty, each_of_several_runtimes_has_a_name)
{
	assert_alias(ALIAS_RUNTIMES, "libitm", "libitm");
	assert_alias(ALIAS_RUNTIMES, "libitm, my-stm", "libitm, runtime_1");
	assert_alias(ALIAS_RUNTIMES, "my-stm", "runtime_1");
}
