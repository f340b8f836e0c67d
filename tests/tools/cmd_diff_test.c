/* SPDX-License-Identifier: MIT
 * The exit status of the subcommand; tests/tools/diff has what a regression is. */
#include "ran_command.h"

#include "diag.h"
#include "made_runs.h"
#include "page.h"
#include "temp_dir.h"

static const struct made_run slow = {1000, {150000, 0}, 0, {0}, 0}, fast = {1000, {100000, 0}, 0, {0}, 0};

enum { MAX = 20 };

/* Runs `stmlog diff WISH OLD... -- NEW...`, with stdout into `out` and stderr into `told`. */
static int diff(const char *wish, const char *old, size_t old_len, const char *new, size_t new_len)
{
	char name[] = "diff", option[512], paths[2][512], separator[] = "--";
	char *argv[MAX + 4] = {name, option};
	int argc = 2;
	snprintf(option, sizeof option, "%s", wish);
	snprintf(paths[0], sizeof paths[0], "%s", old);
	snprintf(paths[1], sizeof paths[1], "%s", new);
	for (size_t i = 0; i < old_len; i++)
		argv[argc++] = paths[0];
	argv[argc++] = separator;
	for (size_t i = 0; i < new_len; i++)
		argv[argc++] = paths[1];
	return run_command(&cmd_diff, argc, argv);
}

static const char *saved(const char *name, const struct made_run *made)
{
	const char *path = temp_dir_path(name);
	made_run_save(made, path);
	return path;
}

TEST(a_regression_is_status_1_however_it_is_printed)
{
	const char *old = saved("old", &fast), *new = saved("new", &slow);
	assert_int_equal(diff("--strict", old, 4, new, 4), STATUS_VIOLATION);
	assert_non_null(strstr(out, "regression: total: 100 ns -> 150 ns, +50.0 %, p 0.0286\n"));
	assert_non_null(strstr(out, "regression: transfer bank.c:10, blocked by audit bank.c:60: "));
	assert_int_equal(diff("--json", old, 4, new, 4), STATUS_VIOLATION);
	assert_string_equal(told, "");
}

TEST(what_is_no_regression_is_status_0)
{
	const char *old = saved("old", &slow), *new = saved("new", &fast);
	assert_int_equal(diff("--strict", old, 4, new, 4), STATUS_DONE);
	assert_int_equal(diff("--strict", old, 10, old, 10), STATUS_DONE);
	assert_int_equal(diff("--threshold=60%", new, 4, old, 4), STATUS_DONE);
	assert_int_equal(diff("--threshold=0.6", new, 4, old, 4), STATUS_DONE);
	assert_int_equal(diff("--threshold=40%", new, 4, old, 4), STATUS_VIOLATION);
}

TEST(too_few_runs_are_status_3_if_that_matters)
{
	const char *old = saved("old", &fast), *new = saved("new", &slow);
	assert_int_equal(diff("--strict", old, 3, new, 10), STATUS_UNDECIDED);
	assert_int_equal(diff("--alpha=0.05", old, 3, new, 10), STATUS_DONE);
	assert_non_null(strstr(out, "cannot decide"));
}

TEST(a_file_that_cannot_be_read_is_status_2)
{
	const char *old = saved("old", &fast);
	assert_int_equal(diff("--strict", old, 4, temp_dir_path("absent"), 4), STATUS_UNUSABLE);
	assert_string_equal(out, "");
	assert_non_null(strstr(told, "cannot be opened"));
}

/* A command that was built without the page's program says so, and makes none. */
TEST(a_page_is_written_beside_the_text_and_has_the_same_status)
{
	const char *old = saved("old", &fast), *new = saved("new", &slow);
	char wish[512];
	snprintf(wish, sizeof wish, "--html=%s", temp_dir_path("page"));
	int status = diff(wish, old, 4, new, 4);
	if (page_bundle().bytes == NULL) {
		assert_int_equal(status, STATUS_UNUSABLE);
		assert_non_null(strstr(told, "built without its page"));
		assert_string_equal(out, "");
	} else {
		assert_int_equal(status, STATUS_VIOLATION);
		assert_non_null(strstr(out, "regression: total: "));
		assert_string_equal(told, "");
	}
	assert_int_equal(access(temp_dir_path("page"), F_OK), page_bundle().bytes == NULL ? -1 : 0);
}

GROUP_WITH(temp_dir_fixture);
