/* SPDX-License-Identifier: MIT
 * Stacks of Haskell threads: all forms of frames, stacks in several pieces, and stacks that make no sense;
 * and names of transactions. */
#include "functions.h"

#include <string.h>

#include "real.h"
#include "walk.h"

static struct hs_stack *stack;

static void set_up(void)
{
	fixture_set_up();
	fake_rts_open(true);
	stack = fake_stack(256);
}

static void tear_down(void)
{
	fake_objects_free();
	fixture_tear_down();
}

static const struct test_fixture walk_fixture = {set_up, tear_down};

static void push_atomically(const struct haskell_function *function)
{
	uintptr_t closure = (uintptr_t)fake_closure(&function->info, 0, NULL) + 1;
	const uintptr_t frame[3] = {fake_info(&fake_atomically_info), closure, 0};
	fake_push(stack, frame, 3);
}

static void push_all(size_t len, const struct haskell_function *const *functions)
{
	while (len-- != 0)
		fake_push_return(stack, &functions[len]->info);
}

static void assert_codes(
	const uintptr_t *codes, size_t max, size_t len, const struct haskell_function *const *functions)
{
	for (size_t i = 0; i < max; i++)
		assert_int_equal(codes[i], i < len ? haskell_code(functions[i]) : 0);
}

/* Sites of an access, of which the first one has a mark. */
static void assert_sites(uintptr_t *sites, size_t len, const struct haskell_function *const *functions)
{
	if (len > 0)
		sites[0] -= WALK_TOP - 1;
	assert_codes(sites, RING_SITES, len, functions);
}

/* ---- forms of frames ---- */

TEST_WITH(walk_fixture, the_last_frame_has_none_behind_it)
{
	assert_null(walk_next(stack->top));
}

TEST_WITH(walk_fixture, a_frame_is_as_large_as_its_layout_says)
{
	static const struct fake_info plain = FAKE_INFO(FAKE_RET_SMALL, 5 | 0x15 << 6); /* and a bitmap */
	const uintptr_t *end = stack->top;
	fake_push(stack, (const uintptr_t[6]){fake_info(&plain)}, 6);
	assert_ptr_equal(walk_next(stack->top), end);
}

TEST_WITH(walk_fixture, a_large_frame_is_as_large_as_its_table_says)
{
	enum { WORDS = 100 };
	static struct {
		struct fake_info info;
		uint64_t bitmap_size;
	} large = {.info = FAKE_INFO(HS_RET_BIG, 0), .bitmap_size = WORDS};
	uintptr_t frame[1 + WORDS] = {fake_info(&large.info)};
	const uintptr_t *end = stack->top;
	large.info.layout = (uint64_t)((uintptr_t)&large.bitmap_size - fake_info(&large.info));
	fake_push(stack, frame, 1 + WORDS);
	assert_ptr_equal(walk_next(stack->top), end);
}

/* The upper half of the layout word belongs to another field. */
TEST_WITH(walk_fixture, a_table_may_lie_before_the_code)
{
	static struct {
		uint64_t bitmap_size;
		struct fake_info info;
	} large = {.info = FAKE_INFO(HS_RET_BIG, 0), .bitmap_size = 2};
	const uintptr_t *end = stack->top;
	large.info.layout = (uint32_t)((uintptr_t)&large.bitmap_size - fake_info(&large.info)) | 0x12345678ull << 32;
	fake_push(stack, (const uintptr_t[3]){fake_info(&large.info)}, 3);
	assert_ptr_equal(walk_next(stack->top), end);
}

TEST_WITH(walk_fixture, a_frame_of_a_function_has_its_arguments)
{
	static const struct fake_info ret_fun = FAKE_INFO(HS_RET_FUN, 0);
	const uintptr_t *end = stack->top;
	fake_push(stack, (const uintptr_t[7]){fake_info(&ret_fun), 4}, 7);
	assert_ptr_equal(walk_next(stack->top), end);
}

TEST_WITH(walk_fixture, a_frame_of_byte_code_is_as_large_as_the_byte_code_says)
{
	enum { WORDS = 9 };
	static const struct fake_info ret_bco = FAKE_INFO(HS_RET_BCO, 0), bco = FAKE_INFO(23, 0);
	const uintptr_t fields[] = {0, 0, 0, 0, WORDS};
	uintptr_t frame[2 + WORDS] = {fake_info(&ret_bco), (uintptr_t)fake_closure(&bco, 5, fields)};
	const uintptr_t *end = stack->top;
	fake_push(stack, frame, 2 + WORDS);
	assert_ptr_equal(walk_next(stack->top), end);
}

