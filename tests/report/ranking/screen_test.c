/* SPDX-License-Identifier: MIT
 * The first screen fits, whatever the recording; and what it has of each row. */
#include "screened.h"

#include <stdio.h>

#include <stmlog/agent.h>

#include "utf8.h"

enum { MS = 1000000 };

#define CLASS "market::Book<unsigned long, std::map<std::string, std::vector<int> > >::"

/* A row for each of so many transactions, each with three lines. Each loses an eighth less than the one before. */
static void lose_to(size_t rows, const char *class)
{
	begin();
	uint64_t ns = 4 * MS;
	for (size_t i = 1; i <= rows; i++, ns -= ns / 8) {
		char name[300], victim[300];
		snprintf(name, sizeof name, "%stake_%zu(std::map<int, int> const&)", class, i);
		snprintf(victim, sizeof victim, "%sput_%zu(std::map<int, int> const&)", class, i);
		struct stmlog_entry_record *entry = lose(conflict, victim, name, 100, ns);
		entry->objects[0].address = 0x10000 * i;
		entry->objects[0].count = 100;
		entry->object_names[0] = made_string(&made, "Book<unsigned long>::next_id");
	}
}

/* Lines that few recordings have: warnings, waits, and time that no measured loss explains. */
static void add_trouble(void)
{
	static const char *args[] = {
		"./market", "--with=a", "--long=command", "--line=of", "--many=arguments", "--that=is", "--cut=off"};
	static struct stmlog_open_record open[] = {{2, STMLOG_OPEN_WAIT, 0, 1, 0, STMLOG_GRADE_CERTAIN, 500},
		{1, STMLOG_OPEN_COMMIT, 0, 2, 0, STMLOG_GRADE_CERTAIN, 400},
		{3, STMLOG_OPEN_COMMIT, 0, 2, 0, STMLOG_GRADE_CERTAIN, 400}};
	struct recording_info *info = &made.recording.info;
	info->args = (struct recording_list){args, sizeof args / sizeof args[0]};
	info->method = "ml_wt";
	info->threads_without_clock = 1;
	info->descheduled_known = 1;
	info->probe_cost_ns = MADE_THREADS_NS;
	made.recording.open = open;
	made.recording.open_count = made.recording.site_count > 0 ? 3 : 0;
	for (size_t i = 0; i < MADE_THREADS; i++) {
		made.threads[i].committed_ns = MS;
		made.threads[i].descheduled_ns = made.threads[i].attached_ns / 2;
		made.threads[i].waiting_none_ns = made.threads[i].attached_ns / 4;
		made.threads[i].blocked = made.threads[i].blocked_in_vain = 1000000;
	}
}

/* ---- 24 lines of 80 columns ---- */

/* Returns how many lines the text has, of which none is wider than the terminal but the commands at its end. */
static size_t assert_fits(void)
{
	size_t lines = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, lines++) {
		*end = '\0';
		if (fit_width(line) > width && strstr(line, ": stmlog ") == NULL)
			fail_msg("wider than %zu: %s", width, line);
		*end = '\n';
	}
	return lines;
}

static const size_t row_counts[] = {0, 1, 3, 30}, widths[] = {40, 60, 80, 100, 160};

static void make(size_t rows, size_t form)
{
	lose_to(rows, form % 2 == 0 ? "" : CLASS);
	if (form >= 2)
		add_trouble();
}

TEST(a_screen_fits_however_many_rows_warnings_and_long_names_there_are)
{
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		for (size_t rows = 0; rows < 4; rows++) {
			for (size_t form = 0; form < 4; form++) {
				width = widths[i];
				make(row_counts[rows], form);
				screen();
				assert_in_range(assert_fits(), 4, SCREEN_LINES);
			}
		}
	}
}

TEST(lines_printed_behind_a_screen_have_room)
{
	width = 80;
	make(30, 0);
	struct report_options options = {.is_brief = true, .lines_behind = 3};
	printed(screen_print, options, REPORT_USUAL_FILE);
	assert_in_range(assert_fits(), 10, SCREEN_LINES - 3);
}

static size_t lines_asked, lines_told;

static void print_lines(const struct report *report)
{
	lines_told = screen_print_rows(report, lines_asked);
}

TEST(a_screen_of_any_height_has_as_many_lines_as_it_says)
{
	width = 80;
	for (lines_asked = 12; lines_asked <= 40; lines_asked++) {
		for (size_t rows = 0; rows < 4; rows++) {
			make(row_counts[rows], 0);
			printed(print_lines, (struct report_options){.is_brief = true}, REPORT_USUAL_FILE);
			assert_int_equal(assert_fits(), lines_told);
			assert_true(lines_told <= lines_asked);
		}
	}
}

