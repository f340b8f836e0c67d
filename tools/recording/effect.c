/* SPDX-License-Identifier: MIT
 * Moves, additions and loads of 8 bytes are told exactly. Of other instructions it is told which registers they may
 * write; of those that are not known here, that they may write any. */
#include "effect.h"

#include <stdbool.h>
#include <string.h>

enum { ANY = 0xffff, RAX = 1 << REGISTER_RAX, RDX = 1 << REGISTER_RDX };

/* Invariant: index is REGISTER_NONE where there is none; reg and, if it is no memory, rm are registers. */
struct operands {
	uint8_t opcode, second; /* second: of 0x0f */
	bool is_wide, has_segment, is_memory;
	uint8_t reg, rm, base, index, scale, low;
	int32_t offset;
};

static uint32_t bit(uint8_t number)
{
	return number < REGISTER_RIP ? 1u << number : 0;
}

static uint8_t byte_at(const uint8_t *code, size_t len, size_t at)
{
	return at < len ? code[at] : 0;
}

static int32_t number_at(const uint8_t *code, size_t len, size_t at)
{
	int32_t number = 0;
	if (at + sizeof number <= len)
		memcpy(&number, code + at, sizeof number);
	return number;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65 || byte == 0xf0;
}

static void read_memory(struct operands *operands, const uint8_t *code, size_t len, size_t at, uint8_t rex)
{
	uint8_t modrm = byte_at(code, len, at++), mod = modrm >> 6, rm = modrm & 7, sib = 0;
	operands->is_memory = true;
	operands->base = (uint8_t)(rm | (rex & 1) << 3);
	if (rm == 4) {
		sib = byte_at(code, len, at++);
		operands->base = (uint8_t)((sib & 7) | (rex & 1) << 3);
		operands->index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
		operands->index = operands->index == REGISTER_RSP ? REGISTER_NONE : operands->index;
		operands->scale = (uint8_t)(1 << (sib >> 6));
	}
	bool is_bare = mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5));
	if (is_bare)
		operands->base = rm == 5 ? REGISTER_RIP : REGISTER_NONE;
	if (mod == 1)
		operands->offset = (int8_t)byte_at(code, len, at);
	else if (mod == 2 || is_bare)
		operands->offset = number_at(code, len, at);
}

static struct operands read_operands(const uint8_t *code, size_t len)
{
	struct operands operands = {.index = REGISTER_NONE, .scale = 1};
	size_t at = 0;
	uint8_t rex = 0;
	for (; is_prefix(byte_at(code, len, at)); at++)
		operands.has_segment |= code[at] == 0x64 || code[at] == 0x65;
	if ((byte_at(code, len, at) & 0xf0) == 0x40)
		rex = code[at++];
	operands.is_wide = (rex & 8) != 0;
	operands.opcode = byte_at(code, len, at++);
	if (operands.opcode == 0x0f)
		operands.second = byte_at(code, len, at++);
	uint8_t opcode = operands.opcode == 0x0f ? operands.second : operands.opcode;
	uint8_t modrm = byte_at(code, len, at);
	operands.low = (uint8_t)((opcode & 7) | (rex & 1) << 3);
	operands.reg = (uint8_t)((modrm >> 3 & 7) | (rex & 4) << 1);
	operands.rm = (uint8_t)((modrm & 7) | (rex & 1) << 3);
	if (modrm >> 6 != 3)
		read_memory(&operands, code, len, at, rex);
	return operands;
}

/* ---- which registers may be written ---- */

static uint32_t written_by_rm(const struct operands *operands)
{
	return operands->is_memory ? 0 : bit(operands->rm);
}

/* From 0x00 to 0x3f eight groups are alike: add, or, adc, ..., cmp. */
static uint32_t written_by_arithmetic(const struct operands *operands)
{
	uint8_t form = operands->opcode & 7;
	if (operands->opcode >= 0x38)
		return 0;
	return form < 2 ? written_by_rm(operands) : form < 4 ? bit(operands->reg) : form < 6 ? RAX : ANY;
}

static uint32_t written_by_two(const struct operands *operands)
{
	switch (operands->second) {
	case 0x0d: /* prefetch, nop, endbr64 */
	case 0x18 ... 0x1f:
	case 0x10 ... 0x17: /* to and from vector registers */
	case 0x28 ... 0x2b:
	case 0x2e ... 0x2f:
	case 0x51 ... 0x6f:
	case 0xd6:
	case 0xef:
		return 0;
	case 0x40 ... 0x4f: /* cmov */
	case 0xaf:          /* imul */
	case 0xb6 ... 0xb7: /* movz, movs */
	case 0xbe ... 0xbf:
		return bit(operands->reg);
	case 0x90 ... 0x9f: /* set */
		return written_by_rm(operands);
	default:
		return ANY;
	}
}

