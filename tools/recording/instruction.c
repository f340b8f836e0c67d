/* SPDX-License-Identifier: MIT
 * An instruction is: prefixes, an opcode of one to three bytes, a ModRM byte with perhaps a SIB byte and a
 * displacement, and an immediate operand. Tables tell by the opcode which of the latter there are. */
#include "instruction.h"

#include <stdbool.h>
#include <string.h>

/* What follows an opcode. Z: 4 bytes, or 2 with an operand-size prefix. */
enum { NOTHING, BYTE, Z, MODRM, MODRM_BYTE, MODRM_Z, UNKNOWN };

struct decoder {
	const uint8_t *code;
	size_t size, at;
	bool is_short, is_wide; /* an operand-size prefix; REX.W */
	bool has_failed;
};

static uint8_t next(struct decoder *decoder)
{
	if (decoder->at >= decoder->size) {
		decoder->has_failed = true;
		return 0;
	}
	return decoder->code[decoder->at++];
}

static void skip(struct decoder *decoder, size_t bytes)
{
	if (decoder->size - decoder->at < bytes)
		decoder->has_failed = true;
	else
		decoder->at += bytes;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65 || byte == 0xf0;
}

/* Skips prefixes; returns the first byte of the opcode. */
static uint8_t opcode_of(struct decoder *decoder)
{
	uint8_t byte = next(decoder);
	for (; is_prefix(byte) && !decoder->has_failed; byte = next(decoder))
		decoder->is_short |= byte == 0x66;
	if ((byte & 0xf0) != 0x40)
		return byte;
	decoder->is_wide = (byte & 8) != 0;
	return next(decoder);
}

/* Skips the ModRM byte and all that belongs to it; returns it. *slot: the operand's offset from the next instruction,
 * if the operand is addressed that way. */
static uint8_t skip_modrm(struct decoder *decoder, int32_t *slot, bool *has_slot)
{
	uint8_t modrm = next(decoder), mod = modrm >> 6, rm = modrm & 7;
	*has_slot = mod == 0 && rm == 5;
	if (mod == 3)
		return modrm;
	uint8_t sib = rm == 4 ? next(decoder) : 0;
	size_t before = decoder->at;
	if (mod == 1)
		skip(decoder, 1);
	else if (mod == 2 || *has_slot || (rm == 4 && (sib & 7) == 5))
		skip(decoder, 4);
	if (*has_slot && !decoder->has_failed)
		memcpy(slot, decoder->code + before, sizeof *slot);
	return modrm;
}

/* ---- opcodes of one byte ---- */

/* From 0x00 to 0x3f eight groups are alike: add, or, adc, ... */
static int form_of_arithmetic(uint8_t opcode)
{
	static const uint8_t forms[8] = {MODRM, MODRM, MODRM, MODRM, BYTE, Z, UNKNOWN, UNKNOWN};
	return forms[opcode & 7];
}

static int form_of_one(uint8_t opcode)
{
	if (opcode < 0x40)
		return form_of_arithmetic(opcode);
	switch (opcode) {
	case 0x50 ... 0x5f: /* push, pop */
	case 0x90 ... 0x99: /* nop, xchg, cltq, cqto */
	case 0xa4 ... 0xa7: /* strings */
	case 0xaa ... 0xaf:
	case 0xc9: /* leave */
		return NOTHING;
	case 0x63:
	case 0x84 ... 0x8b: /* test, xchg, mov */
	case 0x8d:          /* lea */
	case 0xd0 ... 0xd3: /* shifts */
	case 0xfe:
		return MODRM;
	case 0x6a:
	case 0xa8:
	case 0xb0 ... 0xb7:
		return BYTE;
	case 0x68:
	case 0xa9:
		return Z;
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0 ... 0xc1:
	case 0xc6:
		return MODRM_BYTE;
	case 0x69:
	case 0x81:
	case 0xc7:
		return MODRM_Z;
	default:
		return UNKNOWN;
	}
}

/* ---- opcodes of two bytes, behind 0x0f ---- */

static int form_of_two(uint8_t opcode)
{
	switch (opcode) {
	case 0x77:
	case 0xa2:
	case 0xc8 ... 0xcf: /* bswap */
		return NOTHING;
	case 0x10 ... 0x17: /* SSE */
	case 0x18 ... 0x1f: /* prefetch, nop, endbr64 */
	case 0x28 ... 0x2f:
	case 0x40 ... 0x6f: /* cmov, SSE */
	case 0x74 ... 0x76:
	case 0x7c ... 0x7f:
	case 0x90 ... 0x9f: /* set */
	case 0xa3:
	case 0xa5:
	case 0xab:
	case 0xad ... 0xb1: /* fences, imul, cmpxchg */
	case 0xb3:
	case 0xb6 ... 0xb8: /* movz, popcnt */
	case 0xbb ... 0xc1: /* bits, movs, xadd */
	case 0xc3:
	case 0xc7:
	case 0xd0 ... 0xff: /* SSE */
		return MODRM;
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return MODRM_BYTE;
	default:
		return UNKNOWN;
	}
}

