/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "effect.h"

#define CODE(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define BIT(name) (1u << REGISTER_##name)

struct moves {
	uint8_t code[16];
	size_t len;
	struct effect effect;
};

static void sums_and_loads_are_told_exactly(void **state)
{
	static const struct moves rows[] = {
		/* mov %rbx, %rdi, by both opcodes; mov %r14, %rdi */
		{CODE(0x48, 0x89, 0xdf), {EFFECT_SUM, REGISTER_RDI, REGISTER_RBX, REGISTER_NONE, 1, 0, BIT(RDI)}},
		{CODE(0x48, 0x8b, 0xfb), {EFFECT_SUM, REGISTER_RDI, REGISTER_RBX, REGISTER_NONE, 1, 0, BIT(RDI)}},
		{CODE(0x4c, 0x89, 0xf7), {EFFECT_SUM, REGISTER_RDI, 14, REGISTER_NONE, 1, 0, BIT(RDI)}},
		/* lea 0x10(%r14), %rbx; lea -8(%rsp), %rax; lea 0x30(%r14, %rax, 8), %rbx; lea 0x3ff8(%rip), %rbx */
		{CODE(0x49, 0x8d, 0x5e, 0x10), {EFFECT_SUM, REGISTER_RBX, 14, REGISTER_NONE, 1, 16, BIT(RBX)}},
		{CODE(0x48, 0x8d, 0x44, 0x24, 0xf8),
			{EFFECT_SUM, REGISTER_RAX, REGISTER_RSP, REGISTER_NONE, 1, -8, BIT(RAX)}},
		{CODE(0x49, 0x8d, 0x5c, 0xc6, 0x30), {EFFECT_SUM, REGISTER_RBX, 14, REGISTER_RAX, 8, 48, BIT(RBX)}},
		{CODE(0x48, 0x8d, 0x1d, 0xf8, 0x3f, 0, 0),
			{EFFECT_SUM, REGISTER_RBX, REGISTER_RIP, REGISTER_NONE, 1, 0x3ff8, BIT(RBX)}},
		/* add $0xf0, %rdi; sub $8, %rax; add %rdx, %rax */
		{CODE(0x48, 0x81, 0xc7, 0xf0, 0, 0, 0),
			{EFFECT_SUM, REGISTER_RDI, REGISTER_RDI, REGISTER_NONE, 1, 240, BIT(RDI)}},
		{CODE(0x48, 0x83, 0xe8, 0x08),
			{EFFECT_SUM, REGISTER_RAX, REGISTER_RAX, REGISTER_NONE, 1, -8, BIT(RAX)}},
		{CODE(0x48, 0x01, 0xd0), {EFFECT_SUM, REGISTER_RAX, REGISTER_RAX, REGISTER_RDX, 1, 0, BIT(RAX)}},
		/* mov 8(%rsp), %r14; mov -0x18(%rbp), %rax; mov 0x2929(%rip), %rdi */
		{CODE(0x4c, 0x8b, 0x74, 0x24, 0x08), {EFFECT_LOAD, 14, REGISTER_RSP, REGISTER_NONE, 1, 8, 1u << 14}},
		{CODE(0x48, 0x8b, 0x45, 0xe8),
			{EFFECT_LOAD, REGISTER_RAX, REGISTER_RBP, REGISTER_NONE, 1, -24, BIT(RAX)}},
		{CODE(0x48, 0x8b, 0x3d, 0x29, 0x29, 0, 0),
			{EFFECT_LOAD, REGISTER_RDI, REGISTER_RIP, REGISTER_NONE, 1, 0x2929, BIT(RDI)}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct effect effect = effect_of(rows[i].code, rows[i].len), expected = rows[i].effect;
		assert_int_equal(effect.kind, expected.kind);
		assert_int_equal(effect.target, expected.target);
		assert_int_equal(effect.base, expected.base);
		assert_int_equal(effect.index, expected.index);
		assert_int_equal(effect.scale, expected.scale);
		assert_true(effect.offset == expected.offset);
		assert_int_equal(effect.written, expected.written);
	}
}

struct writes {
	uint8_t code[16];
	size_t len;
	uint32_t written;
};

static void other_instructions_tell_what_they_may_write(void **state)
{
	enum { ALL = 0xffff };
	static const struct writes rows[] = {
		{CODE(0x89, 0xdf), BIT(RDI)},                                  /* mov %ebx, %edi */
		{CODE(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0), BIT(RAX)}, /* mov %fs:0x28, %rax */
		{CODE(0x48, 0x8b, 0x04, 0xcb), BIT(RAX)},                      /* mov (%rbx, %rcx, 8), %rax */
		{CODE(0x48, 0x89, 0x44, 0x24, 0x08), 0},                       /* mov %rax, 8(%rsp) */
		{CODE(0x31, 0xff), BIT(RDI)},                                  /* xor %edi, %edi */
		{CODE(0x48, 0xc1, 0xe0, 0x03), BIT(RAX)},                      /* shl $3, %rax */
		{CODE(0x83, 0xe0, 0x07), BIT(RAX)},                            /* and $7, %eax */
		{CODE(0x48, 0x83, 0xf8, 0x07), 0},                             /* cmp $7, %rax */
		{CODE(0x48, 0x39, 0xd8), 0},                                   /* cmp %rbx, %rax */
		{CODE(0xa8, 0x02), 0},                                         /* test $2, %al */
		{CODE(0x41, 0x56), 0},                                         /* push %r14 */
		{CODE(0x41, 0x5e), 1u << 14},                                  /* pop %r14 */
		{CODE(0x41, 0xbe, 1, 0, 0, 0), 1u << 14},                      /* mov $1, %r14d */
		{CODE(0x88, 0xc7), BIT(RDI) | BIT(RBX)},                       /* mov %al, %bh */
		{CODE(0x48, 0xf7, 0xf1), BIT(RAX) | BIT(RDX)},                 /* div %rcx */
		{CODE(0x0f, 0x44, 0xf8), BIT(RDI)},                            /* cmove %eax, %edi */
		{CODE(0x0f, 0x94, 0xc0), BIT(RAX)},                            /* sete %al */
		{CODE(0x0f, 0x29, 0x07), 0},                                   /* movaps %xmm0, (%rdi) */
		{CODE(0x66, 0x48, 0x0f, 0x7e, 0xc7), ALL},                     /* movq %xmm0, %rdi */
		{CODE(0x48, 0x87, 0xc7), ALL},                                 /* xchg %rax, %rdi */
		{CODE(0xf3, 0x48, 0xab), ALL},                                 /* rep stosq */
		{CODE(0x0f, 0xa2), ALL},                                       /* cpuid */
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct effect effect = effect_of(rows[i].code, rows[i].len);
		assert_int_equal(effect.kind, EFFECT_OTHER);
		assert_int_equal(effect.written, rows[i].written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_loads_are_told_exactly),
		cmocka_unit_test(other_instructions_tell_what_they_may_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
