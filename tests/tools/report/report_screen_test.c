/* SPDX-License-Identifier: MIT
 * The first screen of a recording with three faults: it names all of them, and it fits. */
#include "loaded.h"

#include <stmlog/read.h>
#include <stmlog/timeline.h>

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
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	struct printer printer = file_printer(out);
	printer.width = width;
	screen_print(&(struct report){&recording, symbols, {.top = REPORT_TOP_DEFAULT, .is_full = is_full}, &printer,
		REPORT_USUAL_FILE, NULL});
	symbols_destroy(&symbols);
	recording_fini(&recording);
	fclose(out);
	return text;
}

TEST(the_first_screen_names_each_fault_and_its_line)
{
	width = 0;
	write_faults(CLASS "place_bid(unsigned long)");
	OWNED(owned_free) char *text = screen(false);
	assert_has(text, "\n 1    300.0 ms   75.0 %  irrevocable transaction: book.cc:69 market::Book::audit\n");
	assert_has(text, "\n    because of book.cc:73 market::Book::audit; try: do it after the transaction\n");
	assert_has(text, "  60.0 ms   15.0 %  hot word (60 % of aborts): Book::next_id\n");
	assert_has(text, "\n    because of book.cc:31 market::Book::place_bid; try: write it less often\n");
	assert_has(text, "  40.0 ms   10.0 %  false sharing (40 % of aborts): stats.asks, 0x2008\n");
	assert_has(text, "20,000 commits/s; 1 attempt in 21 aborts; 40.0 % of the threads' time is lost\n");
}

/* The word's transaction starves, and all wait for it meanwhile: that cost is the word's, and most of it. */
TEST(a_word_that_starves_its_transaction_says_how_much_that_costs)
{
	width = 80;
	write_faults("bid");
	write_entry(&(struct stmlog_entry_record){.reason = STMLOG_WAIT,
			    .contention = STMLOG_INEVITABLE,
			    .remote = traceback_of("bid", 31, "(starved: runs alone after 101 failed attempts)", 0),
			    .count = 30,
			    .lost_ns = 240 * MS},
		"BEGIN_WAIT");
	OWNED(owned_free) char *text = screen(false);
	assert_has(text, "  hot word (80 % by starvation): Book::next_id\n");
	assert_null(strstr(text, "starved transaction"));
}

TEST(names_that_have_no_room_keep_their_ends)
{
	width = 70;
	write_faults("exchange::orders::" CLASS "place_bid(unsigned long)");
	OWNED(owned_free) char *text = screen(false);
	assert_has(text, "\n    because of book.cc:73 ..audit; try: do it after the transaction\n");
	assert_has(text, "\n    because of book.cc:31 ..Book::place_bid; try: write it less often\n");
}

TEST(spare_lanes_are_no_threads)
{
	width = 80;
	for (uint32_t flags = 0; flags <= STMLOG_THREAD_SPARE; flags += STMLOG_THREAD_SPARE) {
		write_faults("f()");
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 2, .flags = flags});
		OWNED(owned_free) char *text = screen(false);
		assert_has(text, flags == 0 ? "   2 threads on 2 processors" : "   1 thread on 2 processors");
	}
}

TEST(how_often_transactions_were_blocked_is_said_if_any_was)
{
	width = 80;
	for (uint64_t count = 0; count < 2; count++) {
		write_faults("f()");
		writer_thread(&writer,
			&(struct stmlog_thread_record){
				.id = 2, .blocked = count, .blocked_in_vain = count, .blocked_unattached = 4 * count});
		OWNED(owned_free) char *text = screen(false);
		assert_int_equal(strstr(text, "\n5 times blocked after a retry, 1 in vain\n") != NULL, count);
		assert_int_equal(strstr(text, "blocked after a retry") != NULL, count);
	}
}

static const struct {
	const char *name;
	uint32_t reason, contention;
} lost_rows[] = {{"aborted", STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE}, {"paused", STMLOG_PAUSE, STMLOG_WRITE_READ},
	{"waiting", STMLOG_WAIT, STMLOG_INEVITABLE}};