/* Where the terminal's width is not known. */
TEST(nothing_is_cut_in_a_pipe)
{
	width = 0;
	make(1, 3);
	screen();
	assert_has(text,
		"market --with=a --long=command --line=of --many=arguments --that=is --cut=off   libitm, ml_wt   ");
	make(1, 1);
	screen();
	assert_has(text, "what market::Book::put_1 uses at market::Book::put_1 a.c:11\n");
}

/* ---- the rows ---- */

TEST(a_row_has_its_name_and_losses_and_losers_and_lines)
{
	width = 80;
	make(1, 0);
	screen();
	assert_has(text, "\n  # in the way        others lost        who loses\n"
			 "  1 take_1  a.c:10         4.0 ms 100 %  put_1 :10 100 %\n"
			 "     how   it writes what put_1 uses at put_1 a.c:11\n"
			 "     data  Book::next_id 100 %");
	assert_has(text, "\n     try   write it less often, or do not touch it in put_1\n");
}

TEST(a_list_of_objects_keeps_its_kind_and_ends_behind_an_object)
{
	static const char *const names[] = {"a_long_name_of_an_object", "another_name_that_is_long", "the_third"};
	width = 80;
	lose_to(1, "");
	for (size_t i = 0; i < 3; i++) {
		made.entries[0].objects[i].address = 0x10000 * (i + 1);
		made.entries[0].objects[i].count = 34 - i;
		made.entries[0].object_names[i] = made_string(&made, names[i]);
	}
	screen();
	assert_has(text, "\n     data  a_long_name_of_an_object 34 %, another_name_that_is_long 33 %, ..\n");
	made_time(&made, made.entries[0].remote, 10, 1000); /* so the other side's access is not known */
	screen();
	assert_has(text, "\n     data  a word or its neighbours: a_long_name_of_an_object 34 %, ..\n");
}

TEST(long_names_keep_their_ends)
{
	width = 80;
	lose_to(1, "exchange::orders::" CLASS);
	screen();
	assert_has(text, "\n  1 orders::market::Book::take_1  a.c:10 ");
	assert_has(text, " uses at ..market::Book::put_1 a.c:11\n");
	lose_to(1, "a_name_that_takes_more_columns_than_a_row_has_for_it_");
	assert_has(screen(), "\n  1 ..an_a_row_has_for_it_take_1  a.c:10 ");
}

TEST(why_a_culprit_is_not_known_is_told_whole)
{
	static const struct loss_kind *const kinds[] = {&conflict, &lock_wait, &retry_in_vain};
	width = 80;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		begin();
		made.recording.info.runtime = "ghc";
		lose(*kinds[i], "put", NULL, 10, LOST);
		assert_has(screen(), "\n  1 not known: ");
		rank();
		assert_has(text, ranked.rows[0].line);
	}
}

TEST(a_hostile_name_stays_text)
{
	width = 160;
	lose_to(1, "\033[2J\nroot\xff\342\200\256");
	assert_null(strchr(screen(), '\033'));
	assert_has(text, "\n  1 ?[2J?root\357\277\275?take_1  a.c:10 ");
}

/* The interval of the second one reaches the first. */
TEST(a_row_that_may_be_higher_has_a_tilde)
{
	for (int is_wide = 0; is_wide < 2; is_wide++) {
		begin();
		made.recording.info.sampled = 1;
		lose(conflict, "put", "take", 10, 50 * MS);
		lose(conflict, "put", "get", 10, 40 * MS)->variance_ns2 = is_wide ? 1e14 : 1;
		assert_int_equal(strstr(screen(), "\n ~2 get ") != NULL, is_wide);
		assert_int_equal(strstr(text, "\n  2 get ") != NULL, !is_wide);
	}
}

TEST(rows_without_room_are_counted_with_small_ones_and_shown_in_full)
{
	width = 80;
	make(30, 0);
	screen();
	assert_has(text, " others ");
	assert_has(text, "\n     how   it writes what put_1 "); /* the first row has its lines */
	size_t shown = 0, rows = 0;
	for (const char *at = text; (at = strstr(at, " take_")) != NULL; at++)
		shown++;
	printed(screen_print, (struct report_options){.is_full = true}, REPORT_USUAL_FILE);
	for (const char *at = text; (at = strstr(at, "\n     how ")) != NULL; at++)
		rows++;
	assert_true(shown < rows);
	assert_true(rows > 10);
}

/* A wait for a short transaction that had no processor. */
static void lose_to_scheduler(uint64_t lost_ns)
{
	lose(commit_wait, "put", "take", 10, lost_ns)->remote = made_traceback(&made,
		made_site(&made, "take", BEGIN_LINE), made_site(&made, "(preempted: a thread had no processor)", 0));
}

