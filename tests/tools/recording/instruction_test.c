/* SPDX-License-Identifier: MIT
 * Lengths and targets of instructions, each as an assembler has made it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "instruction.h"

#define AT 0x1000
#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

/* All instructions of a row, one after the other, end where the row ends. */
static void plain_instructions_have_the_length_that_they_have(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
#define ROW(bytes) {bytes, sizeof(bytes) - 1}
		ROW("\x48\x8b\x15\xd9\x2d\x00\x00"),             /* mov 0x2dd9(%rip),%rdx */
		ROW("\x48\x8d\x0d\x5f\x0d\x00\x00"),             /* lea 0xd5f(%rip),%rcx */
		ROW("\xb8\x00\x00\x00\x00"),                     /* mov $0,%eax */
		ROW("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"), /* movabs */
		ROW("\x66\xb8\x01\x02"),                         /* mov $0x201,%ax */
		ROW("\x66\x81\xc1\x01\x02"),                     /* add $0x201,%cx */
		ROW("\x48\x83\x05\xe5\x2d\x00\x00\x01"),         /* addq $1,0x2de5(%rip) */
		ROW("\xc7\x44\x24\x08\x01\x00\x00\x00"),         /* movl $1,8(%rsp) */
		ROW("\x8b\x04\x85\x10\x20\x30\x00"),             /* mov 0x302010(,%rax,4),%eax */
		ROW("\xf6\xc3\x02"),                             /* test $2,%bl */
		ROW("\xf7\xd8"),                                 /* neg %eax */
		ROW("\xf7\xc7\x08\x00\x00\x00"),                 /* test $8,%edi */
		ROW("\xa8\x02"),                                 /* test $2,%al */
		ROW("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"),     /* mov %fs:0x28,%rax */
		ROW("\xf3\x0f\x1e\xfa"),                         /* endbr64 */
		ROW("\x0f\x1f\x84\x00\x00\x00\x00\x00"),         /* nopl */
		ROW("\xf2\x0f\x10\x05\x00\x00\x00\x00"),         /* movsd (%rip),%xmm0 */
		ROW("\x66\x0f\x3a\x16\xc0\x01"),                 /* pextrd */
		ROW("\xff\x33"),                                 /* push (%rbx) */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct instruction found = instruction_decode((const uint8_t *)rows[i].bytes, rows[i].len, AT);
		assert_int_equal(found.kind, INSTRUCTION_PLAIN);
		assert_int_equal(found.len, rows[i].len);
		/* The same bytes, but for the last one, are no whole instruction. */
		found = instruction_decode((const uint8_t *)rows[i].bytes, rows[i].len - 1, AT);
		assert_int_equal(found.kind, INSTRUCTION_UNKNOWN);
	}
}

static void calls_and_jumps_lead_somewhere(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t len;
		enum instruction_kind kind;
		uint64_t target;
	} rows[] = {
		{"\xe8\x10\x00\x00\x00", 5, INSTRUCTION_CALL, AT + 5 + 0x10},
		{"\xe8\xf0\xff\xff\xff", 5, INSTRUCTION_CALL, AT + 5 - 0x10},
		{"\xff\x15\x10\x00\x00\x00", 6, INSTRUCTION_CALL_SLOT, AT + 6 + 0x10},
		{"\xff\xd0", 2, INSTRUCTION_CALL_ANY, 0},
		{"\xff\x50\x08", 3, INSTRUCTION_CALL_ANY, 0},
		{"\xe9\x10\x00\x00\x00", 5, INSTRUCTION_JUMP, AT + 5 + 0x10},
		{"\xeb\xfe", 2, INSTRUCTION_JUMP, AT},
		{"\xf2\xff\x25\x10\x00\x00\x00", 7, INSTRUCTION_JUMP_SLOT, AT + 7 + 0x10},
		{"\xff\xe0", 2, INSTRUCTION_END, 0},
		{"\x3e\xff\xe0", 3, INSTRUCTION_END, 0},
		{"\x75\x02", 2, INSTRUCTION_BRANCH, AT + 4},
		{"\x0f\x85\x98\x00\x00\x00", 6, INSTRUCTION_BRANCH, AT + 6 + 0x98},
		{"\xc3", 1, INSTRUCTION_END, 0},
		{"\x0f\x0b", 2, INSTRUCTION_END, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct instruction found = instruction_decode((const uint8_t *)rows[i].bytes, rows[i].len, AT);
		assert_int_equal(found.kind, rows[i].kind);
		assert_int_equal(found.len, rows[i].len);
		if (rows[i].target != 0)
			assert_int_equal(found.target, rows[i].target);
	}
}

static void what_is_not_decoded_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(instruction_decode(CODE("\xc5\xf8\x77"), AT).kind, INSTRUCTION_UNKNOWN); /* vzeroupper */
	assert_int_equal(instruction_decode(CODE("\xd9\xee"), AT).kind, INSTRUCTION_UNKNOWN);     /* fldz */
	assert_int_equal(instruction_decode(CODE("\x0f\x05"), AT).kind, INSTRUCTION_UNKNOWN);     /* syscall */
	assert_int_equal(instruction_decode(CODE("\xff\xff"), AT).kind, INSTRUCTION_UNKNOWN);
	assert_int_equal(instruction_decode(CODE("\x66\x66"), AT).kind, INSTRUCTION_UNKNOWN);
	assert_int_equal(instruction_decode(CODE(""), AT).kind, INSTRUCTION_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_instructions_have_the_length_that_they_have),
		cmocka_unit_test(calls_and_jumps_lead_somewhere),
		cmocka_unit_test(what_is_not_decoded_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
