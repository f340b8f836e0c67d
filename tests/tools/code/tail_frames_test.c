/* SPDX-License-Identifier: MIT
 * This program is the module that ran, and has functions that end with a jump to another one, and one that calls them.
 * They are never run. The labels are where its calls return to. */
#include "own_inlining.h"

#include "symbols.h"

void tail_last(void);
void tail_other(void);
void tail_by_one(void);
void tail_by_slot(void);
void tail_by_two(void);
void tail_by_other(void);
extern const char tail_direct[], tail_once[], tail_slot[], tail_twice[], tail_far[], tail_split[], tail_stub[],
	tail_any[], tail_jumped[];

#define TAIL_FUNCTION(name, body)                           \
	".globl " #name "\n"                                \
	".type " #name ", @function\n" #name ": " body "\n" \
	".size " #name ", . - " #name "\n"
#define TAIL_CALL(name, label) "call " #name "\n.globl " #label "\n" #label ":\n"

__asm__(".text\n" TAIL_FUNCTION(tail_last, "ret") TAIL_FUNCTION(tail_other, "ret") TAIL_FUNCTION(
	tail_by_one, "nop\njmp tail_last\n.globl tail_jumped\ntail_jumped: ret") TAIL_FUNCTION(tail_by_slot,
	"jmp *tail_last@gotpcrel(%rip)") TAIL_FUNCTION(tail_by_two,
	"je tail_last\njmp tail_last") TAIL_FUNCTION(tail_by_other, "jmp tail_by_one") TAIL_FUNCTION(tail_last.cold,
	"jmp tail_last") TAIL_FUNCTION(tail_calls,
	TAIL_CALL(tail_last, tail_direct) TAIL_CALL(tail_by_one, tail_once) TAIL_CALL(tail_by_slot, tail_slot)
		TAIL_CALL(tail_by_two, tail_twice) TAIL_CALL(tail_by_other, tail_far) TAIL_CALL(tail_last.cold,
			tail_split) TAIL_CALL(psignal @plt, tail_stub) TAIL_CALL(* % rax, tail_any) "ret"));

/* ---- one tail call ---- */

static struct code code;
static uint64_t jumped;

/* The function that the call which returns there leads to, while a function that has the address `below` is on the
 * stack. */
static uint64_t find(const char *returned, void (*below)(void))
{
	assert_true(code_open(&code, module.elf));
	jumped = 1;
	uint64_t found =
		tail_call_find(&code, (uintptr_t)returned - code.bias, (uint64_t)(uintptr_t)below - code.bias, &jumped);
	return found != 0 ? found + code.bias : 0;
}

static void assert_left(const char *returned, void (*function)(void))
{
	assert_int_equal(find(returned, tail_last), (uint64_t)(uintptr_t)function);
}

static void assert_none(const char *returned, void (*below)(void))
{
	assert_int_equal(find(returned, below), 0);
}

TEST_WITH(inlining_fixture, a_function_that_was_called_and_stands_has_left_nothing_out)
{
	assert_none(tail_direct, tail_last);
}

TEST_WITH(inlining_fixture, a_function_that_jumped_to_the_one_that_stands_has_left)
{
	assert_left(tail_once, tail_by_one);
	assert_int_equal(jumped + code.bias, (uintptr_t)tail_jumped);
}

TEST_WITH(inlining_fixture, a_jump_through_a_slot_leads_to_a_function_of_the_file)
{
	assert_left(tail_slot, tail_by_slot);
	assert_int_not_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, of_several_jumps_none_is_known_to_be_the_one)
{
	assert_left(tail_twice, tail_by_two);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, of_several_functions_that_have_left_the_first_is_known)
{
	assert_left(tail_far, tail_by_other);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, a_function_that_was_called_has_left_whatever_stands)
{
	assert_int_equal(find(tail_once, tail_other), (uint64_t)(uintptr_t)tail_by_one);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, parts_of_one_function_have_not_left_it)
{
	assert_none(tail_split, tail_last);
}

TEST_WITH(inlining_fixture, of_other_files_and_of_computed_addresses_nothing_is_known)
{
	assert_none(tail_stub, tail_last);
	assert_none(tail_any, tail_last);
}

TEST_WITH(inlining_fixture, where_no_call_returned_nothing_is_known)
{
	assert_none(tail_direct + 1, tail_last);
	assert_none(tail_once, NULL);
}

/* ---- the frames of a recording ---- */

static struct recording recording;
static struct symbols *symbols;
static uint32_t twice;

static uint32_t site_at(struct writer *writer, uint32_t number, uintptr_t address)
{
	return writer_address(writer, number, address);
}

/* Tracebacks of a call within tail_last(), to which calls of tail_calls() have led. */
static void begin(const char *runtime)
{
	struct writer writer;
	writer_init(&writer);
	writer_info(&writer, runtime);
	struct stmlog_module_record ran = own_module();
	ran.path = writer_string(&writer, own_module_path());
	uint32_t number = writer_module(&writer, &ran);
	uint32_t last = site_at(&writer, number, (uintptr_t)tail_last + 1);
	uint32_t once = site_at(&writer, number, (uintptr_t)tail_once);
	twice = site_at(&writer, number, (uintptr_t)tail_twice);
	uint32_t direct = site_at(&writer, number, (uintptr_t)tail_direct);
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
