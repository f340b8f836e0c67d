/* SPDX-License-Identifier: MIT
 * The text of a comparison: its first lines, how many keys, and how wide. */
#include "made_sides.h"

/* Places in as many functions, of which the last loses more on the new side. */
static void save_places(uint64_t last_ns)
{
	enum { PLACES = 13 };
	OWNED(writer_fini) struct writer writer;
	char function[16];
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = 1000});
	for (uint32_t i = 0; i < PLACES; i++) {
		snprintf(function, sizeof function, "f%u", i);
		add_loss(&writer, STMLOG_SELF_ABORT, function, i, 1, i + 1 < PLACES ? 5000 : last_ns);
	}
	writer_save(&writer, temp_dir_path("run"));
}

static void load_places(const struct diff_options *options, uint64_t old_ns, uint64_t new_ns)
{
	diff_begin(options, RUNS, RUNS);
	for (size_t i = 0; i < 2 * RUNS; i++) {
		save_places(i < RUNS ? old_ns : new_ns);
		load_saved(i < RUNS ? DIFF_OLD : DIFF_NEW);
	}
}

TEST(of_what_does_not_differ_a_little_is_shown)
{
	load_places(&usual, 100, 200);
	assert_true(diff_compare(&diff));
	assert_int_equal(diff.worse, 1);
	expect_printed("\n3 more keys: --top=13\n");
	expect_printed("regression: f12 bank.c:12, blocked by audit bank.c:62");
}

/* Each line of the text has at most so many characters. */
static void expect_width(size_t width)
{
	OWNED(owned_free) char *text = printed(diff_text);
	for (const char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (strlen(line) > width)
			fail_msg("%zu columns: %s", strlen(line), line);
	}
}

static void expect_no_cut(void)
{
	OWNED(owned_free) char *text = printed(diff_text);
	assert_null(strstr(text, ".."));
}

TEST(long_names_are_folded_at_80_columns_and_not_cut)
{
	diff_begin(&usual, RUNS, RUNS);
	char name[900];
	for (size_t i = 0; i < sizeof name; i++)
		name[i] = i % 90 < 85 ? 'x' : ' ';
	name[sizeof name - 1] = '\0';
	for (size_t i = 0; i < 2 * RUNS; i++) {
		struct writer writer;
		const char *path = temp_dir_path("run");
		writer_init(&writer);
		writer_info(&writer, "wall_ns=2000000000");
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = 1000});
		add_loss(&writer, STMLOG_SELF_ABORT, name, 10, 1, i < RUNS ? 5000 : 9000);
		writer_save(&writer, path);
		writer_fini(&writer);
		load_saved(i < RUNS ? DIFF_OLD : DIFF_NEW);
	}
	assert_true(diff_compare(&diff));
	assert_int_equal(diff.worse, 1);
	expect_width(80);
	expect_no_cut();
}

/* Of the total and of each key, the worse ones first. */
TEST(the_total_is_the_first_line_and_ten_keys_are_enough)
{
	static const char head[] = "total: 60 ns -> 100 ns lost per commit, +66.7 %, p ";
	struct diff_options all = usual;
	all.top = 99;
	all.has_top = true;
	for (int is_all = 0; is_all < 2; is_all++) {
		load_places(is_all ? &all : &usual, 5000, 9000);
		for (int side = 0; side < 2; side++)
			for (size_t i = 0; i < RUNS; i++)
				diff.sides[side].runs[i].lost_ns = side == DIFF_OLD ? 60000 : 100000;
		assert_true(diff_compare(&diff));
		OWNED(owned_free) char *text = printed(diff_text);
		assert_int_equal(strncmp(text, head, strlen(head)), 0);
		assert_non_null(
			strstr(text, ": WORSE\nthroughput: 500 -> 500 commits/s, p 1.0000: not significant\n\n"));
		assert_non_null(strstr(text, "\n  1.      5 ns ->      9 ns   +80.0 %  p "));
		assert_non_null(strstr(text, "\n 10. "));
		assert_int_equal(strstr(text, "\n 11. ") != NULL, is_all);
		assert_int_equal(strstr(text, "\n3 more keys: --top=13\n") == NULL, is_all);
	}
}

