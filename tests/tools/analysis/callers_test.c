/* SPDX-License-Identifier: MIT
 * Commits and aborts by the place where the transaction begins, and by callers as far as they differ. */
#include "placed.h"

#include <stdio.h>
#include <string.h>

#include "callers.h"

static struct callers all;

static uint32_t at_line(const char *name, uint32_t line)
{
	return writer_place(&writer, name, "a.hs", line);
}

static uint32_t function(const char *name)
{
	return at_line(name, 1);
}

static void begins(uint32_t site)
{
	writer_transaction(&writer, &(struct stmlog_transaction_record){.site = site, .commits = 1, .attempts = 3});
}

static void add(double commits, double aborts, const uint32_t *sites, uint32_t len)
{
	writer_path(&writer,
		&(struct stmlog_path_record){.traceback = len > 0 ? writer_traceback(&writer, sites, len, 0) : 0,
			.commits = (uint64_t)commits,
			.estimated_commits = commits,
			.estimated_aborts = aborts});
}

#define ADD(commits, aborts, ...)                             \
	add(commits, aborts, (const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The threads have so many commits and aborts. */
static void load_all(uint64_t commits, uint64_t aborts)
{
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = commits, .aborts_data = aborts});
	load();
	all = callers_make(&recording, symbols);
}

static void unload_all(void)
{
	callers_fini(&all);
	unload();
}

/* "run 6/3 (a 4/2 b 2/1)": name, commits and aborts of each row, its parts in brackets. */
static size_t print_rows(char *text, size_t size, size_t from, size_t to)
{
	size_t len = 0;
	for (size_t i = from; i < to; i = callers_next(&all, i)) {
		const struct symbol_frame *frame = all.rows[i].frame;
		len += (size_t)snprintf(text + len, size - len, "%s%s %.0f/%.0f", i > from ? " " : "",
			frame != NULL ? frame->function : "?", all.rows[i].commits, all.rows[i].aborts);
		size_t next = callers_next(&all, i);
		if (next == i + 1)
			continue;
		len += (size_t)snprintf(text + len, size - len, " (");
		len += print_rows(text + len, size - len, i + 1, next);
		len += (size_t)snprintf(text + len, size - len, ")");
	}
	return len;
}

static void expect(const char *expected)
{
	char text[500] = "";
	print_rows(text, sizeof text, 0, all.len);
	assert_string_equal(text, expected);
	unload_all();
}

TEST(without_transactions_there_are_no_rows)
{
	writer_init(&writer);
	load_all(0, 0);
	assert_false(all.has_callers);
	expect("");
}

TEST(a_place_whose_transactions_were_only_timed_is_no_row)
{
	writer_init(&writer);
	struct stmlog_transaction_record timed = {.site = function("run"), .estimated_committed_ns = 1000};
	writer_transaction(&writer, &timed);
	load_all(4, 0);
	expect("");
}

TEST(callers_that_all_have_in_common_are_left_out)
{
	writer_init(&writer);
	uint32_t run = function("run"), helper = function("helper"), worker = function("worker"),
		 main_ = function("main");
	begins(run);
	ADD(4, 2, run, helper, worker, main_);
	load_all(4, 2);
	assert_true(all.has_callers && all.is_exact);
	expect("run 4/2");
}

TEST(a_helper_is_split_by_the_first_callers_that_differ_and_these_again)
{
	writer_init(&writer);
	uint32_t run = function("run"), helper = function("helper"), logged = function("logged"), a = function("a"),
		 b = function("b"), c = function("c"), main_ = function("main");
	begins(run);
	ADD(1, 0, run, helper, logged, b, main_);
	ADD(4, 2, run, helper, c, main_);
	ADD(5, 1, run, helper, logged, a, main_);
	load_all(10, 3);
	expect("run 10/3 (logged 6/1 (a 5/1 b 1/0) c 4/2)");
}

