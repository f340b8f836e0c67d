/* SPDX-License-Identifier: MIT
 * A comparison as JUnit's XML, SARIF and Markdown: which members stand for what, and that names of any bytes stay text.
 * tests/cli/diff.sh has the schemas. */
#include "usual_diff.h"

#include "json_value.h"
#include "temp_dir.h"
#include "text_has.h"

/* Markup, ends of attributes, columns and code, links, mentions, an escape, the end of a line, and bytes that are no
 * character of XML or of UTF-8. */
static const char hostile[] = "a<b>\"c\"'&d]]>|`e`*_f_@g #1 www.h.i :j: \\\033[1m\n\xef\xbf\xbf\xe2\x80\xae\xff";

/* One place in a function, and one that has lost only in one of the new runs. */
static void save_run(const char *path, const char *function, uint64_t lost_ns, uint64_t small_ns)
{
	struct writer writer;
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
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	writer_save(&writer, path);
	writer_fini(&writer);
}

static struct diff compared(const char *function, size_t runs, uint64_t new_ns)
{
	const size_t lens[2] = {runs, runs};
	struct diff diff = diff_init(&usual, lens);
	for (size_t i = 0; i < 2 * runs; i++) {
		const char *path = temp_dir_path("run");
		save_run(path, function, i < runs ? 1000000 : new_ns, i == runs ? 9 : 0);
		assert_true(diff_load(&diff, i < runs ? DIFF_OLD : DIFF_NEW, path));
	}
	assert_true(diff_compare(&diff));
	return diff;
}

static void expect_begins(const char *text, const char *words)
{
	if (strncmp(text, words, strlen(words)) != 0)
		fail_msg("'%s' does not begin: %s", words, text);
}

/* ---- JUnit ---- */

TEST(a_regression_is_a_failure_and_what_is_too_small_is_skipped)
{
	struct diff diff = compared("transfer", RUNS, 1500000);
	char *text = printed(&diff, diff_junit);
	expect_begins(
		text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"stmlog diff\" ");
	assert_has(text, " timestamp=\"2023-11-14T22:13:20\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"1\" "
			 "time=\"20.000000000\">\n");
	assert_has(text,
		"<testcase classname=\"stmlog.diff.lost\" name=\"total\" time=\"0.001500000\">\n"
		"   <failure type=\"regression\" message=\"lost per commit: 1.0 us -&gt; 1.5 us, +50.0 %, p 1e-05\">"
		"transfer, blocked by audit, all causes: 1.0 us -&gt; 1.5 us, +50.0 %, p 1e-05\n</failure>\n");
	assert_has(text,
		" name=\"transfer bank.c, blocked by audit bank.c: self-abort, write-write\" time=\"0.001500000\">\n"
		"   <failure type=\"regression\" message=\"lost per commit: 1.0 us -&gt; 1.5 us, +50.0 %, p 1e-05\">"
		"where\n  transfer /src/bank.c:10\nblocked by\n  audit /src/bank.c:60\n</failure>\n");
	assert_has(text,
		" name=\"small bank.c, blocked by audit bank.c: self-abort, write-write\" time=\"0.000000000\">\n"
		"   <skipped message=\"cannot decide: less is lost here than so few runs can tell\"/>\n");
	free(text);
	diff_fini(&diff);
}

TEST(too_few_runs_skip_each_case)
{
	struct diff diff = compared("transfer", 3, 1500000);
	char *text = printed(&diff, diff_junit);
	assert_has(text, " tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"3\" ");
	assert_has(
		text, " name=\"total\" time=\"0.001500000\">\n   <skipped message=\"cannot decide: fewer than 4 runs ");
	assert_has_not(text, "<failure");
	free(text);
	diff_fini(&diff);
}

