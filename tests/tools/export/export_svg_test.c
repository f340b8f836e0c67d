/* SPDX-License-Identifier: MIT
 * Timelines as pictures: complete, well-formed for any names, and the same bytes each time. */
#include "picture.h"

#include <valgrind/valgrind.h>

#include "random.h"

/* ---- which bars ---- */

/* Attempts of 100 us: a commit, an abort by thread 8, one that a gap ends, one that is open at the end. */
static void put_four_fates(void)
{
	put(0, 7, STMLOG_EVENT_START);
	put(100000, 7, STMLOG_EVENT_COMMIT);
	put(100000, 7, STMLOG_EVENT_START);
	put_abort(200000, 7, 8);
	put(200000, 7, STMLOG_EVENT_START);
	writer_event(&writer,
		&(struct stmlog_event_record){
			.time_ns = 301000, .argument = 5, .thread = 7, .place = 100000, .kind = STMLOG_EVENT_MISSING});
	put(400000, 7, STMLOG_EVENT_START);
	put(500000, 8, STMLOG_EVENT_ATTACH);
}

TEST(each_attempt_has_a_bar_of_its_fate)
{
	begin();
	put_four_fates();
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"commit\""), 1);
	assert_int_equal(count_of(text, "class=\"abort\""), 1);
	assert_int_equal(count_of(text, "class=\"open\""), 2);
	assert_int_equal(count_of(text, "class=\"missing\""), 1);
	assert_non_null(strstr(text, "<rect id=\"e0\" class=\"commit\" x=\"132.00\" "));
	assert_non_null(strstr(text, "<rect id=\"e2\" class=\"abort\" "));
	assert_non_null(strstr(text, "4 attempts, 1 committed, 1 aborted; 5 events are missing"));
	assert_non_null(strstr(text, "attempt, aborted: aborted-by-other, write-read\n100.0 us from 0.000100000 s\n"
				     "because of thread 8, certain\n"));
	assert_non_null(strstr(text, "attempt, still open at the end"));
	assert_non_null(strstr(text, "attempt; its end is missing"));
	assert_non_null(strstr(text, "5 events are missing\nbetween 0.000300000 s and 0.000400000 s"));
	free(text);
}

TEST(each_abort_with_a_culprit_has_an_arrow)
{
	begin();
	put_four_fates();
	put(500000, 8, STMLOG_EVENT_START);
	put_abort(600000, 8, 0);
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"arrow\""), 1);
	assert_non_null(strstr(text, "<path id=\"a3\" class=\"arrow\""));
	assert_non_null(strstr(text, "thread 8 made thread 7 abort: aborted-by-other, write-read"));
	free(text);
}

TEST(bars_end_at_the_windows_borders)
{
	begin();
	put_four_fates();
	char *text = checked(between(100000, 200000));
	assert_int_equal(count_of(text, "class=\"commit\""), 0);
	assert_int_equal(count_of(text, "class=\"open\""), 0);
	assert_non_null(strstr(text, "class=\"abort\" x=\"132.00\" y=\"85.0\" width=\"1044.00\""));
	assert_int_equal(count_of(text, "class=\"arrow\""), 1);
	free(text);
	begin();
	put_four_fates();
	text = checked(between(50000, 150000));
	assert_non_null(strstr(text, "class=\"commit\" x=\"132.00\" y=\"85.0\" width=\"522.00\""));
	assert_non_null(strstr(text, "class=\"abort\" x=\"654.00\" y=\"85.0\" width=\"522.00\""));
	assert_non_null(strstr(text, "100.0 us from 0.000000000 s"));
	assert_int_equal(count_of(text, "class=\"arrow\""), 0);
	free(text);
}

/* ---- where the picture begins ---- */

static void put_gap(uint64_t at_ns, uint32_t thread, uint64_t until_ns)
{
	writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1000 + at_ns,
				      .argument = 5,
				      .thread = thread,
				      .place = (uint32_t)(until_ns - at_ns),
				      .kind = STMLOG_EVENT_MISSING});
}

