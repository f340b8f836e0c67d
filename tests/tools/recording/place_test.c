/* SPDX-License-Identifier: MIT
 * What is one place and what is two. */
#include "placed.h"

#include "report_memory.h"

static void set_up(void)
{
	writer_init(&writer);
}

static void tear_down(void)
{
	places_destroy(&places);
	assert_null(places);
	unload();
}

static const struct test_fixture fixture = {set_up, tear_down};

static uint32_t traceback_of(uint32_t innermost, uint32_t outer)
{
	return writer_traceback(&writer, (uint32_t[]){innermost, outer}, 2, 0);
}

TEST_WITH(fixture, unknown_and_no_frames_are_two_places_of_their_own)
{
	load();
	assert_int_equal(places_innermost(places, 0), PLACE_UNKNOWN);
	assert_int_equal(places_innermost(places, 1), PLACE_NO_FRAMES);
	assert_string_equal(place_fixed_name(PLACE_UNKNOWN), "unknown");
	assert_string_equal(place_fixed_name(PLACE_NO_FRAMES), "(no frames)");
	assert_null(place_fixed_name(PLACE_FIRST));
	assert_null(places_frame(places, PLACE_UNKNOWN));
	assert_null(places_frame(places, PLACE_NO_FRAMES));
	assert_int_equal(places_traceback(places, 0), 0);
	assert_int_equal(places_traceback(places, 1), 1);
}

TEST_WITH(fixture, two_sites_of_one_name_are_one_place)
{
	uint32_t one = writer_place(&writer, "f", "a.c", 1), other = writer_place(&writer, "f", "a.c", 1);
	uint32_t outer = writer_place(&writer, "main", "a.c", 9);
	uint32_t by_one = traceback_of(one, outer), by_other = traceback_of(other, outer);
	uint32_t deeper = traceback_of(other, other);
	load();
	uint32_t place = places_innermost(places, by_other);
	assert_true(place >= PLACE_FIRST);
	assert_int_equal(places_innermost(places, by_one), place);
	assert_int_equal(places_innermost(places, deeper), place);
	assert_string_equal(places_frame(places, place)->function, "f");
	assert_int_equal(places_traceback(places, by_other), by_other);
	assert_int_equal(places_traceback(places, by_one), by_other);
	assert_int_equal(places_traceback(places, deeper), deeper);
}

TEST_WITH(fixture, another_function_file_or_line_is_another_place)
{
	static const struct {
		const char *function, *file;
		uint32_t line;
	} names[] = {{"f", "a.c", 1}, {"g", "a.c", 1}, {"f", "b.c", 1}, {"f", "a.c", 2}, {"f", "", 0}, {"", "", 0}};
	enum { NAMES = sizeof names / sizeof names[0] };
	uint32_t tracebacks[NAMES];
	for (size_t i = 0; i < NAMES; i++) {
		uint32_t site = writer_place(&writer, names[i].function, names[i].file, names[i].line);
		tracebacks[i] = traceback_of(site, site);
	}
	load();
	for (size_t i = 0; i < NAMES; i++) {
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(
				places_innermost(places, tracebacks[i]), places_innermost(places, tracebacks[k]));
			assert_int_not_equal(
				places_traceback(places, tracebacks[i]), places_traceback(places, tracebacks[k]));
		}
	}
}

TEST_WITH(fixture, without_a_function_module_and_offset_are_the_name)
{
	struct stmlog_module_record library = {.start = 0x1000, .end = 0x2000, .path = writer_string(&writer, "/gone")};
	uint32_t module = writer_module(&writer, &library);
	uint32_t one = writer_address(&writer, module, 0x1010), same = writer_address(&writer, module, 0x1010);
	uint32_t next = writer_address(&writer, module, 0x1011);
	uint32_t nowhere = writer_address(&writer, STMLOG_NO_MODULE, 0x1010);
	uint32_t by_one = traceback_of(one, one), by_same = traceback_of(same, one);
	uint32_t by_next = traceback_of(next, one), by_nowhere = traceback_of(nowhere, one);
	load();
	assert_int_equal(places_innermost(places, by_one), places_innermost(places, by_same));
	assert_int_not_equal(places_innermost(places, by_one), places_innermost(places, by_next));
	assert_int_not_equal(places_innermost(places, by_one), places_innermost(places, by_nowhere));
}

TEST_WITH(fixture, a_cut_traceback_is_not_the_whole_one)
{
	uint32_t site = writer_place(&writer, "f", "a.c", 1);
	uint32_t whole = writer_traceback(&writer, &site, 1, 0);
	uint32_t cut = writer_traceback(&writer, &site, 1, STMLOG_TRACEBACK_CUT);
	uint32_t longer = traceback_of(site, site);
	load();
	assert_int_not_equal(places_traceback(places, whole), places_traceback(places, cut));
	assert_int_not_equal(places_traceback(places, whole), places_traceback(places, longer));
	assert_int_equal(places_innermost(places, whole), places_innermost(places, cut));
}

TEST_WITH(fixture, transactions_begin_where_an_entry_a_transaction_or_a_sleep_says_so)
{
	uint32_t sites[5];
	writer_place(&writer, "before", "a.c", 9); /* an entry with site 0 has none */
	for (uint32_t i = 0; i < 5; i++)
		sites[i] = writer_place(&writer, "f", "a.c", i == 4 ? 1 : i + 1);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .site = sites[0]});
	writer_entry(&writer, &(struct stmlog_entry_record){.detail = 1, .count = 1, .site = STMLOG_NO_SITE});
	writer_transaction(&writer, &(struct stmlog_transaction_record){.site = sites[1]});
	writer_blocked(&writer, &(struct stmlog_blocked_record){.site = sites[2], .count = 1});
	load();
	bool *begins = places_begins(places);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(begins[places_site(places, sites[i])], i != 3);
	assert_false(begins[PLACE_UNKNOWN]);
	memory_free(begins);
}