/* Two lines of one function that lose to the same one. */
TEST(cases_of_equal_names_are_numbered)
{
	static const struct made_run made = {1000, {100000, 300000}, 0, {0}, 0};
	static const size_t lens[2] = {4, 4};
	const char *path = temp_dir_path("run");
	struct diff diff = diff_init(&usual, lens);
	made_run_save(&made, path);
	for (size_t i = 0; i < 8; i++)
		assert_true(diff_load(&diff, i < 4 ? DIFF_OLD : DIFF_NEW, path));
	assert_true(diff_compare(&diff));
	char *text = printed(&diff, diff_junit);
	assert_has(text,
		" name=\"transfer bank.c, blocked by audit bank.c: self-abort, write-write\" time=\"0.000100000\">");
	assert_has(text,
		" name=\"transfer bank.c, blocked by audit bank.c: self-abort, write-write #2\" time=\"0.000300000\">");
	assert_has(text, " failures=\"0\" ");
	free(text);
	diff_fini(&diff);
}

/* ---- SARIF ---- */

/* Returns the results; the caller ends the log. */
static json_t *results_of(const struct diff *diff, json_t **log)
{
	char *text = printed(diff, diff_sarif);
	*log = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(*log);
	free(text);
	return json_object_get(json_array_get(json_object_get(*log, "runs"), 0), "results");
}

static const char *uri_of(json_t *result, const char *member)
{
	const char *uri = NULL;
	json_unpack(json_array_get(json_object_get(result, member), 0), "{s:{s:{s:s}}}", "physicalLocation",
		"artifactLocation", "uri", &uri);
	return uri;
}

TEST(a_regression_is_a_result_at_its_line)
{
	struct diff diff = compared("transfer", RUNS, 1500000);
	json_t *log, *results = results_of(&diff, &log);
	const char *rule, *text, *fingerprint, *function;
	int line, other;
	assert_int_equal(json_array_size(results), 2);
	assert_int_equal(json_unpack(json_array_get(results, 0), "{s:s, s:[{s:{s:{s:i}}}]}", "ruleId", &rule,
				 "locations", "physicalLocation", "region", "startLine", &line),
		0);
	assert_string_equal(rule, "stmlog/total");
	assert_int_equal(line, 10);
	assert_int_equal(
		json_unpack(json_array_get(results, 1),
			"{s:s, s:{s:s}, s:[{s:{s:{s:i}}, s:[{s:s}]}], s:[{s:{s:{s:i}}}], s:{s:s}}", "ruleId", &rule,
			"message", "text", &text, "locations", "physicalLocation", "region", "startLine", &line,
			"logicalLocations", "fullyQualifiedName", &function, "relatedLocations", "physicalLocation",
			"region", "startLine", &other, "partialFingerprints", "stmlogKey/v1", &fingerprint),
		0);
	assert_string_equal(rule, "stmlog/place");
	assert_string_equal(text, "transfer bank.c:10, blocked by audit bank.c:60: self-abort, write-write: lost per "
				  "commit 1.0 us -> 1.5 us, +50.0 %, p 1e-05");
	assert_string_equal(fingerprint, "transfer bank.c, blocked by audit bank.c: self-abort, write-write");
	assert_string_equal(function, "transfer");
	assert_true(line == 10 && other == 60);
	assert_string_equal(uri_of(json_array_get(results, 1), "locations"), "file:///src/bank.c");
	json_decref(log);
	diff_fini(&diff);
}

TEST(lines_of_which_one_is_meant_are_all_named)
{
	struct diff diff = compared("transfer", RUNS, 1500000);
	for (size_t i = 0; i < diff.sides[DIFF_NEW].keys.len; i++)
		diff.sides[DIFF_NEW].keys.at[i]->local.frames[0].last_line = 13;
	char *junit = printed(&diff, diff_junit);
	assert_has(junit, "where\n  transfer /src/bank.c:10-13\n");
	free(junit);
	json_t *log, *results = results_of(&diff, &log);
	int line, last;
	assert_int_equal(json_unpack(json_array_get(results, 1), "{s:[{s:{s:{s:i, s:i}}}]}", "locations",
				 "physicalLocation", "region", "startLine", &line, "endLine", &last),
		0);
	assert_true(line == 10 && last == 13);
	json_decref(log);
	diff_fini(&diff);
}