enum { LOST_ROWS = sizeof lost_rows / sizeof lost_rows[0] };

/* A thread of a second that has lost so many milliseconds of it, as timed transactions say. One loss of a millisecond
 * was measured, or none. */
static void write_unexplained(size_t row, uint64_t ms, uint64_t losses)
{
	struct stmlog_thread_record thread = {.id = 1,
		.attached_ns = 1000 * MS,
		.committed_ns = 10 * MS,
		.estimated_committed_ns = 300 * MS,
		.outside_ns = (990 - losses) * MS,
		.commits = 100,
		.unmeasured_commits = 20000};
	uint64_t *const measured_ns[] = {thread.aborted_ns, &thread.paused_ns, &thread.waiting_inevitable_ns};
	uint64_t *const counts[] = {thread.aborts, &thread.pauses, &thread.waits_inevitable};
	uint64_t *const estimated_ns[] = {
		thread.estimated_aborted_ns, &thread.estimated_paused_ns, &thread.estimated_waiting_inevitable_ns};
	*measured_ns[row] = losses * MS;
	*counts[row] = losses;
	*estimated_ns[row] = ms * MS;
	writer_init(&writer);
	writer_info(&writer, "sampled=1");
	writer_info(&writer, "timed_commits=500");
	writer_thread(&writer, &thread);
	if (losses > 0)
		write_entry(&(struct stmlog_entry_record){.reason = lost_rows[row].reason,
				    .contention = lost_rows[row].contention,
				    .count = 1,
				    .lost_ns = MS},
			"");
}

TEST(what_no_measured_loss_explains_is_a_line_of_its_own)
{
	static const char *const of[] = {"no measured loss", "only 1 measured loss"};
	width = 80;
	for (size_t row = 0; row < LOST_ROWS; row++) {
		for (uint64_t losses = 0; losses < 2; losses++) {
			char line[120];
			snprintf(line, sizeof line, "\n  %s 10.0 %%: of %s; record --sample=1 tells where\n",
				lost_rows[row].name, of[losses]);
			write_unexplained(row, 100, losses);
			OWNED(owned_free) char *text = screen(false);
			assert_has(text, "; 10.0 % (10.0 - 10.1 %) of the threads' time is lost\n");
			assert_has(text, line);
			assert_null(strstr(text, "elsewhere"));
		}
	}
}

/* Below a hundredth there is no such line; from there on, and below a twentieth, it stands instead of the advice to
 * look elsewhere. */
TEST(what_no_measured_loss_explains_is_never_looked_for_elsewhere)
{
	static const struct {
		uint64_t ms;
		const char *share; /* NULL: no line */
	} cases[] = {{9, NULL}, {10, "1.0 %"}, {30, "3.0 %"}};
	width = 80;
	for (size_t row = 0; row < LOST_ROWS; row++) {
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			bool has_line = cases[i].share != NULL;
			char line[120];
			snprintf(line, sizeof line, "\n  %s %s: of no measured loss; record --sample=1 tells where\n",
				lost_rows[row].name, has_line ? cases[i].share : "0.9 %");
			write_unexplained(row, cases[i].ms, 0);
			OWNED(owned_free) char *text = screen(false);
			assert_int_equal(strstr(text, line) != NULL, has_line);
			assert_int_equal(strstr(text, "of no measured loss") != NULL, has_line);
			assert_int_equal(strstr(text, "try: look elsewhere") != NULL, !has_line);
		}
	}
}

/* One thread of a second was off the processor for so many milliseconds of it; `more` threads of no time beside it. */
static void write_disturbed(uint64_t off_ms, uint32_t more, const char *info)
{
	writer_init(&writer);
	writer_info(&writer, "runtime=libitm");
	writer_info(&writer, "processors=2");
	writer_info(&writer, info);
	for (uint32_t i = 0; i <= more; i++)
		writer_thread(&writer, &(struct stmlog_thread_record){.id = i + 1,
					       .attached_ns = 1000 * MS,
					       .committed_ns = (1000 - off_ms) * MS,
					       .descheduled_ns = off_ms * MS,
					       .commits = 100});
}