/* Returns what follows, and for opcodes of three bytes skips the third. */
static int form_behind_0f(struct decoder *decoder, uint8_t opcode)
{
	if (opcode != 0x38 && opcode != 0x3a)
		return form_of_two(opcode);
	next(decoder);
	return opcode == 0x38 ? MODRM : MODRM_BYTE;
}

/* ---- the whole ---- */

static void skip_form(struct decoder *decoder, int form)
{
	int32_t slot;
	bool has_slot;
	if (form == UNKNOWN)
		decoder->has_failed = true;
	if (form == MODRM || form == MODRM_BYTE || form == MODRM_Z)
		skip_modrm(decoder, &slot, &has_slot);
	if (form == BYTE || form == MODRM_BYTE)
		skip(decoder, 1);
	if (form == Z || form == MODRM_Z)
		skip(decoder, decoder->is_short ? 2 : 4);
}

/* A jump or call by a displacement of so many bytes. */
static struct instruction relative(struct decoder *decoder, enum instruction_kind kind, size_t bytes, uint64_t address)
{
	int8_t near = 0;
	int32_t far = 0;
	size_t before = decoder->at;
	skip(decoder, bytes);
	if (!decoder->has_failed)
		memcpy(bytes == 1 ? (void *)&near : (void *)&far, decoder->code + before, bytes);
	uint64_t displacement = (uint64_t)(int64_t)(bytes == 1 ? near : far);
	return (struct instruction){kind, decoder->at, address + decoder->at + displacement};
}

/* inc, dec, call, jmp, push by an operand. */
static struct instruction group_ff(struct decoder *decoder, uint64_t address)
{
	static const enum instruction_kind kinds[8] = {INSTRUCTION_PLAIN, INSTRUCTION_PLAIN, INSTRUCTION_CALL_ANY,
		INSTRUCTION_UNKNOWN, INSTRUCTION_END, INSTRUCTION_UNKNOWN, INSTRUCTION_PLAIN, INSTRUCTION_UNKNOWN};
	int32_t slot = 0;
	bool has_slot;
	uint8_t which = skip_modrm(decoder, &slot, &has_slot) >> 3 & 7;
	struct instruction found = {kinds[which], decoder->at, address + decoder->at + (uint64_t)(int64_t)slot};
	if (has_slot && which == 2)
		found.kind = INSTRUCTION_CALL_SLOT;
	if (has_slot && which == 4)
		found.kind = INSTRUCTION_JUMP_SLOT;
	return found;
}

/* test has an immediate operand, not and neg have none. */
static int form_of_f6(const struct decoder *decoder, uint8_t opcode)
{
	bool is_test = decoder->at < decoder->size && (decoder->code[decoder->at] >> 3 & 7) < 2;
	return !is_test ? MODRM : opcode == 0xf6 ? MODRM_BYTE : MODRM_Z;
}

static struct instruction decode(struct decoder *decoder, uint64_t address)
{
	uint8_t opcode = opcode_of(decoder);
	if ((opcode & 0xf0) == 0x70)
		return relative(decoder, INSTRUCTION_BRANCH, 1, address);
	switch (opcode) {
	case 0xe8:
		return relative(decoder, INSTRUCTION_CALL, 4, address);
	case 0xe9:
		return relative(decoder, INSTRUCTION_JUMP, 4, address);
	case 0xeb:
		return relative(decoder, INSTRUCTION_JUMP, 1, address);
	case 0xff:
		return group_ff(decoder, address);
	case 0xc3: /* ret */
	case 0xcc: /* int3 */
	case 0xf4: /* hlt */
		return (struct instruction){INSTRUCTION_END, decoder->at, 0};
	case 0xf6:
	case 0xf7:
		skip_form(decoder, form_of_f6(decoder, opcode));
		break;
	case 0xb8 ... 0xbf: /* mov; only this one has immediate operands of 8 bytes */
		skip(decoder, decoder->is_wide ? 8 : decoder->is_short ? 2 : 4);
		break;
	case 0x0f:
		opcode = next(decoder);
		if ((opcode & 0xf0) == 0x80)
			return relative(decoder, INSTRUCTION_BRANCH, 4, address);
		if (opcode == 0x0b) /* ud2 */
			return (struct instruction){INSTRUCTION_END, decoder->at, 0};
		skip_form(decoder, form_behind_0f(decoder, opcode));
		break;
	default:
		skip_form(decoder, form_of_one(opcode));
	}
	return (struct instruction){INSTRUCTION_PLAIN, decoder->at, 0};
}

struct instruction instruction_decode(const uint8_t *code, size_t size, uint64_t address)
{
	enum { LONGEST = 15 };
	struct decoder decoder = {.code = code, .size = size < LONGEST ? size : LONGEST};
	struct instruction found = decode(&decoder, address);
	if (decoder.has_failed)
		found.kind = INSTRUCTION_UNKNOWN;
	return found;
}