TEST_WITH(walk_fixture, a_stack_goes_on_in_the_piece_before)
{
	struct hs_stack *before = stack;
	uintptr_t callers[RING_CALLERS];
	push_all(1, (const struct haskell_function *const[]){&serve});
	stack = fake_stack(64);
	fake_push(stack, (const uintptr_t[2]){fake_info(&fake_underflow_info), (uintptr_t)before}, 2);
	push_all(1, (const struct haskell_function *const[]){&poke});
	walk_callers(stack->top, callers);
	assert_codes(callers, RING_CALLERS, 2, (const struct haskell_function *const[]){&poke, &serve});
}

/* ---- walks ---- */

TEST_WITH(walk_fixture, an_access_has_its_innermost_frames_within_the_transaction)
{
	const struct haskell_function *const inner[] = {&reader, &writer, &poke, &serve, &victim};
	uintptr_t sites[RING_SITES];
	push_all(1, (const struct haskell_function *const[]){&serve});
	push_atomically(&victim);
	walk_access(stack->top, sites);
	assert_sites(sites, 0, inner);
	push_all(2, inner);
	walk_access(stack->top, sites);
	assert_sites(sites, 2, inner);
	fake_pop(stack, 2);
	push_all(5, inner);
	walk_access(stack->top, sites);
	assert_sites(sites, RING_SITES, inner);
}

/* A frame of one word whose code leaves for that word: mov 8(%rbp), %rbx; add $16, %rbp; jmp. */
#define LEAVE "\x48\x8b\x5d\x08\x48\x83\xc5\x10\xe9"
#define BIND(instructions)                                                \
	{                                                                 \
		.type = FAKE_RET_SMALL, .layout = 1, .code = instructions \
	}

static void push_word(const struct fake_info *info, uintptr_t word)
{
	fake_push(stack, (const uintptr_t[2]){fake_info(info), word}, 2);
}

TEST_WITH(walk_fixture, a_bind_is_the_code_that_it_goes_on_with)
{
	static const struct fake_info next = FAKE_INFO(FAKE_FUN, 0);
	static const struct fake_info action = BIND(LEAVE), function = BIND("\x49\x89\xde" LEAVE);
	uintptr_t sites[RING_SITES];
	uintptr_t closure = (uintptr_t)fake_closure(&next, 0, NULL);
	push_word(&action, closure);
	push_word(&function, closure + 2);
	walk_access(stack->top, sites);
	assert_int_equal(sites[0], fake_info(&next) + WALK_NEXT);
	assert_int_equal(sites[1], fake_info(&next) + WALK_NEXT);
}

TEST_WITH(walk_fixture, other_frames_of_one_word_are_themselves)
{
	static const struct fake_info next = FAKE_INFO(FAKE_FUN, 0);
	static const struct fake_info other = BIND("\x48\x8b\x5d\x08"), bind = BIND(LEAVE);
	uintptr_t sites[RING_SITES];
	push_word(&other, (uintptr_t)fake_closure(&next, 0, NULL));
	push_word(&bind, fake_value());
	walk_access(stack->top, sites);
	assert_int_equal(sites[0], fake_info(&bind) + WALK_TOP);
	assert_int_equal(sites[1], fake_info(&other) + 1);
}

TEST_WITH(walk_fixture, the_librarys_write_is_left_out)
{
	uintptr_t sites[RING_SITES];
	push_all(2, (const struct haskell_function *const[]){&writer, &serve});
	ghc_real.write_tvar = (const char *)fake_info(&writer.info);
	walk_access(stack->top, sites);
	assert_sites(sites, 1, (const struct haskell_function *const[]){&serve});
	ghc_real.write_tvar = NULL;
	walk_access(stack->top, sites);
	assert_sites(sites, 2, (const struct haskell_function *const[]){&writer, &serve});
}

TEST_WITH(walk_fixture, frames_of_the_rts_are_not_shown)
{
	static const struct fake_info ret_bco = FAKE_INFO(HS_RET_BCO, 0);
	const uintptr_t no_words[5] = {0};
	uintptr_t sites[RING_SITES];
	push_atomically(&victim);
	fake_push(stack, (const uintptr_t[2]){fake_info(&ret_bco), (uintptr_t)fake_closure(&ret_bco, 5, no_words)}, 2);
	push_all(1, (const struct haskell_function *const[]){&writer});
	fake_push(stack, (const uintptr_t[2]){fake_info(&fake_update_info), 0}, 2);
	fake_push(stack, (const uintptr_t[4]){fake_info(&fake_catch_retry_info)}, 4);
	walk_access(stack->top, sites);
	assert_sites(sites, 1, (const struct haskell_function *const[]){&writer});
}