static void assert_first_line(const char *line)
{
	OWNED(owned_free) char *text = screen(false);
	if (strncmp(text, line, strlen(line)) != 0)
		fail_msg("\"%s\" is not the beginning of:\n%s", line, text);
}

/* However many threads lack a processor: that alone says nothing about other programs. */
TEST(a_spoiled_recording_says_so_first)
{
	static const struct {
		uint64_t off_ms;
		uint32_t more;
		const char *line;
	} cases[] = {{0, 0, "stmlog  "}, {299, 0, "stmlog  "}, {299, 99, "stmlog  "},
		{300, 0, "30.0 % of the time without a processor: findings are uncertain\nstmlog  "},
		{300, 99, "30.0 % of the time without a processor: findings are uncertain\nstmlog  "}};
	width = 80;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_disturbed(cases[i].off_ms, cases[i].more, "descheduled_known=1");
		assert_first_line(cases[i].line);
	}
	write_disturbed(900, 0, "descheduled_known=0");
	assert_first_line("stmlog  ");
	write_disturbed(0, 0, "threads_without_clock=1");
	assert_first_line("1 thread may not read the clock: transactions are only counted then\nstmlog  ");
	write_disturbed(0, 0, "threads_without_clock=2");
	assert_first_line("2 threads may not read the clock: transactions are only counted then\nstmlog  ");
}

static void say_machine(unsigned all_ms, unsigned idle_ms, unsigned others_ms)
{
	char info[3][48];
	snprintf(info[0], sizeof info[0], "machine_ns=%u000000", all_ms);
	snprintf(info[1], sizeof info[1], "machine_idle_ns=%u000000", idle_ms);
	snprintf(info[2], sizeof info[2], "machine_others_ns=%u000000", others_ms);
	for (size_t i = 0; i < 3; i++)
		writer_info(&writer, info[i]);
}

/* Even if the account has no time off the processor. */
TEST(processors_that_others_had_are_said_unless_some_were_left)
{
	static const struct {
		unsigned all_ms, idle_ms, others_ms;
		bool is_said;
	} cases[] = {{1000, 100, 200, true}, {1000, 100, 199, false}, {1000, 101, 200, false}, {400, 0, 80, true},
		{399, 0, 399, false}, {0, 0, 0, false}};
	width = 80;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_disturbed(0, 0, "descheduled_known=1");
		say_machine(cases[i].all_ms, cases[i].idle_ms, cases[i].others_ms);
		assert_first_line(cases[i].is_said ? "other programs had 20.0 % of the processors' time: the run was "
						     "disturbed\nstmlog  "
						   : "stmlog  ");
	}
}

TEST(threads_without_a_processor_blame_others_for_what_the_machine_says_that_they_had)
{
	static const struct {
		uint64_t off_ms;
		unsigned idle_ms, others_ms;
		const char *line;
	} cases[] = {{49, 0, 50, "stmlog  "}, {50, 0, 49, "stmlog  "},
		{50, 0, 50, "other programs had 5.0 % of the processors' time: the run was disturbed\nstmlog  "},
		{299, 100, 50, "other programs had 5.0 % of the processors' time: the run was disturbed\nstmlog  "},
		{300, 100, 50, "other programs had 5.0 % of the processors' time: findings are uncertain\nstmlog  "},
		{90, 900, 50, "stmlog  "},
		{300, 101, 50, "30.0 % of the time without a processor: findings are uncertain\nstmlog  "}};
	width = 80;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
		write_disturbed(cases[i / 2].off_ms, i % 2 == 0 ? 0 : 99, "descheduled_known=1");
		say_machine(1000, cases[i / 2].idle_ms, cases[i / 2].others_ms);
		assert_first_line(cases[i / 2].line);
	}
}