TEST(a_caller_that_is_not_known_is_one_of_its_own)
{
	writer_init(&writer);
	uint32_t run = function("run"), a = function("a");
	begins(run);
	ADD(3, 0, run, a);
	ADD(1, 0, run);
	add(2, 0, NULL, 0);
	load_all(6, 0);
	expect("run 4/0 (a 3/0 ? 1/0) ? 2/0");
}

TEST(the_frames_of_an_access_are_no_callers)
{
	writer_init(&writer);
	uint32_t run = function("run"), access = function("access"), a = function("a"), b = function("b");
	begins(run);
	ADD(3, 0, run, a);
	ADD(0, 4, access, run, a);
	ADD(1, 0, run, b);
	load_all(4, 4);
	expect("run 4/4 (a 3/4 b 1/0)");
}

TEST(a_loss_belongs_to_the_begin_in_the_function_of_its_access)
{
	writer_init(&writer);
	uint32_t begin = at_line("run", 10), access = at_line("run", 12), helper = function("helper");
	uint32_t a = function("a"), b = function("b");
	begins(begin);
	ADD(3, 0, begin, a);
	ADD(0, 4, access, a);
	ADD(0, 2, helper, access, b);
	load_all(3, 6);
	expect("run 3/6 (a 3/4 b 0/2)");
}

/* As functions within a function of Haskell. */
TEST(the_frame_of_the_begin_comes_before_others_of_its_function)
{
	writer_init(&writer);
	uint32_t begin = at_line("run", 10), within = at_line("run", 12), a = function("a");
	begins(begin);
	ADD(3, 0, begin, a);
	ADD(0, 4, within, begin, a);
	load_all(3, 4);
	expect("run 3/4");
}

TEST(of_several_begins_in_a_function_it_is_the_last_one_before_the_line)
{
	writer_init(&writer);
	uint32_t first = at_line("run", 10), second = at_line("run", 20), a = function("a");
	begins(first);
	begins(second);
	ADD(9, 0, first, a);
	ADD(2, 0, second, a);
	ADD(0, 1, at_line("run", 19), a);
	ADD(0, 3, at_line("run", 21), a);
	ADD(0, 5, at_line("run", 9), a);
	load_all(11, 9);
	expect("run 9/6 run 2/3");
}

TEST(an_entry_tells_which_of_two_transactions_around_an_access_has_lost)
{
	writer_init(&writer);
	uint32_t inner = at_line("inner", 1), outer = at_line("outer", 10);
	const uint32_t frames[] = {at_line("inner", 3), at_line("outer", 12), function("a")};
	uint32_t traceback = writer_traceback(&writer, frames, 3, 0);
	begins(inner);
	begins(outer);
	writer_entry(
		&writer, &(struct stmlog_entry_record){.local = traceback, .site = outer, .count = 4, .lost_ns = 4});
	writer_path(&writer, &(struct stmlog_path_record){.traceback = traceback, .estimated_aborts = 4});
	load_all(0, 4);
	expect("outer 0/4");
}

TEST(estimates_are_scaled_to_the_sums_which_are_exact)
{
	writer_init(&writer);
	writer_info(&writer, "sample_every=2");
	uint32_t f = function("f"), g = function("g");
	ADD(30, 4, f);
	ADD(10, 4, g);
	load_all(80, 2);
	assert_true(!all.is_exact && all.commits == 80 && all.aborts == 2);
	expect("f 60/1 g 20/1");
}

TEST(aborts_of_which_none_was_measured_are_in_the_sum_only)
{
	writer_init(&writer);
	ADD(4, 0, function("f"));
	load_all(4, 1);
	assert_true(all.aborts == 1);
	expect("f 4/0");
}

TEST(without_paths_the_sites_have_what_was_measured)
{
	writer_init(&writer);
	begins(function("f"));
	begins(STMLOG_NO_SITE);
	load_all(100, 4);
	assert_true(!all.has_callers && all.commits == 2 && all.aborts == 4);
	expect("f 1/2 ? 1/2");
}
