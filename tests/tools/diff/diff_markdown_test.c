/* SPDX-License-Identifier: MIT
 * A comparison as Markdown: its tables, and that names of any bytes stay text. */
#include "usual_diff.h"

#include "text_has.h"

/* Markup, columns and code, links, mentions, an escape, the end of a line, and bytes that are no character of UTF-8. */
static const char hostile[] = "a<b>\"c\"'&d]]>|`e`*_f_@g #1 www.h.i :j: \\\033[1m\n\xef\xbf\xbf\xe2\x80\xae\xff";

/* One place in a function, and one that has lost only in one of the new runs. */
static void save_run(const char *path, const char *function, uint64_t lost_ns, uint64_t small_ns)
{
	OWNED(writer_fini) struct writer writer;
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	writer_info(&writer, "unix_ns=1700000000000000000");
	add_loss(&writer, STMLOG_SELF_ABORT, function, 10, ABORTS, lost_ns);
	add_loss(&writer, STMLOG_SELF_ABORT, "small", 20, 1, small_ns);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1,
				       .attached_ns = 1000000000,
				       .aborted_ns = {lost_ns + small_ns},
				       .outside_ns = 1000000000 - lost_ns - small_ns,
				       .commits = 1000,
				       .aborts = {ABORTS + (small_ns > 0)}});
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, ABORTS + (small_ns > 0), lost_ns + small_ns);
	writer_save(&writer, path);
}

static void compare(const char *function)
{
	diff_begin(&usual, RUNS, RUNS);
	for (size_t i = 0; i < 2 * RUNS; i++) {
		save_run(temp_dir_path("run"), function, i < RUNS ? 1000000 : 1500000, i == RUNS ? 9 : 0);
		load_saved(i < RUNS ? DIFF_OLD : DIFF_NEW);
	}
	assert_true(diff_compare(&diff));
}

static void expect_begins(const char *text, const char *words)
{
	if (strncmp(text, words, strlen(words)) != 0)
		fail_msg("'%s' does not begin: %s", words, text);
}

TEST(markdown_has_the_verdict_the_total_and_a_table)
{
	compare("transfer");
	OWNED(owned_free) char *text = printed(diff_markdown);
	expect_begins(
		text, "### stmlog diff: 2 regressions\n\n- total: 1.0 us -&#62; 1.5 us lost per commit, +50.0 %, p ");
	assert_has(text, "\n\n| ns lost per transaction | old | new | change | p | |\n|:---|---:|---:|---:|---:|:---|\n"
			 "| total | 1.0 us | 1.5 us | +50.0 % | 1e-05 | **WORSE** |\n"
			 "| <code>transfer bank.c:10</code><br>blocked by <code>audit bank.c:60</code><br>"
			 "<code>self-abort, write-write</code> | 1.0 us | 1.5 us | +50.0 % | 1e-05 | **WORSE** |\n");
	assert_has(text, "\n| throughput | 500 | 500 | &#126; | 1.0000 |  |\n");
	assert_has(text, "\n1 more key.\n");
}

TEST(lines_of_which_one_is_meant_are_all_named)
{
	compare("transfer");
	for (size_t i = 0; i < diff.sides[DIFF_NEW].keys.len; i++)
		diff.sides[DIFF_NEW].keys.at[i]->local.frames[0].last_line = 13;
	OWNED(owned_free) char *text = printed(diff_markdown);
	assert_has(text, "<code>transfer bank.c:10-13</code>");
}

TEST(hostile_names_stay_text)
{
	compare(hostile);
	OWNED(owned_free) char *text = printed(diff_markdown);
	assert_has(text,
		"<code>a&#60;b&#62;&#34;c&#34;&#39;&#38;d&#93;&#93;&#62;&#124;&#96;e&#96;&#42;&#95;f&#95;&#64;g &#35;1 "
		"www&#46;h.i &#58;j: &#92;?&#91;1m?\xef\xbf\xbf?\xef\xbf\xbd bank.c:10</code>");
	assert_has_not(text, "`");
}

GROUP_WITH(diff_fixture);
