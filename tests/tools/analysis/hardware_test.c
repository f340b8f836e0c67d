/* SPDX-License-Identifier: MIT
 * Recordings of transactions in modules that are bound lazily or not, which are really there. */
#include "loaded.h"

#include <stmlog/read.h>

#include "built_module.h"
#include "hardware.h"
#include "temp_dir.h"

static const char source[] = "extern void free(void *); void drop(void *p) { free(p); }";

static struct writer writer;

static void begin(void)
{
	writer_init(&writer);
	writer_info(&writer, "runtime=libitm");
	writer_info(&writer, "method=htm");
	writer_info(&writer, "hardware_attempts=100");
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
}

static uint32_t module_at(const char *path)
{
	struct stmlog_module_record module = {.start = 0x7f0000001000, .end = 0x7f0000002000, .bias = 0x7f0000000000};
	module.path = writer_string(&writer, path);
	return writer_module(&writer, &module);
}

static uint32_t lazy_module(void)
{
	const char *path = temp_dir_path("lazy.so");
	built_module(path, source, "-Wl,-z,lazy");
	return module_at(path);
}

/* A traceback of one place of the module. */
static uint32_t where(uint32_t module, const char *function, uint64_t position)
{
	struct stmlog_site_record site = {
		.kind = STMLOG_SITE_PLACE, .module = module, .position = position, .line = 33};
	site.function = writer_string(&writer, function);
	site.file = writer_string(&writer, "list.c");
	return writer_traceback(&writer, (uint32_t[]){writer_site(&writer, &site)}, 1, 0);
}

static void lose(uint32_t traceback, const char *word, uint64_t count)
{
	bool is_over_data = strcmp(word, "HTM_CONFLICT") == 0;
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				      .contention = is_over_data ? STMLOG_DATA : STMLOG_NONE,
				      .detail = writer_string(&writer, word),
				      .local = traceback,
				      .count = count,
				      .lost_ns = count});
}

struct found {
	struct lazy_place at[4];
	char function[4][32];
	size_t len;
};

static struct found found_now(void)
{
	struct recording recording;
	struct found found = {.len = 0};
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	struct places *places = places_create(&recording, symbols);
	struct lazy_places lazy = lazy_places_of(&recording, symbols, places);
	assert_true(lazy.len <= 4);
	for (found.len = 0; found.len < lazy.len; found.len++) {
		found.at[found.len] = lazy.at[found.len];
		snprintf(found.function[found.len], sizeof found.function[0], "%s",
			places_frame(places, lazy.at[found.len].place)->function);
	}
	lazy_places_fini(&lazy);
	places_destroy(&places);
	symbols_destroy(&symbols);
	recording_fini(&recording);
	return found;
}

TEST_WITH(temp_dir_fixture, a_place_that_mostly_fails_for_no_reason_is_told)
{
	begin();
	uint32_t module = lazy_module();
	uint32_t drop = where(module, "drop", 1), again = where(module, "drop", 2), worse = where(module, "clear", 3);
	lose(drop, "HTM_UNFRIENDLY", 30);
	lose(again, "HTM_UNFRIENDLY", 5); /* the same place at another address */
	lose(again, "HTM_CONFLICT", 15);
	lose(worse, "HTM_UNFRIENDLY", 40);
	struct found found = found_now();
	assert_int_equal(found.len, 2);
	assert_string_equal(found.function[0], "clear");
	assert_int_equal(found.at[0].aborts, 40);
	assert_string_equal(found.function[1], "drop");
	assert_int_equal(found.at[1].aborts, 50);
	assert_int_equal(found.at[1].unfriendly, 35);
}

static size_t count_of(uint64_t unfriendly, uint64_t others)
{
	begin();
	uint32_t drop = where(lazy_module(), "drop", 1);
	if (unfriendly != 0)
		lose(drop, "HTM_UNFRIENDLY", unfriendly);
	if (others != 0)
		lose(drop, "HTM_CAPACITY", others);
	lose(drop, "LOCKED_READ", 1000); /* no hardware transaction's */
	return found_now().len;
}

TEST_WITH(temp_dir_fixture, few_aborts_or_a_smaller_part_are_no_sign)
{
	assert_int_equal(count_of(10, 0), 1);
	assert_int_equal(count_of(9, 0), 0);
	assert_int_equal(count_of(5, 5), 1);
	assert_int_equal(count_of(50, 51), 0);
	assert_int_equal(count_of(0, 50), 0);
}

static size_t count_in(uint32_t module)
{
	lose(where(module, "drop", 1), "HTM_UNFRIENDLY", 100);
	return found_now().len;
}

TEST_WITH(temp_dir_fixture, a_module_that_is_bound_at_once_is_no_suspect)
{
	const char *path = temp_dir_path("now.so");
	built_module(path, source, "-Wl,-z,now");
	begin();
	assert_int_equal(count_in(module_at(path)), 0);
}

TEST_WITH(temp_dir_fixture, of_a_module_that_is_gone_or_unknown_nothing_is_said)
{
	begin();
	assert_int_equal(count_in(module_at(temp_dir_path("gone.so"))), 0);
	begin();
	assert_int_equal(count_in(STMLOG_NO_MODULE), 0);
	begin();
	lose(1, "HTM_UNFRIENDLY", 100);
	lose(0, "HTM_UNFRIENDLY", 100);
	assert_int_equal(found_now().len, 0);
}

TEST_WITH(temp_dir_fixture, a_program_that_bound_all_or_no_hardware_has_no_suspects)
{
	begin();
	writer_info(&writer, "bind_now=1");
	assert_int_equal(count_in(lazy_module()), 0);
	begin();
	writer_info(&writer, "bind_now=0");
	assert_int_equal(count_in(lazy_module()), 1);
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	assert_int_equal(count_in(lazy_module()), 0);
}
