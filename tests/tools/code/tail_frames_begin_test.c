/* SPDX-License-Identifier: MIT
 * This program is the module that ran, and has functions in which transactions begin. They are never run. The labels
 * are where their calls return to. */
#include "own_inlining.h"

#include "symbols.h"

void starts(void);
extern const char begun[], accessed[], called_again[], in_cold_part[], in_other[], in_clone[];

#define FRAME_FUNCTION(name, body)                          \
	".globl " #name "\n"                                \
	".type " #name ", @function\n" #name ": " body "\n" \
	".size " #name ", . - " #name "\n"
#define FRAME_CALL(name, label) "call " #name "\n.globl " #label "\n" #label ":\n"

__asm__(".text\n" FRAME_FUNCTION(_ITM_beginTransaction, "ret") FRAME_FUNCTION(_ITM_WU8, "ret") FRAME_FUNCTION(starts,
	FRAME_CALL(_ITM_beginTransaction, begun) FRAME_CALL(_ITM_WU8, accessed) FRAME_CALL(starts, called_again) "ret")
		FRAME_FUNCTION(starts.cold, FRAME_CALL(_ITM_WU8, in_cold_part) "ret")
			FRAME_FUNCTION(other, FRAME_CALL(_ITM_WU8, in_other) "ret")
				FRAME_FUNCTION(_ZGTt6starts, FRAME_CALL(_ITM_WU8, in_clone) "ret") "nop\n");

/* ---- addresses ---- */

static bool is_of(const char *access)
{
	struct code code;
	assert_true(code_open(&code, module.elf));
	return code_is_one_function(
		&code, (uintptr_t)begun - code.bias - 1, access != NULL ? (uintptr_t)access - code.bias - 1 : 0);
}

TEST_WITH(inlining_fixture, an_access_in_the_function_of_the_begin_or_in_a_part_of_it_is_of_one_call)
{
	assert_true(is_of(accessed));
	assert_true(is_of(begun));
	assert_true(is_of(in_cold_part));
}

TEST_WITH(inlining_fixture, an_access_in_another_function_is_of_another_call)
{
	assert_false(is_of(in_other));
	assert_false(is_of(in_clone));
}

TEST_WITH(inlining_fixture, of_a_function_without_a_name_nothing_is_known)
{
	assert_false(is_of(NULL));
}

/* ---- tracebacks ---- */

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static uint32_t begin, number;

static uint32_t at(const char *address)
{
	return writer_address(&writer, number, (uintptr_t)address);
}

static void start_writing(void)
{
	writer_init(&writer);
	writer_info(&writer, "runtime=libitm");
	struct stmlog_module_record ran = own_module();
	ran.path = writer_string(&writer, own_module_path());
	number = writer_module(&writer, &ran);
	begin = at(begun);
}

static void finish_writing(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
}

/* Writes a recording with one traceback of the sites, and returns how many of them are its frames. */
static size_t frames_of(const uint32_t *sites, uint32_t len)
{
	writer_traceback(&writer, sites, len, 0);
	finish_writing();
	return recording_traceback(&recording, 2).len;
}

static uint32_t kept_begin(void)
{
	return recording_traceback(&recording, 2).begin;
}

static void end(void)
{
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

TEST(a_begin_in_the_function_of_the_access_is_no_frame)
{
	start_writing();
	uint32_t sites[] = {at(accessed), begin, at(called_again)};
	assert_int_equal(frames_of(sites, 3), 2);
	struct recording_traceback traceback = recording_traceback(&recording, 2);
	assert_int_equal(traceback.sites[0], sites[0]);
	assert_int_equal(traceback.sites[1], sites[2]);
	assert_int_equal(traceback.begin, begin);
	end();
}

TEST(a_begin_that_is_the_access_itself_is_one_frame)
{
	start_writing();
	assert_int_equal(frames_of((uint32_t[]){begin, begin}, 2), 1);
	assert_int_equal(kept_begin(), begin);
	end();
}

TEST(a_begin_stays_where_it_is_alone_or_has_called_another_function)
{
	start_writing();
	assert_int_equal(frames_of((uint32_t[]){begin}, 1), 1);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
	start_writing();
	assert_int_equal(frames_of((uint32_t[]){begin, at(called_again)}, 2), 2);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
	start_writing();
	assert_int_equal(frames_of((uint32_t[]){at(in_other), begin, at(called_again)}, 3), 3);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
}

TEST(recursion_stays)
{
	start_writing();
	uint32_t again = at(called_again);
	assert_int_equal(frames_of((uint32_t[]){at(accessed), again, again}, 3), 3);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
	start_writing();
	again = at(called_again);
	assert_int_equal(frames_of((uint32_t[]){at(accessed), begin, again, again}, 4), 3);
	end();
}

TEST(only_the_two_innermost_sites_are_an_access_and_a_begin)
{
	start_writing();
	uint32_t again = at(called_again);
	assert_int_equal(frames_of((uint32_t[]){again, again, begin}, 3), 3);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
}

TEST(a_begin_is_left_out_once)
{
	start_writing();
	assert_int_equal(frames_of((uint32_t[]){at(accessed), begin, at(called_again)}, 3), 2);
	symbols_destroy(&symbols);
	symbols = symbols_create(&recording);
	assert_int_equal(recording_traceback(&recording, 2).len, 2);
	assert_int_equal(kept_begin(), begin);
	end();
}

/* ---- what `stmlog anonymize` has marked ---- */

static void expect_marked(uint32_t len, size_t expected)
{
	start_writing();
	struct stmlog_site_record named = {.kind = STMLOG_SITE_NAMED, .module = number};
	uint32_t sites[] = {writer_site(&writer, &named), writer_site(&writer, &named), writer_site(&writer, &named)};
	writer_traceback(&writer, sites, len, STMLOG_TRACEBACK_BEGIN);
	finish_writing();
	assert_int_equal(recording_traceback(&recording, 2).len, expected);
	assert_int_equal(kept_begin(), expected < len ? sites[1] : STMLOG_NO_SITE);
	end();
}

TEST(a_marked_begin_is_no_frame)
{
	expect_marked(0, 0);
	expect_marked(1, 1);
	expect_marked(2, 1);
	expect_marked(3, 2);
}

TEST(names_alone_make_no_begin)
{
	start_writing();
	struct stmlog_site_record named = {
		.kind = STMLOG_SITE_NAMED, .module = number, .function = writer_string(&writer, "f")};
	uint32_t sites[] = {writer_site(&writer, &named), writer_site(&writer, &named)};
	assert_int_equal(frames_of(sites, 2), 2);
	assert_int_equal(kept_begin(), STMLOG_NO_SITE);
	end();
}