/* Thread 7 has its last 1,000 us, thread 8 its last 200 us, and thread 9 all of it, from its beginning at 900 us on. */
static void put_two_rings(void)
{
	put_gap(0, 7, 100000);
	put_gap(0, 8, 800000);
	put(100000, 7, STMLOG_EVENT_START);
	put(700000, 7, STMLOG_EVENT_COMMIT);
	put(800000, 8, STMLOG_EVENT_START);
	put(900000, 9, STMLOG_EVENT_ATTACH);
	put(900000, 9, STMLOG_EVENT_START);
	put(1000000, 8, STMLOG_EVENT_COMMIT);
	put(1000000, 9, STMLOG_EVENT_COMMIT);
}

TEST(a_picture_begins_where_all_threads_are_covered_and_says_so)
{
	begin();
	put_two_rings();
	char *text = checked(whole);
	assert_non_null(strstr(text, "3 threads, 200.0 us: 2 attempts, 2 committed, 0 aborted; earlier, events of some "
				     "threads are missing (--from=0 shows them all)<"));
	assert_non_null(strstr(text, "<rect id=\"e4\" class=\"commit\" x=\"132.00\" "));
	assert_int_equal(count_of(text, "class=\"missing\""), 0);
	free(text);
}

TEST(all_of_it_is_shown_if_asked_for)
{
	begin();
	put_two_rings();
	char *text = checked((struct export_view){.said = EXPORT_FROM});
	assert_non_null(strstr(text, "3 threads, 1.0 ms: 3 attempts, 3 committed, 0 aborted; 10 events are missing<"));
	assert_int_equal(count_of(text, "class=\"missing\""), 2);
	free(text);
}

/* A gap later on, or one up to the end, moves no beginning. */
TEST(other_gaps_do_not_move_the_beginning)
{
	begin();
	put(0, 7, STMLOG_EVENT_START);
	put(0, 8, STMLOG_EVENT_ATTACH);
	put(10000, 8, STMLOG_EVENT_START);
	put_gap(20000, 8, 30000);
	put(30000, 7, STMLOG_EVENT_COMMIT);
	put_gap(30000, 9, 50000);
	char *text = checked(whole);
	assert_null(strstr(text, "earlier"));
	assert_int_equal(count_of(text, "class=\"missing\""), 2);
	free(text);
}

TEST(a_window_where_nothing_is_has_no_bars)
{
	static const uint64_t windows[][2] = {
		{600000, 700000}, {UINT64_MAX, UINT64_MAX}, {UINT64_MAX - 5, UINT64_MAX}, {700000, 700000}};
	for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
		begin();
		put_four_fates();
		char *text = checked(between(windows[i][0], windows[i][1]));
		assert_int_equal(count_of(text, "<rect id=\"e"), 0);
		assert_int_equal(count_of(text, "<path id=\""), 0);
		free(text);
	}
}

/* ---- bars drawn as one ---- */

/* Of titles such as "12 commit: 3.4 us", the sum of the numbers. */
static uint64_t folded(const char *text, const char *fate)
{
	char piece[32];
	uint64_t sum = 0;
	snprintf(piece, sizeof piece, " %s: ", fate);
	for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) {
		const char *digit = at;
		uint64_t count = 0;
		while (digit[-1] == ',' || (digit[-1] >= '0' && digit[-1] <= '9'))
			digit--;
		if (digit[-1] != '\n')
			continue;
		for (; digit < at; digit++)
			count = *digit != ',' ? 10 * count + (uint64_t)(*digit - '0') : count;
		sum += count;
	}
	return sum;
}

TEST(what_is_drawn_as_one_adds_up_to_all_attempts)
{
	enum { ATTEMPTS = 4000 };
	struct random random = {3};
	uint64_t commits = 0, at_ns = 0;
	begin();
	for (size_t i = 0; i < ATTEMPTS; i++) {
		put(at_ns, 7, STMLOG_EVENT_START);
		at_ns += random_below(&random, i % 100 == 0 ? 5000 : 300);
		if (random_below(&random, 3) == 0)
			put_abort(at_ns, 7, 8);
		else
			put(at_ns, 7, STMLOG_EVENT_COMMIT), commits++;
		at_ns += random_below(&random, 50);
	}
	char *text = checked(whole);
	size_t bars = count_of(text, "<rect id=\"e"), groups = count_of(text, " bars on one pixel");
	assert_true(groups > 0 && bars > groups && bars < ATTEMPTS);
	assert_int_equal(folded(text, "commit") + folded(text, "abort") + bars - groups, ATTEMPTS);
	assert_int_equal(folded(text, "commit") + count_of(text, "<title>attempt, committed"), commits);
	free(text);
}