/* Waits at commits, for nobody in particular, under a method of libitm: "stmlog try" compares methods. */
TEST(settings_are_to_be_compared_where_the_method_costs_max)
{
	width = 80;
	for (int is_libitm = 0; is_libitm < 2; is_libitm++) {
		writer_init(&writer);
		writer_info(&writer, is_libitm ? "runtime=libitm" : "runtime=ours");
		writer_info(&writer, "method=ml_wt");
		writer_info(&writer, "arg=./shop");
		writer_info(&writer, "arg=two words");
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 1,
					       .attached_ns = 1000 * MS,
					       .committed_ns = 800 * MS,
					       .paused_ns = 200 * MS,
					       .commits = 100,
					       .pauses = 10});
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_PAUSE,
				    .contention = STMLOG_WRITE_READ,
				    .count = 10,
				    .lost_ns = 200 * MS},
			"COMMIT_WAIT");
		OWNED(owned_free) char *text = screen(false);
		assert_has(text, " privatization");
		assert_int_equal(
			strstr(text, "Settings, compared: stmlog try -- ./shop 'two words'\n") != NULL, is_libitm);
	}
}

/* One thread sleeps in an irrevocable transaction for 400 ms, and the other one waits for it meanwhile. */
TEST(a_transaction_that_sleeps_is_no_disturbance)
{
	width = 80;
	for (uint64_t more = 0; more < 2; more++) {
		write_disturbed(999 + more, 0, "descheduled_known=1");
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 2,
					       .attached_ns = 1000 * MS,
					       .waiting_inevitable_ns = 400 * MS,
					       .outside_ns = 600 * MS,
					       .commits = 100,
					       .waits_inevitable = 10});
		write_entry(&(struct stmlog_entry_record){.reason = STMLOG_WAIT,
				    .contention = STMLOG_INEVITABLE,
				    .remote = traceback_of("print", 12, "sell", 10),
				    .count = 10,
				    .lost_ns = 400 * MS},
			"BEGIN_WAIT");
		assert_first_line(more == 0 ? "stmlog  " : "30.0 % of the time without a processor: ");
	}
}

TEST(what_measuring_has_changed_is_said_where_the_run_shows_it)
{
	width = 80;
	write_disturbed(0, 0, "probe_cost_ns=49999999");
	assert_first_line("stmlog  ");
	write_disturbed(0, 0, "probe_cost_ns=50000000");
	assert_first_line("measuring them all changes how often transactions abort; leave out --sample=1\nstmlog  ");
	write_disturbed(0, 0, "probe_cost_ns=50000000");
	writer_info(&writer, "sampled=0");
	writer_event(&writer, &(struct stmlog_event_record){.thread = 1, .kind = STMLOG_EVENT_ATTACH});
	assert_first_line("the timeline changes how often transactions abort; leave out --timeline\nstmlog  ");
	for (int i = 0; i < 2; i++) {
		static const char *const lines[] = {"on_phases=100", "off_phases=100", "on_ns=1000000000",
			"off_ns=1000000000", "on_transactions=100000", "off_transactions=100000", "off_aborts=20000",
			"on_aborts_square=250000", "off_aborts_square=4000000", "on_aborts_us=50000000",
			"off_aborts_us=200000000", "on_us_square=10000000000", "off_us_square=10000000000",
			"sampled=1"};
		write_disturbed(0, 0, i == 0 ? "on_aborts=19000" : "on_aborts=5000");
		for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
			writer_info(&writer, lines[k]);
		assert_first_line(
			i == 0 ? "stmlog  " : "measuring changes the program: 0.25 to 0.25 times as many aborts");
	}
}