TEST_WITH(walk_fixture, a_transaction_is_found_behind_any_frames)
{
	assert_null(walk_transaction(stack->top));
	push_atomically(&victim);
	const uintptr_t *frame = stack->top;
	push_all(2, (const struct haskell_function *const[]){&reader, &writer});
	assert_ptr_equal(walk_transaction(stack->top), frame);
	assert_int_equal(walk_code_of(frame), haskell_code(&victim));
}

TEST_WITH(walk_fixture, the_callers_of_a_transaction_are_the_first_ones)
{
	const struct haskell_function *const outer[] = {&serve, &poke, &serve, &poke, &serve, &poke, &victim};
	uintptr_t callers[RING_CALLERS];
	push_all(7, outer);
	walk_callers(stack->top, callers);
	assert_codes(callers, RING_CALLERS, RING_CALLERS, outer);
	walk_callers(NULL, callers);
	assert_codes(callers, RING_CALLERS, 0, outer);
}

/* A transaction that has called itself ever deeper: the walk gives up. */
TEST_WITH(walk_fixture, a_very_deep_stack_is_not_walked_to_its_end)
{
	for (uint32_t depth = 4000; depth <= 5000; depth += 1000) {
		stack = fake_stack(depth + 8);
		push_atomically(&victim);
		for (uint32_t i = 0; i < depth; i++)
			fake_push_return(stack, &reader.info);
		assert_int_equal(walk_transaction(stack->top) != NULL, depth == 4000);
	}
}

/* ---- code of the transaction ---- */

TEST_WITH(walk_fixture, the_code_is_that_of_the_function_behind_applications_and_indirections)
{
	static const struct fake_info pap = FAKE_INFO(HS_PAP, 0), ap = FAKE_INFO(HS_AP, 0), ind = FAKE_INFO(HS_IND, 0),
				      ind_static = FAKE_INFO(HS_IND_STATIC, 0);
	uintptr_t closure = (uintptr_t)fake_closure(&victim.info, 0, NULL) + 2;
	closure = (uintptr_t)fake_closure(&pap, 2, (const uintptr_t[]){0, closure});
	closure = (uintptr_t)fake_closure(&ind, 1, (const uintptr_t[]){closure});
	closure = (uintptr_t)fake_closure(&ap, 3, (const uintptr_t[]){0, 0, closure}) + 1;
	closure = (uintptr_t)fake_closure(&ind_static, 1, (const uintptr_t[]){closure});
	assert_int_equal(walk_code(closure), haskell_code(&victim));
}

TEST_WITH(walk_fixture, work_that_is_done_has_the_code_of_its_value)
{
	static const struct fake_info black_hole = FAKE_INFO(HS_BLACKHOLE, 0);
	uintptr_t value = (uintptr_t)fake_closure(&victim.info, 0, NULL);
	uintptr_t closure = (uintptr_t)fake_closure(&black_hole, 1, (const uintptr_t[]){value + 1});
	assert_int_equal(walk_code(closure), haskell_code(&victim));
}

TEST_WITH(walk_fixture, work_that_is_under_way_has_no_code)
{
	static const struct fake_info black_hole = FAKE_INFO(HS_BLACKHOLE, 0), tso = FAKE_INFO(HS_TSO, 0),
				      queue = FAKE_INFO(HS_BLOCKING_QUEUE, 0), *const workers[] = {&tso, &queue};
	for (size_t i = 0; i < 2; i++) {
		uintptr_t worker = (uintptr_t)fake_closure(workers[i], 0, NULL);
		uintptr_t closure = (uintptr_t)fake_closure(&black_hole, 1, &worker);
		assert_int_equal(walk_code(closure), 0);
	}
}

TEST_WITH(walk_fixture, a_circle_of_indirections_has_no_code)
{
	static const struct fake_info ind = FAKE_INFO(HS_IND, 0);
	struct hs_closure *closure = fake_closure(&ind, 1, (const uintptr_t[]){0});
	closure->words[0] = (uintptr_t)closure;
	assert_int_equal(walk_code((uintptr_t)closure), 0);
}

/* ---- where the stack begins ---- */

TEST_WITH(walk_fixture, a_register_that_is_no_stack_pointer_is_not_taken_for_one)
{
	struct hs_tso tso = {.stack = stack};
	assert_ptr_equal(walk_top(&tso, stack->words + 7), stack->words + 7);
	assert_ptr_equal(walk_top(&tso, stack->words), stack->words);
	assert_ptr_equal(walk_top(&tso, stack->words + stack->size), stack->top);
	assert_ptr_equal(walk_top(&tso, stack->words - 1), stack->top);
	assert_ptr_equal(walk_top(&tso, NULL), stack->top);
	assert_ptr_equal(walk_top(&tso, (uintptr_t *)&tso), stack->top);
}