TEST(bars_too_deep_to_be_drawn_are_told_of)
{
	begin();
	for (size_t i = 0; i < 20; i++)
		put(i, 7, STMLOG_EVENT_REGION_BEGIN);
	for (size_t i = 0; i < 20; i++)
		put(1000 + i, 7, STMLOG_EVENT_REGION_END);
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"region\""), 16);
	assert_non_null(strstr(text, ">4 bars that lie deeper than 15 others are not drawn<"));
	free(text);
}

/* The sum over all arrows of how many they stand for; *len: the number of arrows. */
static size_t arrows_of(const char *text, size_t *len)
{
	size_t sum = 0;
	*len = count_of(text, "class=\"arrow\"");
	for (const char *at = strstr(text, " abort "); at != NULL; at = strstr(at + 1, " abort ")) {
		char *end;
		size_t count = strtoul(at + 7, &end, 10);
		sum += strncmp(end, " times in ", 10) == 0 ? count : 0;
	}
	return sum + count_of(text, " abort: aborted-by-other");
}

/* Threads 7 and 8 abort each other in turns. */
static void put_duel(size_t aborts)
{
	begin();
	for (size_t i = 0; i < aborts; i++) {
		put(1000 * i, 7 + i % 2, STMLOG_EVENT_START);
		put_abort(1000 * i + 900, 7 + i % 2, 8 - i % 2);
	}
}

TEST(dense_arrows_are_merged_and_none_is_lost)
{
	size_t arrows;
	put_duel(100);
	char *text = checked(whole);
	assert_int_equal(arrows_of(text, &arrows), 100);
	assert_int_equal(arrows, 100);
	free(text);
	put_duel(900);
	text = checked(whole);
	assert_int_equal(arrows_of(text, &arrows), 900);
	assert_in_range(arrows, 2, 2 * 1044 / 16 + 2);
	assert_non_null(strstr(text, " times in "));
	free(text);
}

/* ---- any timeline ---- */

TEST(a_timeline_of_no_events_is_a_picture)
{
	begin();
	char *text = checked(whole);
	assert_non_null(strstr(text, "; no events"));
	free(text);
}

TEST(a_single_event_is_a_picture)
{
	for (unsigned kind = 0; kind < STMLOG_EVENT_KINDS; kind++) {
		begin();
		put(0, 7, (enum stmlog_event_kind)kind);
		char *text = checked(whole);
		assert_int_equal(count_of(text, " id=\"e0\" "), 1);
		free(text);
	}
}

TEST(all_at_one_time_is_a_picture)
{
	begin();
	for (size_t i = 0; i < 3; i++) {
		put(5, 7, STMLOG_EVENT_START);
		put(5, 7, STMLOG_EVENT_COMMIT);
	}
	char *text = checked(whole);
	assert_int_equal(count_of(text, "<rect id=\"e"), 1);
	assert_int_equal(folded(text, "commit"), 3);
	free(text);
}

TEST(times_of_any_size_are_a_picture)
{
	static const uint64_t times_ns[] = {0, 999, 1000, UINT64_MAX / 2, UINT64_MAX};
	begin();
	for (size_t i = 0; i < sizeof times_ns / sizeof times_ns[0]; i++)
		writer_event(&writer,
			&(struct stmlog_event_record){.time_ns = times_ns[i], .thread = 7, .kind = STMLOG_EVENT_MARK});
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"mark\""), 3);
	free(text);
}

