/* SPDX-License-Identifier: MIT
 * The first screen of a recording with three faults: it names all of them, and it fits. */
#include "loaded.h"

#include <stmlog/stmlog.h>

#include "findings.h"
#include "fit.h"
#include "screen.h"
#include "text_has.h"

static struct writer writer;

enum { MS = 1000000 };

static uint32_t traceback_of(const char *inner, uint32_t inner_line, const char *outer, uint32_t outer_line)
{
	uint32_t sites[] = {writer_place(&writer, inner, "src/market/book.cc", inner_line),
		outer != NULL ? writer_place(&writer, outer, "src/market/book.cc", outer_line) : 0};
	return writer_traceback(&writer, sites, outer != NULL ? 2 : 1, 0);
}

static void write_entry(struct stmlog_entry_record *entry, const char *detail)
{
	entry->detail = writer_string(&writer, detail);
	entry->longest_ns = entry->shortest_ns = entry->lost_ns / entry->count;
	writer_entry(&writer, entry);
	writer_total(&writer, entry->reason, entry->contention, entry->count, entry->lost_ns);
}

#define CLASS "market::Book<unsigned long, std::map<std::string, std::vector<int> > >::"

/* Audits that print and make all others wait, a counter that all write, and two sums side by side. */
static const char *pair[2] = {"stats.asks", NULL};

static void write_faults(const char *hostile)
{
	writer_init(&writer);
	writer_info(&writer, "runtime=libitm");
	writer_info(&writer, "method=ml_wt");
	writer_info(&writer, "arg=./market --with=a --long=command --line=of --many=arguments --that=is --cut=off");
	writer_info(&writer, "wall_ns=1000000000");
	writer_info(&writer, "processors=2");
	writer_info(&writer, "stripe_bytes=32");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1,
				       .attached_ns = 1000 * MS,
				       .committed_ns = 200 * MS,
				       .aborted_ns = {100 * MS},
				       .waiting_inevitable_ns = 300 * MS,
				       .outside_ns = 400 * MS,
				       .commits = 20000,
				       .aborts = {1000},
				       .waits_inevitable = 30});
	uint32_t bid = traceback_of(hostile, 31, NULL, 0);
	write_entry(&(struct stmlog_entry_record){.reason = STMLOG_WAIT,
			    .contention = STMLOG_INEVITABLE,
			    .local = bid,
			    .remote = traceback_of(CLASS "audit(std::map<int, int> const&) const", 73,
				    CLASS "audit(std::map<int, int> const&) const", 69),
			    .count = 30,
			    .lost_ns = 300 * MS},
		"BEGIN_WAIT");
	write_entry(&(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
			    .contention = STMLOG_WRITE_WRITE,
			    .local = bid,
			    .count = 600,
			    .lost_ns = 60 * MS,
			    .objects = {{4096, 600}},
			    .object_names = {writer_string(&writer, "Book<unsigned long>::next_id")}},
		"LOCKED_WRITE");
	write_entry(&(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
			    .contention = STMLOG_WRITE_WRITE,
			    .local = traceback_of(CLASS "count_ask(unsigned int)", 51, NULL, 0),
			    .count = 400,
			    .lost_ns = 40 * MS,
			    .false_conflicts = 400,
			    .objects = {{8192, 400}},
			    .object_others = {8200},
			    .object_names = {writer_string(&writer, pair[0])}},
		"LOCKED_WRITE");
	if (pair[1] != NULL)
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				    .contention = STMLOG_WRITE_WRITE,
				    .count = 1,
				    .lost_ns = 1,
				    .objects = {{8200, 1}},
				    .object_names = {writer_string(&writer, pair[1])}},
			"LOCKED_READ");
}

static size_t width;

/* The screen alone; the caller frees it. */
static char *screen(bool is_full)
{
	char *text = NULL;
	size_t size;
	struct recording recording;
	FILE *out = open_memstream(&text, &size);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	struct printer printer = file_printer(out);
	printer.width = width;
	screen_print(&(struct report){&recording, symbols, {.top = REPORT_TOP_DEFAULT, .is_full = is_full}, &printer,
		NULL, REPORT_USUAL_FILE, NULL});
	symbols_destroy(&symbols);
	recording_fini(&recording);
	fclose(out);
	return text;
}

static void the_first_screen_names_each_fault_and_its_line(void **state)
{
	(void)state;
	width = 0;
	write_faults(CLASS "place_bid(unsigned long)");
	char *text = screen(false);
	assert_has(text, "\n 1    300.0 ms   75.0 %  irrevocable transaction: book.cc:69 market::Book::audit\n");
	assert_has(text, "\n    because of book.cc:73 market::Book::audit; try: do it after the transaction\n");
	assert_has(text, "  60.0 ms   15.0 %  hot word (60 % of aborts): Book::next_id\n");
	assert_has(text, "\n    because of book.cc:31 market::Book::place_bid; try: write it less often\n");
	assert_has(text, "  40.0 ms   10.0 %  false sharing (40 % of aborts): stats.asks, 0x2008\n");
	assert_has(text, "20,000 commits/s; 1 attempt in 21 aborts; 40.0 % of the threads' time is lost\n");
	free(text);
}