static uint32_t written_by_group_f7(const struct operands *operands)
{
	uint8_t which = operands->reg & 7;
	return which < 2 ? 0 : which < 4 ? written_by_rm(operands) : RAX | RDX;
}

static uint32_t written(const struct operands *operands)
{
	if (operands->opcode == 0x0f)
		return written_by_two(operands);
	if (operands->opcode < 0x40)
		return written_by_arithmetic(operands);
	switch (operands->opcode) {
	case 0x50 ... 0x57: /* push */
	case 0x84 ... 0x85: /* test */
	case 0x90:
	case 0xa8 ... 0xa9:
		return 0;
	case 0x58 ... 0x5f: /* pop */
	case 0xb0 ... 0xbf: /* mov */
		return bit(operands->low) | (operands->opcode < 0xb8 && operands->opcode >= 0xb4 ? ANY : 0);
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x8a ... 0x8b:
	case 0x8d:
		return bit(operands->reg);
	case 0x80 ... 0x83:
		return (operands->reg & 7) == 7 ? 0 : written_by_rm(operands);
	case 0x88 ... 0x89:
	case 0xc0 ... 0xc1: /* shifts */
	case 0xc6 ... 0xc7:
	case 0xd0 ... 0xd3:
	case 0xfe ... 0xff:
		return written_by_rm(operands);
	case 0x98:
		return RAX;
	case 0x99:
		return RDX;
	case 0xf6 ... 0xf7:
		return written_by_group_f7(operands);
	default:
		return ANY;
	}
}

/* An instruction for single bytes may mean ah to bh by the numbers of rsp to rdi. */
static uint32_t with_high_bytes(const struct operands *operands, uint32_t registers)
{
	uint8_t opcode = operands->opcode;
	bool is_set = opcode == 0x0f && (operands->second & 0xf0) == 0x90;
	bool is_byte =
		opcode < 0x40 || (opcode & 0xfd) == 0x88 || strchr("\x80\x82\xc0\xc6\xd0\xd2\xf6\xfe", opcode) != NULL;
	bool is_even = (opcode & 1) == 0 && opcode != 0;
	return is_set || (is_byte && is_even) || opcode == 0 ? registers | (registers >> 4 & 0xf) : registers;
}

/* ---- sums and loads ---- */

static void set_sum(struct effect *effect, uint8_t target, uint8_t base, uint8_t index, int64_t offset)
{
	effect->kind = EFFECT_SUM;
	effect->target = target;
	effect->base = base;
	effect->index = index;
	effect->offset = offset;
}

static void set_from_memory(struct effect *effect, const struct operands *operands)
{
	bool is_load = operands->opcode == 0x8b;
	if (operands->has_segment || operands->base == REGISTER_NONE || (is_load && operands->index != REGISTER_NONE))
		return;
	set_sum(effect, operands->reg, operands->base, operands->index, operands->offset);
	effect->kind = is_load ? EFFECT_LOAD : EFFECT_SUM;
	effect->scale = operands->scale;
}

/* add and sub with a number */
static void set_from_number(struct effect *effect, const struct operands *operands, const uint8_t *code, size_t len)
{
	int64_t number = operands->opcode == 0x83 ? (int8_t)code[len - 1] : number_at(code, len, len - 4);
	uint8_t which = operands->reg & 7;
	if (which == 0 || which == 5)
		set_sum(effect, operands->rm, operands->rm, REGISTER_NONE, which == 0 ? number : -number);
}

struct effect effect_of(const uint8_t *code, size_t len)
{
	struct operands operands = read_operands(code, len);
	struct effect effect = {.kind = EFFECT_OTHER,
		.index = REGISTER_NONE,
		.scale = 1,
		.written = with_high_bytes(&operands, written(&operands))};
	bool is_memory = operands.is_memory;
	if (!operands.is_wide)
		return effect;
	if ((operands.opcode == 0x8b || operands.opcode == 0x8d) && is_memory)
		set_from_memory(&effect, &operands);
	else if (operands.opcode == 0x8b)
		set_sum(&effect, operands.reg, operands.rm, REGISTER_NONE, 0);
	else if (operands.opcode == 0x89 && !is_memory)
		set_sum(&effect, operands.rm, operands.reg, REGISTER_NONE, 0);
	else if (operands.opcode == 0x01 && !is_memory)
		set_sum(&effect, operands.rm, operands.rm, operands.reg, 0);
	else if (operands.opcode == 0x03 && !is_memory)
		set_sum(&effect, operands.reg, operands.reg, operands.rm, 0);
	else if ((operands.opcode == 0x81 || operands.opcode == 0x83) && !is_memory)
		set_from_number(&effect, &operands, code, len);
	return effect;
}