/* The last of 13 places loses a thousandth of what the others lose. */
TEST(keys_that_are_too_small_are_said_to_be)
{
	load_places(&usual, 5, 8);
	assert_true(diff_compare(&diff));
	assert_int_equal(diff.worse, 0);
	expect_printed("1 of 13 keys is too small to be significant alone: less than 0.022 % of the sum of all "
		       "keys\n");
	OWNED(owned_free) char *text = printed(diff_json);
	json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int keys;
	double below, weight;
	assert_int_equal(json_unpack(json, "{s:{s:i, s:F}, s:[{s:F}]}", "too_small", "keys", &keys, "below", &below,
				 "keys", "weight", &weight),
		0);
	assert_true(keys == 1 && below > 0.0002 && below < 0.0003 && weight < below);
}

/* Half of the runs lose at one line of a function, the others at another one. */
TEST(a_loss_that_moves_between_lines_is_told_by_function)
{
	diff_begin(&usual, RUNS, RUNS);
	for (size_t i = 0; i < 2 * RUNS; i++) {
		struct made_run made = {.commits = 1000};
		const char *path = temp_dir_path("run");
		made.lost_ns[i % 2] = (i < RUNS ? 100000 : 150000) + 100 * (i % RUNS);
		made_run_save(&made, path);
		load_saved(i < RUNS ? DIFF_OLD : DIFF_NEW);
	}
	assert_true(diff_compare(&diff));
	assert_int_equal(diff.len, 2);
	assert_true(diff.rows[0].verdict == DIFF_UNCLEAR && diff.rows[1].verdict == DIFF_UNCLEAR);
	assert_int_equal(diff.pairs_len, 1);
	assert_int_equal(diff.pairs[0].verdict, DIFF_WORSE);
	assert_int_equal(diff.worse, 1);
	expect_printed("regression: transfer, blocked by audit, all causes: 100 ns -> 150 ns, +49.8 %, p ");
	OWNED(owned_free) char *text = printed(diff_json);
	json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *local, *remote, *verdict;
	assert_int_equal(json_unpack(json, "{s:[{s:s, s:s, s:s}]}", "pairs", "local", &local, "remote", &remote,
				 "verdict", &verdict),
		0);
	assert_string_equal(local, "transfer");
	assert_string_equal(remote, "audit");
	assert_string_equal(verdict, "worse");
}

/* What transfer() loses more, rest() loses less. */
TEST(functions_have_no_verdict_unless_the_total_is_worse)
{
	static const struct made_run sides[] = {
		{1000, {100000, 0}, 500000, {0}, 0}, {1000, {150000, 0}, 450000, {0}, 0}};
	compare(&usual, sides);
	assert_int_equal(diff.whole.verdict, DIFF_UNCLEAR);
	assert_int_equal(diff.pairs_len, 2);
	for (size_t i = 0; i < diff.pairs_len; i++) {
		assert_true(diff.pairs[i].p < 0.05);
		assert_int_equal(diff.pairs[i].verdict, DIFF_UNCLEAR);
	}
	assert_int_equal(diff.worse, 1);
}

/* With a run more there is a p, and an interval of the side that has two. */
TEST(with_one_run_a_side_there_is_neither_p_nor_interval)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {150000, 0}, 0, {0}, 0}};
	static void (*const formats[])(const struct diff *diff, FILE *out) = {diff_text, diff_markdown};
	load(&usual, sides, 1, 1);
	assert_true(diff_compare(&diff));
	for (size_t i = 0; i < 2; i++) {
		OWNED(owned_free) char *text = printed(formats[i]);
		assert_null(strstr(text, "1.0000"));
		assert_null(strstr(text, "["));
	}
	expect_printed("total: 100 ns -> 150 ns lost per commit: undecided\n");
	load(&usual, sides, 1, 2);
	assert_true(diff_compare(&diff));
	expect_printed("total: 100 ns -> 151 ns lost per commit, p 0.6667: undecided\n");
	expect_printed("medians: old 100 ns, new 151 ns [150 ns, 152 ns]");
}

TEST(the_lines_of_the_verdict_are_neither_folded_nor_coloured)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {150000, 0}, 0, {0}, 0}};
	compare(&usual, sides);
	file_printer_choose(COLOUR_ALWAYS);
	OWNED(owned_free) char *text = printed(diff_text_verdict);
	file_printer_choose(COLOUR_AUTO);
	assert_has(text, "total: 104 ns -> 157 ns lost per commit, +50.0 %, p ");
	assert_has(text, "\nregression: transfer bank.c:10, blocked by audit bank.c:60: self-abort, write-write: 104 "
			 "ns -> 157 ns");
	assert_null(strchr(text, '\033'));
}

GROUP_WITH(diff_fixture);
