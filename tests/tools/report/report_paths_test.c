/* SPDX-License-Identifier: MIT
 * The report of all time by call path: a tree with the count, the time and the path of each node. */
#include "report_words.h"

#include "contexts.h"
#include "report_views.h"

/* A path of commits and aborts; its sites are innermost first, as in recordings. */
static void add_path(const char *functions, uint64_t committed_ns, uint64_t aborted_ns)
{
	uint32_t sites[64], len = 0;
	for (const char *at = functions; *at != '\0'; at++)
		sites[len++] = writer_place(&writer, (const char[]){*at, '\0'}, "a.c", 7);
	struct stmlog_path_record path = {
		.traceback = len > 0 ? writer_traceback(&writer, sites, len, 0) : 0,
		.commits = committed_ns > 0,
		.aborts = aborted_ns > 0,
		.committed_ns = committed_ns,
		.aborted_ns = aborted_ns,
		.estimated_committed_ns = 10.0 * (double)committed_ns,
		.estimated_aborted_ns = 10.0 * (double)aborted_ns,
	};
	writer_path(&writer, &path);
}

static void add_first_path(const char *functions, uint64_t committed_ns, uint64_t aborted_ns)
{
	recording_sample(&writer);
	add_path(functions, committed_ns, aborted_ns);
}

static char *paths_text(size_t top)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, (struct report_options){.top = top}, report_paths);
	return text;
}

static void expect_paths(size_t top, const char *expected)
{
	OWNED(owned_free) char *text = paths_text(top);
	assert_has(text, expected);
}

#define LEGEND                                                                   \
	"time and lost are with the paths below, self and count without them;\n" \
	"count is of commits, aborts, pauses and waits\n"

/* The row of the specification: "fble: a report: count, time and path of each node". */
TEST(fble_a_report_has_count_time_and_path_of_each_node)
{
	add_first_path("ba", 1000, 500);
	add_path("ca", 6000, 0);
	add_path("a", 0, 500);
	add_path("d", 2000, 0);
	expect_paths(20, "Time by call path: 10.0 us in transactions, 4 of 4 paths\n"
			 "  time   share    lost    self  count  path\n"
			 "8.0 us  80.0 %  1.0 us  500 ns      1  a a.c:7\n"
			 "6.0 us  60.0 %    0 ns  6.0 us      1    c a.c:7\n"
			 "1.5 us  15.0 %  500 ns  1.5 us      2    b a.c:7\n"
			 "2.0 us  20.0 %    0 ns  2.0 us      1  d a.c:7\n" LEGEND);
}

TEST(top_keeps_the_paths_with_most_time_and_their_callers)
{
	add_first_path("cba", 5000, 0);
	add_path("d", 6000, 0);
	add_path("e", 100, 0);
	expect_paths(1, "1 of 5 paths\n  time   share    self  count  path\n6.0 us  54.1 %  6.0 us      1  d a.c:7\n"
			"... 4 more (--top=N)\n");
	add_first_path("cba", 5000, 0);
	add_path("d", 6000, 0);
	expect_paths(3, "  time   share    self  count  path\n6.0 us  54.5 %  6.0 us      1  d a.c:7\n"
			"5.0 us  45.5 %    0 ns      0  a a.c:7\n5.0 us  45.5 %    0 ns      0    b a.c:7\n"
			"... 1 more (--top=N)\n");
	add_first_path("a", 1, 0);
	expect_paths(0, "0 of 1 paths\n... 1 more (--top=N)\n");
}

TEST(folded_recursion_is_marked_by_the_lengths_of_its_cycles)
{
	add_first_path("cbabababa", 1000, 0);
	add_path("dd", 500, 0);
	expect_paths(20, "  time   share    self  count  cycle  path\n"
			 "1.0 us  66.7 %    0 ns      0         a a.c:7\n"
			 "1.0 us  66.7 %    0 ns      0      2    b a.c:7\n"
			 "1.0 us  66.7 %  1.0 us      1             c a.c:7\n"
			 "500 ns  33.3 %  500 ns      1      1  d a.c:7\n" LEGEND "recursion is folded; ");
	add_first_path("bbaba", 1000, 0);
	expect_paths(20, "   2, 1    b a.c:7\n");
	add_first_path("aba", 1000, 0);
	OWNED(owned_free) char *text = paths_text(20);
	assert_null(strstr(text, "cycle"));
}

TEST(time_without_a_traceback_and_beyond_the_room_are_rows_of_their_own)
{
	add_first_path("", 3000, 0);
	add_path("a", 1000, 0);
	struct stmlog_path_record beyond = {.committed_ns = 2000, .commits = 2, .flags = STMLOG_PATH_OVERFLOW};
	writer_path(&writer, &beyond);
	expect_paths(20, "3.0 us  50.0 %  3.0 us      1  (root)\n2.0 us  33.3 %  2.0 us      2  (overflow)\n"
			 "1.0 us  16.7 %  1.0 us      1  a a.c:7\n");
}

TEST(estimates_are_marked)
{
	recording_sample(&writer);
	writer_info(&writer, "sampled=1");
	add_path("a", 1000, 0);
	expect_paths(20, "Time by call path: ~ 10.0 us in transactions, 1 of 1 paths\n"
			 "     time    share       self  count  path\n~ 10.0 us  100.0 %  ~ 10.0 us      1  a a.c:7\n");
}

TEST(the_deepest_paths_have_the_number_of_their_levels)
{
	add_first_path("ponmlkjihgfedcba", 1000, 0);
	expect_paths(20, "0 ns      0                          m a.c:7\n");
	add_first_path("ponmlkjihgfedcba", 1000, 0);
	expect_paths(20, "0 ns      0                          +1 n a.c:7\n");
}

TEST(times_of_any_size_keep_callers_above_those_they_call)
{
	add_first_path("cba", UINT64_MAX, UINT64_MAX);
	add_path("ba", UINT64_MAX, 0);
	OWNED(owned_free) char *text = paths_text(2);
	assert_has(text, "  a a.c:7\n");
	assert_has(text, "    b a.c:7\n... 1 more");
}

/* The tree is a part of the whole report, also if nothing was lost. */
TEST(a_report_by_path_has_the_tree_and_no_entries)
{
	add_first_path("a", 1000, 0);
	OWNED(owned_free) char *text = text_of((struct report_options){.by = REPORT_BY_PATH, .top = 20});
	assert_has(text, "\nTime by call path: 1.0 us");
	assert_null(strstr(text, "blocked by"));
	assert_has(text, "\nThreads\n");
}