TEST(without_a_regression_there_is_no_result)
{
	struct diff diff = compared("transfer", RUNS, 1000000);
	json_t *log, *results = results_of(&diff, &log);
	assert_true(json_is_array(results));
	assert_int_equal(json_array_size(results), 0);
	json_decref(log);
	diff_fini(&diff);
}

/* The file of the recording is /src/bank.c. */
TEST(a_file_below_srcdir_is_named_relative_to_it)
{
	struct diff diff = compared("transfer", RUNS, 1500000);
	char command[900], directory[400];
	snprintf(directory, sizeof directory, "%s", temp_dir_path("a b"));
	snprintf(command, sizeof command, "mkdir -p '%s/src' && : >'%s/src/bank.c'", directory, directory);
	assert_int_equal(system(command), 0);
	diff.options.srcdir = directory;
	json_t *log, *results = results_of(&diff, &log);
	assert_string_equal(uri_of(json_array_get(results, 1), "locations"), "src/bank.c");
	assert_string_equal(uri_of(json_array_get(results, 1), "relatedLocations"), "src/bank.c");
	json_decref(log);
	diff.options.srcdir = temp_dir_path(".");
	results = results_of(&diff, &log);
	assert_string_equal(uri_of(json_array_get(results, 1), "locations"), "file:///src/bank.c");
	json_decref(log);
	diff_fini(&diff);
}

TEST(too_few_runs_are_a_notification)
{
	struct diff diff = compared("transfer", 3, 1500000);
	json_t *log, *results = results_of(&diff, &log);
	const char *level;
	assert_int_equal(json_array_size(results), 0);
	assert_int_equal(json_unpack(log, "{s:[{s:[{s:[{s:s}]}]}]}", "runs", "invocations",
				 "toolExecutionNotifications", "level", &level),
		0);
	assert_string_equal(level, "warning");
	json_decref(log);
	diff_fini(&diff);
}

/* ---- Markdown ---- */

TEST(markdown_has_the_verdict_the_total_and_a_table)
{
	struct diff diff = compared("transfer", RUNS, 1500000);
	char *text = printed(&diff, diff_markdown);
	expect_begins(
		text, "### stmlog diff: 2 regressions\n\n- total: 1.0 us -&#62; 1.5 us lost per commit, +50.0 %, p ");
	assert_has(text, "\n\n| ns lost per transaction | old | new | change | p | |\n|:---|---:|---:|---:|---:|:---|\n"
			 "| total | 1.0 us | 1.5 us | +50.0 % | 1e-05 | **WORSE** |\n"
			 "| <code>transfer bank.c:10</code><br>blocked by <code>audit bank.c:60</code><br>"
			 "<code>self-abort, write-write</code> | 1.0 us | 1.5 us | +50.0 % | 1e-05 | **WORSE** |\n");
	assert_has(text, "\n| throughput | 500 | 500 | &#126; | 1.0000 |  |\n");
	assert_has(text, "\n1 more key.\n");
	free(text);
	diff_fini(&diff);
}

/* ---- names of any bytes ---- */

TEST(hostile_names_stay_text)
{
	struct diff diff = compared(hostile, RUNS, 1500000);
	char *text = printed(&diff, diff_junit);
	assert_has(text,
		" name=\"a&lt;b&gt;&quot;c&quot;&#39;&amp;d]]&gt;|`e`*_f_@g #1 www.h.i :j: \\?[1m???\xef\xbf\xbd "
		"bank.c, ");
	free(text);
	text = printed(&diff, diff_markdown);
	assert_has(text,
		"<code>a&#60;b&#62;&#34;c&#34;&#39;&#38;d&#93;&#93;&#62;&#124;&#96;e&#96;&#42;&#95;f&#95;&#64;g &#35;1 "
		"www&#46;h.i &#58;j: &#92;?&#91;1m?\xef\xbf\xbf?\xef\xbf\xbd bank.c:10</code>");
	assert_has_not(text, "`");
	free(text);
	text = printed(&diff, diff_sarif);
	for (const char *at = text; *at != '\0'; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
	free(text);
	diff_fini(&diff);
}

GROUP_WITH(temp_dir_fixture);
