/* SPDX-License-Identifier: MIT
 * Lengths and targets of instructions, and what they do to registers, each as an assembler has made it. */

#include "code.h"
#include "test.h"

#define AT 0x1000
#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

/* All instructions of a row, one after the other, end where the row ends. */
TEST(plain_instructions_have_the_length_that_they_have)
{
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
		ROW("\xc5\xf8\x77"),                             /* vzeroupper */
		ROW("\xd9\xee"),                                 /* fldz */
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

TEST(calls_and_jumps_lead_somewhere)
{
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
		{"\xff\xe0", 2, INSTRUCTION_JUMP_ANY, 0},
		{"\x3e\xff\xe0", 3, INSTRUCTION_JUMP_ANY, 0},
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

TEST(what_is_not_decoded_is_unknown)
{
	assert_int_equal(instruction_decode(CODE("\xe2\xfe"), AT).kind, INSTRUCTION_UNKNOWN); /* loop */
	assert_int_equal(instruction_decode(CODE("\x0f\x05"), AT).kind, INSTRUCTION_UNKNOWN); /* syscall */
	assert_int_equal(instruction_decode(CODE("\xff\xff"), AT).kind, INSTRUCTION_UNKNOWN);
	assert_int_equal(instruction_decode(CODE("\x66\x66"), AT).kind, INSTRUCTION_UNKNOWN);
	assert_int_equal(instruction_decode(CODE(""), AT).kind, INSTRUCTION_UNKNOWN);
}

#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define BIT(name) (1u << REGISTER_##name)

struct moves {
	uint8_t code[16];
	size_t len;
	struct effect effect;
};

TEST(sums_and_loads_are_told_exactly)
{
	static const struct moves rows[] = {
		/* mov %rbx, %rdi, by both opcodes; mov %r14, %rdi */
		{BYTES(0x48, 0x89, 0xdf), {EFFECT_SUM, REGISTER_RDI, REGISTER_RBX, REGISTER_NONE, 1, 0, BIT(RDI)}},
		{BYTES(0x48, 0x8b, 0xfb), {EFFECT_SUM, REGISTER_RDI, REGISTER_RBX, REGISTER_NONE, 1, 0, BIT(RDI)}},
		{BYTES(0x4c, 0x89, 0xf7), {EFFECT_SUM, REGISTER_RDI, 14, REGISTER_NONE, 1, 0, BIT(RDI)}},
		/* lea 0x10(%r14), %rbx; lea -8(%rsp), %rax; lea 0x30(%r14, %rax, 8), %rbx; lea 0x3ff8(%rip), %rbx */
		{BYTES(0x49, 0x8d, 0x5e, 0x10), {EFFECT_SUM, REGISTER_RBX, 14, REGISTER_NONE, 1, 16, BIT(RBX)}},
		{BYTES(0x48, 0x8d, 0x44, 0x24, 0xf8),
			{EFFECT_SUM, REGISTER_RAX, REGISTER_RSP, REGISTER_NONE, 1, -8, BIT(RAX)}},
		{BYTES(0x49, 0x8d, 0x5c, 0xc6, 0x30), {EFFECT_SUM, REGISTER_RBX, 14, REGISTER_RAX, 8, 48, BIT(RBX)}},
		{BYTES(0x48, 0x8d, 0x1d, 0xf8, 0x3f, 0, 0),
			{EFFECT_SUM, REGISTER_RBX, REGISTER_RIP, REGISTER_NONE, 1, 0x3ff8, BIT(RBX)}},
		/* add $0xf0, %rdi; sub $8, %rax; add %rdx, %rax */
		{BYTES(0x48, 0x81, 0xc7, 0xf0, 0, 0, 0),
			{EFFECT_SUM, REGISTER_RDI, REGISTER_RDI, REGISTER_NONE, 1, 240, BIT(RDI)}},
		{BYTES(0x48, 0x83, 0xe8, 0x08),
			{EFFECT_SUM, REGISTER_RAX, REGISTER_RAX, REGISTER_NONE, 1, -8, BIT(RAX)}},
		{BYTES(0x48, 0x01, 0xd0), {EFFECT_SUM, REGISTER_RAX, REGISTER_RAX, REGISTER_RDX, 1, 0, BIT(RAX)}},
		/* mov 8(%rsp), %r14; mov -0x18(%rbp), %rax; mov 0x2929(%rip), %rdi */
		{BYTES(0x4c, 0x8b, 0x74, 0x24, 0x08), {EFFECT_LOAD, 14, REGISTER_RSP, REGISTER_NONE, 1, 8, 1u << 14}},
		{BYTES(0x48, 0x8b, 0x45, 0xe8),
			{EFFECT_LOAD, REGISTER_RAX, REGISTER_RBP, REGISTER_NONE, 1, -24, BIT(RAX)}},
		{BYTES(0x48, 0x8b, 0x3d, 0x29, 0x29, 0, 0),
			{EFFECT_LOAD, REGISTER_RDI, REGISTER_RIP, REGISTER_NONE, 1, 0x2929, BIT(RDI)}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct effect effect = instruction_effect(rows[i].code, rows[i].len), expected = rows[i].effect;
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

TEST(other_instructions_tell_what_they_may_write)
{
	enum { ALL = 0xffff };
	static const struct writes rows[] = {
		{BYTES(0x89, 0xdf), BIT(RDI)},                                  /* mov %ebx, %edi */
		{BYTES(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0), BIT(RAX)}, /* mov %fs:0x28, %rax */
		{BYTES(0x48, 0x8b, 0x04, 0xcb), BIT(RAX)},                      /* mov (%rbx, %rcx, 8), %rax */
		{BYTES(0x48, 0x89, 0x44, 0x24, 0x08), 0},                       /* mov %rax, 8(%rsp) */
		{BYTES(0x31, 0xff), BIT(RDI)},                                  /* xor %edi, %edi */
		{BYTES(0x48, 0xc1, 0xe0, 0x03), BIT(RAX)},                      /* shl $3, %rax */
		{BYTES(0x83, 0xe0, 0x07), BIT(RAX)},                            /* and $7, %eax */
		{BYTES(0x48, 0x83, 0xf8, 0x07), 0},                             /* cmp $7, %rax */
		{BYTES(0x48, 0x39, 0xd8), 0},                                   /* cmp %rbx, %rax */
		{BYTES(0xa8, 0x02), 0},                                         /* test $2, %al */
		{BYTES(0x41, 0x56), BIT(RSP)},                                  /* push %r14 */
		{BYTES(0x41, 0x5e), 1u << 14 | BIT(RSP)},                       /* pop %r14 */
		{BYTES(0x41, 0xbe, 1, 0, 0, 0), 1u << 14},                      /* mov $1, %r14d */
		{BYTES(0x88, 0xc7), BIT(RBX)},                                  /* mov %al, %bh */
		{BYTES(0x48, 0xf7, 0xf1), BIT(RAX) | BIT(RDX)},                 /* div %rcx */
		{BYTES(0x0f, 0x44, 0xf8), BIT(RDI)},                            /* cmove %eax, %edi */
		{BYTES(0x0f, 0x94, 0xc0), BIT(RAX)},                            /* sete %al */
		{BYTES(0x0f, 0x29, 0x07), 0},                                   /* movaps %xmm0, (%rdi) */
		{BYTES(0x66, 0x48, 0x0f, 0x7e, 0xc7), BIT(RDI)},                /* movq %xmm0, %rdi */
		{BYTES(0x48, 0x87, 0xc7), BIT(RAX) | BIT(RDI)},                 /* xchg %rax, %rdi */
		{BYTES(0xf3, 0x48, 0xab), BIT(RCX) | BIT(RDI)},                 /* rep stosq */
		{BYTES(0x0f, 0xa2), BIT(RAX) | BIT(RBX) | BIT(RCX) | BIT(RDX)}, /* cpuid */
		{BYTES(0x48, 0x0f, 0xc1, 0xd1), BIT(RCX) | BIT(RDX)},           /* xadd %rdx, %rcx */
		{BYTES(0x48, 0x0f, 0xc7, 0x0f), BIT(RAX) | BIT(RDX)},           /* cmpxchg16b (%rdi) */
		{BYTES(0xf0, 0x0f, 0xb1, 0x17), ALL},                           /* lock cmpxchg %edx, (%rdi) */
		{BYTES(0xc4, 0xe1, 0xf9, 0x7e, 0xc1), BIT(RCX)},                /* vmovq %xmm0, %rcx */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct effect effect = instruction_effect(rows[i].code, rows[i].len);
		assert_int_equal(effect.kind, EFFECT_OTHER);
		assert_int_equal(effect.written, rows[i].written);
	}
}