TEST(the_rest_is_told_with_its_share)
{
	for (int i = 0; i < 4; i++) {
		BEGIN_WITH(conflict, "put", "take", 10, 92 * MS);
		if (i >= 1)
			lose(conflict, "put", "get", 10, 1 * MS);
		if (i >= 2)
			lose_to_scheduler(5 * MS);
		made_end(&made);
		if (i >= 3)
			made.threads[0].paused_ns += 2 * MS;
		screen();
		assert_int_equal(strstr(text, "\n    1 other 1 %") != NULL, i >= 1);
		assert_int_equal(strstr(text, "; waits for a processor 5 %") != NULL, i >= 2);
		assert_int_equal(strstr(text, "; in waits without an entry 2 %\n") != NULL, i == 3);
	}
}

/* Four fifths of the lost time have entries. */
static void screen_of_placeless(uint64_t evicted_ns, uint64_t waits_ns, bool is_sampled)
{
	BEGIN_WITH(conflict, "put", "take", 100, 80 * MS);
	made_end(&made);
	made.threads[0].aborted_data_ns += 20 * MS - waits_ns;
	made.threads[0].estimated_aborted_data_ns += 20 * MS - waits_ns;
	made.threads[0].waiting_none_ns = made.threads[0].estimated_waiting_none_ns = waits_ns;
	made.recording.evicted_lost_ns = evicted_ns;
	made.recording.evicted_estimated_ns = (double)evicted_ns;
	made.recording.info.sampled = is_sampled;
	screen();
}

TEST(lost_time_without_a_place_has_its_reason)
{
	screen_of_placeless(20 * MS, 0, false);
	assert_has(text, "\n    in entries that had no room 20 %\n");
	screen_of_placeless(13 * MS, 7 * MS, false);
	assert_has(text, "\n    in entries that had no room 13 %; in waits without an entry 7 %\n");
	screen_of_placeless(0, 20 * MS, false);
	assert_has(text, "\n    in waits without an entry 20 %\n");
	screen_of_placeless(0, 0, true);
	assert_has(text, "\n    not measured closely 20 %\n");
	screen_of_placeless(0, 5 * MS, true);
	assert_has(text, "\n    in waits without an entry 5 %; not measured closely 15 %\n");
}

TEST(where_all_waits_were_for_a_processor_there_is_no_row_but_their_sum)
{
	begin();
	lose_to_scheduler(5 * MS);
	screen();
	assert_has(text, "\n\n    waits for a processor 100 %\n");
	assert_null(strstr(text, "in the way"));
}

/* ---- head and end ---- */

TEST(spare_lanes_are_no_threads)
{
	width = 80;
	for (uint32_t flags = 0; flags <= STMLOG_THREAD_SPARE; flags += STMLOG_THREAD_SPARE) {
		begin();
		made.recording.info.processors = 2;
		made.threads[1].flags = flags;
		assert_has(screen(), flags == 0 ? "   4 threads on 2 processors" : "   3 threads on 2 processors");
	}
}

TEST(what_is_under_way_is_told_with_its_culprit)
{
	width = 80;
	make(1, 2);
	screen();
	assert_has(text,
		"\nopen 500 ns: wait of thread 2, a.c:10 put_1\n    because of thread 1, a.c:10 put_1 (certain)\n");
}

/* Of libitm, whose command is known, from a tenth of lost time on. */
TEST(other_settings_are_to_be_tried_where_much_is_lost)
{
	static const char *args[] = {"./shop", "two words"};
	static const struct {
		const char *runtime;
		uint64_t lost_ns;
		size_t args;
		bool is_told;
	} cases[] = {{"libitm", MADE_THREADS_NS / 10, 2, true}, {"libitm", MADE_THREADS_NS / 10 - 200000, 2, false},
		{"ghc", MADE_THREADS_NS / 10, 2, false}, {"libitm", MADE_THREADS_NS / 10, 0, false}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		made.recording.info.runtime = cases[i].runtime;
		made.recording.info.args = (struct recording_list){args, cases[i].args};
		lose(conflict, "put", "take", 10, cases[i].lost_ns);
		screen();
		assert_int_equal(strstr(text, "\nNext: stmlog try -- ./shop 'two words'\n") != NULL, cases[i].is_told);
		assert_has(text, cases[i].is_told ? "\nMore: stmlog report --full" : "\nNext: stmlog report --full");
	}
}

TEST(a_screen_ends_with_the_commands_for_more)
{
	begin();
	assert_has(printed(screen_print, (struct report_options){.is_brief = true}, "my file"),
		"\nNext: stmlog report 'my file' --full ");
	begin();
	assert_has(
		printed(screen_print, (struct report_options){.is_brief = true, .is_early = true}, REPORT_USUAL_FILE),
		"\nWhen it has ended: stmlog report --full ");
}