/* ---- names of transactions, read from frames like that of the function behind atomicallyNamed ---- */

static void begin_names(void)
{
	transaction_names = true;
}

/* The numbers of names are never freed. */
static void end_names(void)
{
	transaction_names = false;
	fake_objects_free();
}

static const struct test_fixture name_fixture = {begin_names, end_names};

/* An info table with the name of its constructor behind it. */
struct named_info {
	struct fake_info info;
	char name[40];
};
#define CONSTRUCTOR(pointers, text)                                                                  \
	{                                                                                            \
		.info = {.description = sizeof(struct fake_info) - offsetof(struct fake_info, code), \
			.layout = (pointers),                                                        \
			.type = HS_CONSTR},                                                          \
		.name = (text)                                                                       \
	}
static const struct named_info cons = CONSTRUCTOR(2, "ghc-prim:GHC.Types.:"),
			       nil = CONSTRUCTOR(0, "ghc-prim:GHC.Types.[]"),
			       character = CONSTRUCTOR(0, "ghc-prim:GHC.Types.C#"),
			       transaction = CONSTRUCTOR(1, "main:StmlogNames.StmlogTransaction"),
			       other = CONSTRUCTOR(1, "main:Main.NoStmlogTransaction");
static const struct fake_info thunk = FAKE_INFO(16, 0), black_hole = FAKE_INFO(HS_BLACKHOLE, 1);
/* Three words, of which the second one is no pointer. */
static const struct fake_info small = FAKE_INFO(FAKE_RET_SMALL, 3 | 2 << 6), big = FAKE_INFO(HS_RET_BIG, 3 | 2 << 6);

static uintptr_t closure(const struct fake_info *info, size_t len, uintptr_t first, uintptr_t second)
{
	return (uintptr_t)fake_closure(info, len, (const uintptr_t[]){first, second});
}

/* The characters in front of the end. */
static uintptr_t string(const uint32_t *characters, uintptr_t end)
{
	size_t len = 0;
	while (characters[len] != 0)
		len++;
	while (len-- > 0)
		end = closure(&cons.info, 2, closure(&character.info, 1, characters[len], 0) + 1, end) + 2;
	return end;
}

static uintptr_t end(void)
{
	return closure(&nil.info, 0, 0, 0) + 1;
}

/* The number of the name in a frame of this form, whose last word is this constructor with the string. */
static uintptr_t number_in(const struct fake_info *frame, const struct named_info *name, uintptr_t text)
{
	const uintptr_t words[] = {
		fake_info(frame), closure(&character.info, 1, 'x', 0), 3, closure(&name->info, 1, text, 0) + 1};
	return transaction_name(words);
}

static void assert_name(uintptr_t number, const char *expected)
{
	struct tb_place place;
	assert_int_not_equal(number, 0);
	assert_true(tb_code_place(transaction_site(number), &place));
	assert_string_equal(place.function, expected);
	assert_int_equal(place.line, 0);
}

TEST_WITH(name_fixture, a_name_is_read_from_the_frame)
{
	assert_name(number_in(&small, &transaction, string(U"save", end())), "save");
	assert_name(number_in(&small, &transaction, string(U"a\u00fc\u20ac\U0001f600", end())),
		"a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST_WITH(name_fixture, a_name_is_as_long_as_is_evaluated)
{
	uintptr_t rest = closure(&black_hole, 1, string(U"de", closure(&thunk, 1, 0, 0)), 0);
	assert_name(number_in(&small, &transaction, string(U"abc", rest)), "abcde");
}

TEST_WITH(name_fixture, a_name_of_63_bytes_is_whole)
{
	uint32_t text[66] = {0};
	char expected[66] = "";
	for (size_t i = 0; i < 64; i++) {
		text[i] = 'a';
		expected[i] = i < 63 ? 'a' : '\0';
		if (i >= 62)
			assert_name(number_in(&small, &transaction, string(text, end())), expected);
	}
}

TEST_WITH(name_fixture, other_frames_have_no_name)
{
	uintptr_t text = string(U"save", end());
	assert_int_equal(number_in(&small, &other, text), 0);
	assert_int_equal(number_in(&big, &transaction, text), 0);
	assert_int_equal(number_in(&small, &transaction, end()), 0);
	assert_int_equal(transaction_name(NULL), 0);
}

TEST_WITH(name_fixture, no_name_is_looked_for_until_the_program_gives_some)
{
	transaction_names = false;
	assert_int_equal(number_in(&small, &transaction, string(U"save", end())), 0);
}

TEST(other_words_are_addresses)
{
	assert_int_equal(transaction_site(0x400000).code, TB_CODE_ADDRESS);
	assert_int_equal(transaction_site(0x400000).position, 0x400000);
}
