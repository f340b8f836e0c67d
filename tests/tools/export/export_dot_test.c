/* SPDX-License-Identifier: MIT
 * Who aborts whom, as a graph: names stay within their quotes, and arrows have the width of their share. */
#include "exported.h"

#include "place.h"
#include "text_has.h"

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

TEST(the_sample_has_an_arrow_per_pair_from_the_culprit_to_the_victim)
{
	recording_sample(&writer);
	char *text = exported_now();
	assert_string_equal(text,
		"digraph \"who aborts whom\" {\n"
		"\tgraph [rankdir=LR, labelloc=t, label=\"bank: 6.0 ms lost in 2,057 losses, 5.4 ms of "
		"it to other transactions\"];\n"
		"\tnode [shape=box, style=filled];\n"
		"\tplace2 [label=\"transfer bank.c:61\\nin 86.6 % of the loss\", fillcolor=\"0.07 0.65 1.00\"];\n"
		"\tplace4 [label=\"audit bank.c:85\\nin 19.3 % of the loss\", fillcolor=\"0.07 0.14 1.00\"];\n"
		"\tplace1 [label=\"(no frames)\\nin 4.2 % of the loss\", fillcolor=\"0.07 0.03 1.00\", "
		"style=\"filled,dashed\"];\n"
		"\tapart0_2 [label=\"unknown\", shape=plaintext, style=\"\", fontsize=9, fontcolor=\"#777777\", "
		"width=0, height=0];\n"
		"\tapart0_2 -> place2 [penwidth=8.39, color=\"0.02 0.67 0.65\", label=\"2,000 times\\n4.0 ms (67.2 "
		"%)\"];\n"
		"\tplace2 -> place4 [penwidth=2.85, color=\"0.02 0.17 0.65\", label=\"40 times\\n1.0 ms (16.8 %)\"];\n"
		"\tapart0_1 [label=\"unknown\", shape=plaintext, style=\"\", fontsize=9, fontcolor=\"#777777\", "
		"width=0, height=0];\n"
		"\tapart0_1 -> place1 [penwidth=1.46, color=\"0.02 0.04 0.65\", label=\"5 times\\n250.0 us (4.2 "
		"%)\"];\n"
		"\tplace4 -> place2 [penwidth=1.28, color=\"0.02 0.03 0.65\", label=\"4 times\\n150.0 us (2.5 %)\"];\n"
		"}\n");
	free(text);
}

TEST(an_estimate_is_marked)
{
	recording_sample_weighed(&writer);
	char *text = exported_now();
	assert_has(text, "bank: ~ 95.2 ms (86.9 - 104.2 ms) lost in 2,057 losses measured, ~ 86.4 ms (");
	assert_has(text, "label=\"40 times measured\\n~ 16.0 ms (11.9 - 21.6 ms), 16.8 %");
	free(text);
}

TEST(where_nothing_was_lost_there_are_no_arrows)
{
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_int_equal(count_of(text, "place"), 0);
	assert_has(text, "label=\": 0 ns lost in 0 losses, 0 ns of it");
	free(text);
}

/* Losses of this length: each at a place of its own, because of an unknown transaction. */
static void write_losses(const uint64_t *lost_ns, uint32_t len)
{
	writer_init(&writer);
	for (uint32_t i = 0; i < len; i++) {
		uint32_t site = writer_place(&writer, "f", "a.c", 1 + i);
		uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
		writer_entry(
			&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1, .lost_ns = lost_ns[i]});
		writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 1, lost_ns[i]);
	}
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
}

TEST(of_many_pairs_the_costliest_are_drawn_and_the_others_counted)
{
	uint64_t lost_ns[52];
	for (uint32_t i = 0; i < 52; i++)
		lost_ns[i] = 1000 - i;
	for (uint32_t pairs = 49; pairs <= 52; pairs++) {
		write_losses(lost_ns, pairs);
		char *text = exported_now();
		assert_int_equal(count_of(text, " -> "), pairs < 50 ? pairs : 50);
		assert_int_equal(count_of(text, "not drawn"), pairs > 50);
		assert_int_equal(count_of(text, "label=\"f a.c:51\\n"), 0);
		if (pairs == 51)
			assert_has(text,
				"\\nnot drawn: 1 pair with little of the loss (950 ns in all), and 1 place that is "
				"in no other pair\"];");
		if (pairs == 52)
			assert_has(text,
				"not drawn: 2 pairs with little of the loss (1.9 us in all), and 2 places that are "
				"in no other pair");
		free(text);
	}
}

TEST(pairs_below_half_a_percent_are_not_drawn_nor_places_that_are_in_no_other)
{
	write_losses((const uint64_t[]){98510, 500, 499, 491}, 4);
	char *text = exported_now();
	assert_int_equal(count_of(text, " -> "), 2);
	assert_has(text, "label=\"f a.c:2\\n");
	assert_int_equal(count_of(text, "label=\"f a.c:3\\n"), 0);
	assert_has(text, "not drawn: 2 pairs with little of the loss (990 ns in all), and 2 places that are");
	free(text);
}

TEST(pairs_that_are_too_few_to_say_are_not_drawn)
{
	recording_sample_weighed(&writer);
	char *text = exported_now();
	assert_int_equal(count_of(text, " -> "), 2);
	assert_has(text, "not drawn: 2 pairs with little of the loss (too few to say how much), and 1 place that is");
	free(text);
}

/* A damaged file: the total is less than the entries. */
TEST(shares_are_1_at_max)
{
	write_losses((const uint64_t[]){1000}, 1);
	((struct stmlog_total_record *)(void *)writer.sections[STMLOG_SECTION_TOTALS].bytes)->lost_ns = 10;
	char *text = exported_now();
	assert_has(text, "penwidth=12.00");
	free(text);
}

TEST(an_unknown_culprit_is_a_small_node_for_each_victim)
{
	write_losses((const uint64_t[]){1000, 900, 800}, 3);
	char *text = exported_now();
	assert_int_equal(count_of(text, "[label=\"unknown\", shape=plaintext"), 3);
	assert_int_equal(count_of(text, "label=\"unknown\\n"), 0);
	for (unsigned place = PLACE_FIRST; place < PLACE_FIRST + 3; place++) {
		char node[16], arrow[32];
		snprintf(node, sizeof node, "\tapart0_%u ", place);
		snprintf(arrow, sizeof arrow, "\tapart0_%u -> place%u ", place, place);
		assert_int_equal(count_of(text, node), 2);
		assert_has(text, arrow);
	}
	free(text);
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

TEST(names_stay_within_their_quotes)
{
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
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 12, 11934);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_quotes_close(text);
	assert_int_equal(count_of(text, " -> "), sizeof names / sizeof names[0]);
	assert_has(text, "label=\"\\\"x\\\\?\xef\xbf\xbd: ");
	assert_has(text, "label=\"\\\\N\\\\l \\\\N\\\\l:7\\n");
	assert_has(text, "label=\"&amp;lt;&amp;quot; &amp;lt;&amp;quot;:7\\n");
	free(text);
}
