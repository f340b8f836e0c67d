/* SPDX-License-Identifier: MIT
 * Which file on this machine is the source of a recorded path, and the statements of its lines. */
#include "loaded.h"

#include <sys/stat.h>
#include <unistd.h>

#include "source_file.h"
#include "temp_dir.h"

static char top[400];

/* Below the test's directory; valid until the fourth call from now. */
static const char *at(const char *name)
{
	static char paths[4][600];
	static size_t next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", top, name);
	return path;
}

static void write_file(const char *name, const char *bytes, size_t len)
{
	FILE *file = fopen(at(name), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

static void set_up(void)
{
	temp_dir_set_up();
	snprintf(top, sizeof top, "%s", temp_dir);
	mkdir(at("src"), 0700);
	mkdir(at("src/deep"), 0700);
	mkdir(at("src/folder.c"), 0700);
	write_file("src/deep/a.c", "deep", 4);
	write_file("src/a.c", "a", 1);
	write_file("outside.c", "outside", 7);
	assert_int_equal(mkfifo(at("src/fifo.c"), 0600), 0);
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

static void expect_found(const char *path, const char *srcdir, const char *expected)
{
	OWNED(owned_free) char *found = source_find(path, srcdir);
	if (expected == NULL)
		assert_null(found);
	else
		assert_string_equal(found, expected);
}

static void expect_relative(const char *path, const char *base, const char *expected)
{
	OWNED(owned_free) char *relative = source_relative(path, base);
	assert_string_equal(relative, expected);
}

TEST(a_relative_path_is_one_of_the_directory_of_its_unit)
{
	char *path = source_path("src/a.c", "/build");
	assert_string_equal(path, "/build/src/a.c");
	free(path);
	path = source_path("/src/a.c", "/build");
	assert_string_equal(path, "/src/a.c");
	free(path);
	path = source_path("a.c", NULL);
	assert_string_equal(path, "a.c");
	free(path);
}

TEST(the_longest_end_of_a_path_is_found_below_srcdir)
{
	expect_found("/gone/app/deep/a.c", at("src"), at("src/deep/a.c"));
	expect_found("/gone/app/other/a.c", at("src"), at("src/a.c"));
	expect_found("a.c", at("src"), at("src/a.c"));
	expect_found("/gone/none.c", at("src"), NULL);
}

TEST(a_file_that_is_named_as_no_source_is_not_found)
{
	write_file("secret", "x", 1);
	write_file("secret.key", "x", 1);
	assert_int_equal(symlink(at("secret"), at("src/link.c")), 0);
	expect_found(at("secret"), NULL, NULL);
	expect_found(at("secret.key"), NULL, NULL);
	expect_found("/gone/secret", top, NULL);
	expect_found(at("src/link.c"), NULL, NULL);
	expect_found("/gone/link.c", at("src"), NULL);
	mkdir(at("include"), 0700);
	write_file("include/vector", "x", 1);
	expect_found(at("include/vector"), NULL, at("include/vector"));
}

TEST(elsewhere_it_is_the_recorded_path)
{
	expect_found(at("outside.c"), at("src"), at("outside.c"));
	expect_found(at("outside.c"), NULL, at("outside.c"));
	expect_found("/gone/a.c", NULL, NULL);
}

TEST(nothing_beside_srcdir_is_found_by_going_up)
{
	expect_found("/gone/../outside.c", at("src"), NULL);
	expect_found("..", at("src"), NULL);
	expect_found("/gone/../deep/a.c", at("src"), at("src/deep/a.c"));
	expect_found("", at("src"), NULL);
	expect_found("/", at("src"), NULL);
}

TEST(only_regular_files_are_found)
{
	expect_found("/gone/fifo.c", at("src"), NULL);
	expect_found("/gone/folder.c", at("src"), NULL);
	expect_found("/dev/null", NULL, NULL);
}

TEST(a_path_below_the_base_is_named_without_it)
{
	expect_relative(at("src/deep/a.c"), top, "src/deep/a.c");
	expect_relative(at("src/deep/../a.c"), top, "src/a.c");
	expect_relative("/gone/deep/a.c", at("src"), "deep/a.c");
	expect_relative(at("gone/a.c"), top, "gone/a.c");
	expect_relative("/gone/b.c", top, "/gone/b.c");
	expect_relative("../b.c", top, "../b.c");
	expect_relative("/gone/b.c", at("none"), "/gone/b.c");
}

TEST(a_text_has_the_lines_of_the_file)
{
	static const struct {
		const char *bytes;
		size_t bytes_len, len;
		const char *last;
	} rows[] = {{"", 0, 0, ""}, {"one", 3, 1, "one"}, {"one\n", 4, 1, "one"}, {"one\ntwo", 7, 2, "two"},
		{"one\n\n", 5, 2, ""}, {"a\nb\0c\n", 6, 2, "b"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		OWNED(source_fini) struct source_text text;
		write_file("text", rows[i].bytes, rows[i].bytes_len);
		assert_null(source_read(&text, at("text")));
		assert_int_equal(text.len, rows[i].len);
		if (text.len > 0)
			assert_string_equal(text.lines[text.len - 1], rows[i].last);
	}
}

/* A file with a hole takes no room. */
TEST(what_is_no_source_is_not_read)
{
	struct source_text text;
	assert_non_null(source_read(&text, at("none")));
	assert_non_null(source_read(&text, at("src/fifo.c")));
	assert_non_null(source_read(&text, at("src")));
	write_file("long", "", 0);
	assert_int_equal(truncate(at("long"), (off_t)1 << 40), 0);
	assert_string_equal(source_read(&text, at("long")), "it is too long");
}

TEST(a_source_is_newer_if_it_was_written_after_the_run)
{
	struct stat status;
	assert_int_equal(stat(at("outside.c"), &status), 0);
	uint64_t written_ns = (uint64_t)status.st_mtime * 1000000000;
	assert_false(source_is_newer(at("outside.c"), written_ns));
	assert_true(source_is_newer(at("outside.c"), written_ns - 5000000000));
	assert_false(source_is_newer(at("outside.c"), 0));
	assert_false(source_is_newer(at("none"), 1000000000));
}

/* ---- one line, as a part of a sentence ---- */

struct statement {
	const char *text;
	size_t max;
	const char *statement;
};

static void expect(const struct statement *statements, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		OWNED(owned_free) char *found = source_statement(statements[i].text, statements[i].max);
		if (statements[i].statement == NULL) {
			assert_null(found);
			continue;
		}
		assert_non_null(found);
		assert_string_equal(found, statements[i].statement);
	}
}

TEST(a_statement_is_without_what_stands_around_it)
{
	static const struct statement statements[] = {{"\t\tid = book->next_id++;\r", 60, "id = book->next_id++"},
		{"  { a = b; } // why", 60, "a = b"}, {"a /* of b */ = b /* open", 60, "a = b"},
		{"if (a  ==\tb) {", 60, "if (a == b)"}, {"s = \"a // b;  c\"; /* x */", 60, "s = \"a // b;  c\""},
		{"c = '\\'' /* y */;", 60, "c = '\\''"}, {"s = \"open", 60, "s = \"open"}};
	expect(statements, sizeof statements / sizeof statements[0]);
}

TEST(a_line_without_a_statement_has_none)
{
	static const struct statement statements[] = {{"", 60, NULL}, {" \t", 60, NULL}, {"\t}", 60, NULL},
		{"{", 60, NULL}, {"// a", 60, NULL}, {";", 60, NULL}, {"\t__transaction_atomic {", 60, NULL}};
	expect(statements, sizeof statements / sizeof statements[0]);
}

TEST(a_long_statement_is_cut_behind_a_word)
{
	static const struct statement statements[] = {
		{"total += book->levels[i].quantity", 33, "total += book->levels[i].quantity"},
		{"total += book->levels[i].quantity", 32, "total += book->levels[i].."},
		{"total += book->levels[i].quantity", 21, "total += book->.."},
		{"total += book->levels", 10, "total +=.."}, {"a_name_that_has_no_end", 10, "a_name_t.."}};
	expect(statements, sizeof statements / sizeof statements[0]);
}

GROUP_WITH(fixture);