/* A name that both have is shown once. */
TEST(neighbours_in_one_variable_are_its_name_and_their_distances)
{
	static const char *const cases[][3] = {{"stats", "stats+8", ": stats, +8\n"},
		{"stats+8", "stats+16", ": stats+8, +16\n"}, {"stats2", "stats+8", ": stats2, stats+8\n"},
		{"a", "b", ": a, b\n"}, {"stats.bids", "stats.asks", ": stats.bids, .asks\n"},
		{"stats[1]", "stats[2]", ": stats[1], [2]\n"}, {"a.b.c", "a.c", ": a.b.c, .c\n"},
		{"a[1].b", "a[2].b", ": a[1].b, a[2].b\n"},
		{"`f(a)->x += 1` at 0x2000 (stripe 0x2000)", "b", ": `f(a)->x += 1` at 0x2000, b\n"},
		{"b", "`f(a)+c` at 0x20", ": b, `f(a)+c` at 0x20\n"}};
	width = 80;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		pair[0] = cases[i][0];
		pair[1] = cases[i][1];
		write_faults("bid");
		OWNED(owned_free) char *text = screen(false);
		assert_has(text, cases[i][2]);
	}
	pair[0] = "stats.asks";
	pair[1] = NULL;
}

TEST(nothing_is_cut_where_no_width_is_known)
{
	width = 0;
	for (int is_full = 0; is_full < 2; is_full++) {
		write_faults(CLASS "a_name_that_takes_more_columns_than_a_line_of_a_usual_terminal_has(unsigned long)");
		OWNED(owned_free) char *text = screen(is_full != 0);
		assert_has(text, " --many=arguments --that=is --cut=off   libitm, ml_wt   ");
		assert_has(text, "a_name_that_takes_more_columns_than_a_line_of_a_usual_terminal_has");
		assert_has(text, "; try: write it less often\n");
	}
}

TEST(a_hostile_name_stays_text)
{
	width = 160;
	write_faults("\033[2J\nroot\xff\342\200\256");
	OWNED(owned_free) char *text = screen(false);
	assert_null(strchr(text, '\033'));
	assert_has(text, "book.cc:31 ?[2J?root\357\277\275?");
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

TEST(no_rule_takes_the_room_of_all_others)
{
	static const char *const words[] = {"irrevocable transaction: ", "starved transaction", "commit waits",
		"hot word (60 % of aborts): Book::next_id", "false sharing (40 % of aborts): stats.asks"};
	width = 80;
	write_more_faults();
	OWNED(owned_free) char *text = screen(false);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		assert_has(text, words[i]);
}

/* All lines that few recordings have: of a disturbed run, and of time that no measured loss explains. */
static void write_trouble(void)
{
	writer_info(&writer, "descheduled_known=1");
	writer_info(&writer, "sampled=0");
	writer_info(&writer, "probe_cost_ns=999999999");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 2,
				       .attached_ns = 100000 * (uint64_t)MS,
				       .waiting_none_ns = 10000 * (uint64_t)MS,
				       .descheduled_ns = 90000 * (uint64_t)MS,
				       .commits = 20000,
				       .blocked = 1000000,
				       .blocked_in_vain = 1000000});
}

TEST(no_line_is_wider_than_the_terminal_and_no_more_than_24)
{
	static const size_t widths[] = {40, 80, 100, 160};
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		size_t lines = 0;
		width = widths[i];
		write_more_faults();
		write_trouble();
		char *text = screen(false), *rest = text;
		for (char *line = strsep(&rest, "\n"); rest != NULL; line = strsep(&rest, "\n"), lines++)
			if (fit_width(line) > width)
				fail_msg("wider than %zu: %s", width, line);
		assert_in_range(lines, 10, 24);
		free(text);
	}
}

/* More findings than a screen has room for. */
TEST(what_has_no_room_is_counted_and_shown_in_full)
{
	for (int is_full = 0; is_full < 2; is_full++) {
		width = 80;
		write_more_faults();
		OWNED(owned_free) char *text = screen(is_full != 0);
		assert_true((strstr(text, " more (--full)\n") != NULL) == (is_full == 0));
		assert_true((strstr(text, "\n 7  ") != NULL) == (is_full != 0)); /* the third of its rule */
	}
}