static void spare_lanes_are_no_threads(void **state)
{
	(void)state;
	width = 80;
	for (uint32_t flags = 0; flags <= STMLOG_THREAD_SPARE; flags += STMLOG_THREAD_SPARE) {
		write_faults("f()");
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 2, .flags = flags});
		char *text = screen(false);
		assert_has(text, flags == 0 ? "   2 threads on 2 processors" : "   1 thread on 2 processors");
		free(text);
	}
}

static void how_often_transactions_were_blocked_is_said_if_any_was(void **state)
{
	(void)state;
	width = 80;
	for (uint64_t count = 0; count < 2; count++) {
		write_faults("f()");
		writer_thread(&writer,
			&(struct stmlog_thread_record){
				.id = 2, .blocked = count, .blocked_in_vain = count, .blocked_unattached = 4 * count});
		char *text = screen(false);
		assert_int_equal(strstr(text, "\n5 times blocked after a retry, 1 in vain\n") != NULL, count);
		assert_int_equal(strstr(text, "blocked after a retry") != NULL, count);
		free(text);
	}
}

/* A name that both have is shown once. */
static void neighbours_in_one_variable_are_its_name_and_their_distances(void **state)
{
	static const char *const cases[][3] = {{"stats", "stats+8", ": stats, +8\n"},
		{"stats+8", "stats+16", ": stats+8, +16\n"}, {"stats2", "stats+8", ": stats2, stats+8\n"},
		{"a", "b", ": a, b\n"}};
	(void)state;
	width = 80;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		pair[0] = cases[i][0];
		pair[1] = cases[i][1];
		write_faults("bid");
		char *text = screen(false);
		assert_has(text, cases[i][2]);
		free(text);
	}
	pair[0] = "stats.asks";
	pair[1] = NULL;
}

static void no_line_is_wider_than_the_terminal_and_no_more_than_24(void **state)
{
	static const size_t widths[] = {0, 40, 80, 100, 160};
	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		size_t lines = 0;
		width = widths[i];
		write_faults(CLASS "place_bid(unsigned long)");
		char *text = screen(false), *rest = text;
		for (char *line = strsep(&rest, "\n"); rest != NULL; line = strsep(&rest, "\n"), lines++)
			if (fit_width(line) > (width != 0 ? width : 80))
				fail_msg("wider than %zu: %s", width, line);
		assert_in_range(lines, 10, 24);
		free(text);
	}
}

static void a_hostile_name_stays_text(void **state)
{
	(void)state;
	width = 160;
	write_faults("\033[2J\nroot\xff\342\200\256");
	char *text = screen(false);
	assert_null(strchr(text, '\033'));
	assert_has(text, "book.cc:31 ?[2J?root\357\277\275?");
	free(text);
}

/* Costlier findings of three rules leave room for the three faults. */
static void write_more_faults(void)
{
	write_faults("bid");
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t reader = traceback_of("read", 100 + i, NULL, 0), starved, printing;
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_PAUSE,
				    .contention = STMLOG_WRITE_READ,
				    .local = reader,
				    .remote = reader,
				    .count = 10,
				    .lost_ns = 90 * MS},
			"COMMIT_WAIT");
		printing = traceback_of("print", 310 + i, "print", 300 + i);
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_WAIT,
				    .contention = STMLOG_INEVITABLE,
				    .local = reader,
				    .remote = printing,
				    .count = 10,
				    .lost_ns = 90 * MS},
			"BEGIN_WAIT");
		starved = traceback_of("sum", 200 + i, "(starved: runs alone after 101 failed attempts)", 0);
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_WAIT,
				    .contention = STMLOG_INEVITABLE,
				    .local = reader,
				    .remote = starved,
				    .count = 10,
				    .lost_ns = 90 * MS},
			"BEGIN_WAIT");
	}
}

static void no_rule_takes_the_room_of_all_others(void **state)
{
	static const char *const words[] = {"irrevocable transaction: ", "starved transaction", "commit waits",
		"hot word (60 % of aborts): Book::next_id", "false sharing (40 % of aborts): stats.asks"};
	(void)state;
	width = 80;
	write_more_faults();
	char *text = screen(false);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		assert_has(text, words[i]);
	free(text);
}

/* More findings than a screen has room for. */
static void what_has_no_room_is_counted_and_shown_in_full(void **state)
{
	(void)state;
	for (int is_full = 0; is_full < 2; is_full++) {
		width = 80;
		write_more_faults();
		char *text = screen(is_full != 0);
		assert_true((strstr(text, " more (--full)\n") != NULL) == (is_full == 0));
		assert_true((strstr(text, "\n 7  ") != NULL) == (is_full != 0)); /* the third of its rule */
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_screen_names_each_fault_and_its_line),
		cmocka_unit_test(spare_lanes_are_no_threads),
		cmocka_unit_test(how_often_transactions_were_blocked_is_said_if_any_was),
		cmocka_unit_test(neighbours_in_one_variable_are_its_name_and_their_distances),
		cmocka_unit_test(no_line_is_wider_than_the_terminal_and_no_more_than_24),
		cmocka_unit_test(a_hostile_name_stays_text),
		cmocka_unit_test(no_rule_takes_the_room_of_all_others),
		cmocka_unit_test(what_has_no_room_is_counted_and_shown_in_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
