/* SPDX-License-Identifier: MIT
 * Who aborts whom, as a graph: names stay within their quotes, and arrows have the width of their share. */
#include "exported.h"

static struct writer writer;

static char *exported_now(void)
{
	return exported_text(&writer, "dot");
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;
	for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
		count++;
	return count;
}

static void assert_has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no '%s' in:\n%s", part, text);
}

static void the_sample_has_an_arrow_per_pair_from_the_culprit_to_the_victim(void **state)
{
	(void)state;
	recording_sample(&writer);
	char *text = exported_now();
	assert_string_equal(text,
		"digraph \"who aborts whom\" {\n"
		"\tgraph [rankdir=LR, labelloc=t, label=\"bank: 5.5 ms lost in 2,057 losses, 5.4 ms of "
		"it to other transactions\"];\n"
		"\tnode [shape=box];\n"
		"\tplace0 [label=\"unknown\", style=dashed];\n"
		"\tplace1 [label=\"(no frames)\", style=dashed];\n"
		"\tplace2 [label=\"transfer bank.c:61\"];\n"
		"\tplace4 [label=\"audit bank.c:85\"];\n"
		"\tplace0 -> place2 [penwidth=8.93, label=\"2,000 times\\n4.0 ms (72.1 %)\"];\n"
		"\tplace2 -> place4 [penwidth=2.98, label=\"40 times\\n1.0 ms (18.0 %)\"];\n"
		"\tplace0 -> place1 [penwidth=1.50, label=\"5 times\\n250.0 us (4.5 %)\"];\n"
		"\tplace4 -> place2 [penwidth=1.30, label=\"4 times\\n150.0 us (2.7 %)\"];\n"
		"}\n");
	free(text);
}

static void an_estimate_is_marked(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	char *text = exported_now();
	assert_has(text, "bank: ~ 88.8 ms (77.8 - 101.4 ms) lost in 2,057 losses measured, ~ 86.4 ms (");
	assert_has(text, "label=\"40 times measured\\n~ 16.0 ms (11.9 - 21.6 ms), 18.0 %");
	free(text);
}

static void where_nothing_was_lost_there_are_no_arrows(void **state)
{
	(void)state;
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_int_equal(count_of(text, "place"), 0);
	assert_has(text, "label=\": 0 ns lost in 0 losses, 0 ns of it");
	free(text);
}

static void write_pairs(uint32_t pairs)
{
	writer_init(&writer);
	for (uint32_t i = 0; i < pairs; i++) {
		uint32_t site = writer_place(&writer, "f", "a.c", 1 + i);
		uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
		writer_entry(
			&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1, .lost_ns = 1000 - i});
	}
	/* A damaged file: the total is less than the entries. Shares are limited to 1. */
	writer_total(&writer, 0, 0, 1, 10);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
}

static void of_many_pairs_the_costliest_are_drawn_and_the_others_counted(void **state)
{
	(void)state;
	for (uint32_t pairs = 99; pairs <= 102; pairs++) {
		char expected[64];
		write_pairs(pairs);
		char *text = exported_now();
		snprintf(expected, sizeof expected, "; %u pairs that lost less are not drawn", pairs - 100);
		assert_int_equal(count_of(text, " -> "), pairs < 100 ? pairs : 100);
		assert_int_equal(count_of(text, "not drawn"), pairs > 100);
		if (pairs > 100)
			assert_has(text, expected);
		assert_int_equal(count_of(text, "penwidth=12.00"), count_of(text, " -> "));
		assert_int_equal(count_of(text, "label=\"f a.c:101\""), 0);
		free(text);
	}
}

/* Quotes without a backslash come in pairs in each line. */
static void assert_quotes_close(const char *text)
{
	bool is_open = false;
	for (const char *at = text; *at != '\0'; at++) {
		if (is_open && *at == '\\' && at[1] != '\0')
			at++;
		else if (*at == '"')
			is_open = !is_open;
		assert_false(is_open && (unsigned char)*at < 0x20);
	}
	assert_false(is_open);
}

static void names_stay_within_their_quotes(void **state)
{
	(void)state;
	static const char *const names[] = {"a\"b", "\"];x->y", "new\nline", "back\\", "\\\"", "\\N\\l", "&lt;&quot;",
		"\x01\x1b\x7f", "\xff\xfe", "\xc3(", "", "</title>"};
	writer_init(&writer);
	writer_info(&writer, "program=/bin/\"x\\\n\xff");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint32_t site = writer_place(&writer, names[i], names[i], 7);
		uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
		writer_entry(
			&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1, .lost_ns = 1000 - i});
	}
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_quotes_close(text);
	assert_int_equal(count_of(text, " -> "), sizeof names / sizeof names[0]);
	assert_has(text, "label=\"\\\"x\\\\?\xef\xbf\xbd: ");
	assert_has(text, "label=\"\\\\N\\\\l \\\\N\\\\l:7\"");
	assert_has(text, "label=\"&amp;lt;&amp;quot; &amp;lt;&amp;quot;:7\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_has_an_arrow_per_pair_from_the_culprit_to_the_victim),
		cmocka_unit_test(an_estimate_is_marked),
		cmocka_unit_test(where_nothing_was_lost_there_are_no_arrows),
		cmocka_unit_test(of_many_pairs_the_costliest_are_drawn_and_the_others_counted),
		cmocka_unit_test(names_stay_within_their_quotes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
