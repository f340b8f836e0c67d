/* SPDX-License-Identifier: MIT
 * This program is the module that ran, and has functions that end with a jump (tail_call_sample.h). */
#include "loaded.h"

#include "own_module.h"
#include "symbol.h"
#include "tail_call_sample.h"

static struct recording recording;
static struct symbols *symbols;
static uint32_t twice;

static uint32_t site_at(struct writer *writer, uint32_t module, uintptr_t address)
{
	return writer_address(writer, module, address);
}

/* Tracebacks of a call within tail_last(), to which calls of tail_calls() have led. */
static void begin(const char *runtime)
{
	struct writer writer;
	writer_init(&writer);
	writer_info(&writer, runtime);
	struct stmlog_module_record record = own_module();
	record.path = writer_string(&writer, own_module_path());
	uint32_t module = writer_module(&writer, &record);
	uint32_t last = site_at(&writer, module, (uintptr_t)tail_last + 1);
	uint32_t once = site_at(&writer, module, (uintptr_t)tail_once);
	twice = site_at(&writer, module, (uintptr_t)tail_twice);
	uint32_t direct = site_at(&writer, module, (uintptr_t)tail_direct);
	uint32_t place = writer_place(&writer, "place", "a.c", 1);
	writer_traceback(&writer, (uint32_t[]){last, once, place}, 3, STMLOG_TRACEBACK_CUT);
	writer_traceback(&writer, (uint32_t[]){last, direct, twice}, 3, 0);
	writer_traceback(&writer, (uint32_t[]){last, once}, 2, 0);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
}

static void end(void)
{
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

static const char *name_in(const struct recording_traceback *traceback, size_t frame)
{
	return symbols_site(symbols, traceback->sites[frame])->frames->function;
}

TEST(a_function_that_has_left_stands_between_its_caller_and_the_function_that_it_has_called)
{
	begin("runtime=libitm");
	struct recording_traceback traceback = recording_traceback(&recording, 2);
	assert_int_equal(traceback.len, 4);
	assert_true(traceback.is_cut);
	assert_string_equal(name_in(&traceback, 0), "tail_last");
	assert_string_equal(name_in(&traceback, 1), "tail_by_one");
	assert_string_equal(name_in(&traceback, 2), "tail_calls");
	assert_string_equal(name_in(&traceback, 3), "place");
	end();
}

TEST(the_site_of_a_function_that_has_left_is_behind_its_jump)
{
	begin("runtime=libitm");
	struct recording_traceback traceback = recording_traceback(&recording, 2);
	assert_int_equal(recording.sites[traceback.sites[1]].position, (uintptr_t)tail_jumped);
	end();
}

TEST(a_function_that_may_have_left_by_several_jumps_has_no_line_of_a_jump)
{
	begin("runtime=libitm");
	struct recording_traceback traceback = recording_traceback(&recording, 3);
	assert_int_equal(traceback.len, 4);
	assert_int_equal(traceback.sites[3], twice);
	const struct symbol_site *site = symbols_site(symbols, traceback.sites[2]);
	assert_int_equal(site->len, 1);
	assert_string_equal(site->frames->function, "tail_by_two");
	assert_int_equal(site->frames->line, 0);
	end();
}

TEST(the_same_call_has_one_site)
{
	begin("runtime=libitm");
	assert_int_equal(recording_traceback(&recording, 2).sites[1], recording_traceback(&recording, 4).sites[1]);
	end();
}

TEST(a_recording_that_is_looked_at_again_gets_no_more_frames)
{
	begin("runtime=libitm");
	size_t count = recording.site_count;
	symbols_destroy(&symbols);
	symbols = symbols_create(&recording);
	assert_int_equal(recording.site_count, count);
	assert_int_equal(recording_traceback(&recording, 2).len, 4);
	end();
}

/* Its code always jumps, and has its own call frames. */
TEST(tracebacks_of_GHC_stay)
{
	begin("runtime=ghc");
	assert_int_equal(recording_traceback(&recording, 2).len, 3);
	end();
}