/* Names, words and objects of the whole picture, in any bytes. */
TEST(names_of_any_bytes_are_well_formed)
{
	static const char bytes[] = "\"'<title>&amp;\n\t\x1b[1m\x7f\xff\xc3\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80]]>";
	begin();
	writer_info(&writer, "program=/bin/<\"&\x01\xff");
	struct stmlog_thread_record thread = {.id = 90, .name = writer_string(&writer, bytes)};
	writer_thread(&writer, &thread);
	struct stmlog_event_record event = {.time_ns = 1000, .thread = 90, .place = put_word(bytes)};
	for (unsigned kind = 0; kind < STMLOG_EVENT_KINDS; kind++) {
		event.kind = (uint8_t)kind;
		event.time_ns += 1000;
		event.place = kind == STMLOG_EVENT_MISSING ? 0 : event.place;
		writer_event(&writer, &event);
	}
	char *text = checked(whole);
	assert_null(strstr(text, "\xef\xbf\xbe"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	free(text);
}

/* Events that contradict each other do no harm. */
TEST(any_events_in_any_order_are_a_picture)
{
	struct random random = {11};
	size_t rounds = RUNNING_ON_VALGRIND ? 5 : 50;
	for (size_t round = 0; round < rounds; round++) {
		uint64_t at_ns = 0;
		begin();
		for (size_t i = 0; i < 200; i++) {
			at_ns += random_below(&random, 50);
			struct stmlog_event_record event = {.time_ns = 1000 + at_ns,
				.argument = random_below(&random, 3),
				.thread = 1 + random_below(&random, 3),
				.other = random_below(&random, 4),
				.kind = (uint8_t)random_below(&random, STMLOG_EVENT_KINDS + 2),
				.reason = (uint8_t)random_below(&random, 12),
				.contention = (uint8_t)random_below(&random, 6),
				.detail = (uint8_t)random_below(&random, 12)};
			event.other = event.kind == STMLOG_EVENT_MISSING ? 0 : event.other;
			writer_event(&writer, &event);
		}
		char *text = checked(whole);
		free(text);
	}
}

/* ---- the same bytes ---- */

static void put_some_of_all(void)
{
	begin();
	put_four_fates();
	put(500000, 8, STMLOG_EVENT_START);
	put(510000, 8, STMLOG_EVENT_WAIT_BEGIN);
	put(510000, 8, STMLOG_EVENT_WAIT_END);
	put(520000, 8, STMLOG_EVENT_COMMIT);
	put(520000, 8, STMLOG_EVENT_REGION_BEGIN);
	put(530000, 8, STMLOG_EVENT_MARK);
	put(540000, 8, STMLOG_EVENT_REGION_END);
}

TEST(the_same_recording_gives_the_same_bytes)
{
	put_some_of_all();
	char *first = checked(whole);
	put_some_of_all();
	char *second = checked(whole);
	assert_string_equal(first, second);
	free(first);
	free(second);
}

/* Takes all <animate .../> out; returns how many there were. */
static size_t still(char *text)
{
	size_t count = 0;
	for (char *at = strstr(text, "<animate "); at != NULL; at = strstr(at, "<animate "), count++) {
		char *end = strstr(at, "/>") + 2;
		memmove(at, end, strlen(end) + 1);
	}
	return count;
}

TEST(an_animated_picture_is_the_same_one_that_moves)
{
	put_some_of_all();
	char *image = checked(whole);
	put_some_of_all();
	char *film = checked((struct export_view){.said = EXPORT_ANIMATE, .animate_ns = 2500000000});
	assert_int_equal(count_of(film, " dur=\"2.5s\" "), count_of(film, "<animate "));
	assert_true(still(film) >= count_of(image, " id=\"e") + count_of(image, " id=\"a"));
	assert_string_equal(film, image);
	free(image);
	free(film);
}

TEST(a_picture_is_as_wide_as_was_asked_for)
{
	put_some_of_all();
	char *text = checked((struct export_view){.said = EXPORT_WIDTH, .width = EXPORT_NARROWEST});
	assert_non_null(strstr(text, " width=\"640\" "));
	assert_non_null(strstr(text, " viewBox=\"0 0 640 "));
	for (const char *at = strstr(text, " x=\""); at != NULL; at = strstr(at + 1, " x=\""))
		assert_true(strtod(at + 4, NULL) < 640);
	free(text);
}
