/* SPDX-License-Identifier: MIT
 * Blocks of machine code as GHC makes it, in this program itself. */
#include "own_inlining.h"

#include "haskell_calling.h"

/* Each piece that has an info table begins with the type of its closure, 8 bytes before the code. */
#define INFO(type) ".balign 8\n.long " #type ", 0\n"
__asm__(".pushsection .text\n.balign 8\n"
	"blocks_entry:\n"
	"	cmp %r15, %rax\n"
	"	jb blocks_give_up\n"
	"blocks_write:\n"
	"	lea blocks_thunk(%rip), %rax\n"
	"	mov %rax, -0x18(%r12)\n"
	"	lea blocks_other(%rip), %rax\n"
	"	mov %rax, -0x8(%r12)\n"
	"	lea -0x17(%r12), %r14\n"
	"	lea blocks_continuation(%rip), %rax\n"
	"	mov %rax, -0x8(%rbp)\n"
	"	jmp blocks_outside\n"
	"blocks_give_up:\n"
	"	jmp *-8(%r13)\n" INFO(30) "blocks_continuation:\n"
					  "	test $7, %bl\n"
					  "	jne blocks_entry\n"
					  "	jmp blocks_give_up\n"
					  "blocks_end:\n" INFO(15) "blocks_thunk: nop\n" INFO(8) "blocks_other: nop\n"
												 "blocks_outside: ret\n"
												 ".popsection\n");

extern const char blocks_entry[], blocks_write[], blocks_give_up[], blocks_continuation[], blocks_end[], blocks_thunk[],
	blocks_other[], blocks_outside[];

enum { ENTRY, WRITE, GIVE_UP, CONTINUATION, BLOCKS };

static struct code code;
static struct haskell_blocks blocks;

static uint64_t address_of(const char *label)
{
	return (uint64_t)(uintptr_t)label - code.bias;
}

static void read_blocks(void)
{
	static struct haskell_function function;
	static struct haskell_scope scope = {.around = HASKELL_NONE};
	assert_true(code_open(&code, module.elf));
	struct haskell_range ranges[BLOCKS] = {{address_of(blocks_entry), address_of(blocks_write), 0},
		{address_of(blocks_write), address_of(blocks_give_up), 0},
		{address_of(blocks_give_up), address_of(blocks_give_up) + 4, 0},
		{address_of(blocks_continuation), address_of(blocks_end), 0}};
	struct haskell_unit unit = {.functions = &function,
		.scopes = &scope,
		.ranges = ranges,
		.function_count = 1,
		.scope_count = 1,
		.range_count = BLOCKS};
	haskell_blocks_init(&blocks, &code, &unit, 0);
	assert_int_equal(blocks.len, BLOCKS);
}

TEST_WITH(inlining_fixture, a_block_leaves_its_continuation_and_jumps_out)
{
	read_blocks();
	assert_int_equal(blocks.at[WRITE].continuation, address_of(blocks_continuation));
	assert_int_equal(blocks.at[WRITE].callee, address_of(blocks_outside));
	assert_int_equal(blocks.at[ENTRY].continuation, 0);
	assert_int_equal(blocks.at[CONTINUATION].callee, 0);
	haskell_blocks_fini(&blocks);
}

TEST_WITH(inlining_fixture, a_closure_is_passed_by_the_register_that_has_its_address)
{
	read_blocks();
	const struct haskell_block *block = &blocks.at[WRITE];
	assert_int_equal(block->closure_count, 2);
	assert_int_equal(block->closures[0].code, address_of(blocks_thunk));
	assert_int_equal(block->closures[0].registers, 1 << 14);
	assert_int_equal(block->closures[1].code, address_of(blocks_other));
	assert_int_equal(block->closures[1].registers, 0);
	haskell_blocks_fini(&blocks);
}

TEST_WITH(inlining_fixture, the_blocks_behind_one_are_those_that_it_leads_to)
{
	bool from_entry[BLOCKS] = {false}, from_end[BLOCKS] = {false};
	read_blocks();
	haskell_blocks_reach(&blocks, ENTRY, from_entry);
	haskell_blocks_reach(&blocks, GIVE_UP, from_end);
	assert_true(from_entry[WRITE] && from_entry[GIVE_UP] && from_entry[CONTINUATION] && from_entry[ENTRY]);
	assert_false(from_end[ENTRY] || from_end[WRITE] || from_end[GIVE_UP] || from_end[CONTINUATION]);
	haskell_blocks_fini(&blocks);
}

TEST_WITH(inlining_fixture, a_function_is_left_for_good_where_no_continuation_is_on_the_stack)
{
	read_blocks();
	assert_false(haskell_blocks_is_last(&blocks, WRITE));
	assert_false(haskell_blocks_is_last(&blocks, GIVE_UP)); /* to the collector */
	blocks.at[WRITE].continuation = 0;
	assert_true(haskell_blocks_is_last(&blocks, WRITE));
	blocks.at[ENTRY].continuation = address_of(blocks_continuation);
	assert_false(haskell_blocks_is_last(&blocks, WRITE)); /* which ENTRY runs into */
	haskell_blocks_fini(&blocks);
}

TEST_WITH(inlining_fixture, an_info_table_says_what_the_code_is_for)
{
	assert_true(code_open(&code, module.elf));
	assert_int_equal(haskell_code_kind(&code, address_of(blocks_thunk)), HASKELL_CODE_CLOSURE);
	assert_int_equal(haskell_code_kind(&code, address_of(blocks_continuation)), HASKELL_CODE_CONTINUATION);
	assert_int_equal(haskell_code_kind(&code, 0), HASKELL_CODE_OTHER);
	assert_int_equal(haskell_code_kind(&code, UINT64_MAX), HASKELL_CODE_OTHER);
}
