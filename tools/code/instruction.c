/* SPDX-License-Identifier: MIT
 * Decodes by Capstone. Moves, additions and loads of 8 bytes are described exactly; of other instructions only the
 * registers that they write. */
#include "instruction.h"

#include <stdbool.h>

#include <capstone/capstone.h>

#include "check.h"

enum { ANY_REGISTER = 0xffff };

/* Valid until the next call. NULL: no instruction, or no memory for the decoder, which lives as long as the process. */
static const cs_insn *decode(const uint8_t *code, size_t size, uint64_t address)
{
	enum { LONGEST = 15 };
	static csh decoder;
	static cs_insn *decoded;
	if (decoded == NULL && cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) == CS_ERR_OK) {
		cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
		decoded = cs_malloc(decoder);
	}
	if (size > LONGEST)
		size = LONGEST;
	return decoded != NULL && cs_disasm_iter(decoder, &code, &size, &address, decoded) ? decoded : NULL;
}

/* ---- where they lead ---- */

static bool is_of_group(const cs_insn *found, uint8_t group)
{
	for (uint8_t i = 0; i < found->detail->groups_count; i++)
		if (found->detail->groups[i] == group)
			return true;
	return false;
}

/* The instruction, of the kind that its operand says: `direct` for a constant, `slot` for memory at a distance from the
 * instruction, `computed` for any other. */
static struct instruction leading(
	const cs_insn *found, enum instruction_kind direct, enum instruction_kind slot, enum instruction_kind computed)
{
	const cs_x86_op *operand = &found->detail->x86.operands[0];
	if (operand->type == X86_OP_IMM)
		return (struct instruction){direct, found->size, (uint64_t)operand->imm};
	uint64_t next = found->address + found->size;
	if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP)
		return (struct instruction){slot, found->size, next + (uint64_t)operand->mem.disp};
	return (struct instruction){computed, found->size, 0};
}

static struct instruction staying(const cs_insn *found, enum instruction_kind kind)
{
	return (struct instruction){kind, found->size, 0};
}

struct instruction instruction_decode(const uint8_t *code, size_t size, uint64_t address)
{
	const cs_insn *found = decode(code, size, address);
	if (found == NULL)
		return (struct instruction){INSTRUCTION_UNKNOWN, 0, 0};
	switch (found->id) {
	case X86_INS_CALL:
		return leading(found, INSTRUCTION_CALL, INSTRUCTION_CALL_SLOT, INSTRUCTION_CALL_ANY);
	case X86_INS_JMP:
		return leading(found, INSTRUCTION_JUMP, INSTRUCTION_JUMP_SLOT, INSTRUCTION_JUMP_ANY);
	case X86_INS_LCALL:
	case X86_INS_LJMP:
	case X86_INS_LOOP: /* writes a register, and branches */
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
	case X86_INS_SYSCALL: /* the system may do anything */
		return staying(found, INSTRUCTION_UNKNOWN);
	case X86_INS_HLT:
	case X86_INS_INT3:
	case X86_INS_UD2:
		return staying(found, INSTRUCTION_END);
	default:
		break;
	}
	if (is_of_group(found, X86_GRP_RET) || is_of_group(found, X86_GRP_IRET))
		return staying(found, INSTRUCTION_END);
	if (is_of_group(found, X86_GRP_JUMP))
		return leading(found, INSTRUCTION_BRANCH, INSTRUCTION_UNKNOWN, INSTRUCTION_UNKNOWN);
	return staying(found, INSTRUCTION_PLAIN);
}

/* ---- what they do to the registers ---- */

/* The number of a register, or of the one that it is a part of; REGISTER_NONE: it is neither a general one nor rip. */
static uint8_t number_of(unsigned name)
{
	static const uint16_t names[][5] = {
		{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
		{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
		{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
		{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
		{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
		{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
		{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
		{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
		{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
		{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
		{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
		{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
		{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
		{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
		{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
		{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
		{X86_REG_RIP, X86_REG_EIP, X86_REG_IP},
	};
	for (uint8_t number = 0; name != X86_REG_INVALID && number < REGISTER_NONE; number++)
		for (size_t i = 0; i < sizeof names[number] / sizeof names[number][0]; i++)
			if (names[number][i] == name)
				return number;
	return REGISTER_NONE;
}

static uint32_t bits_of(const uint16_t *names, size_t len)
{
	uint32_t bits = 0;
	for (size_t i = 0; i < len; i++)
		bits |= 1u << number_of(names[i]);
	return bits & ANY_REGISTER;
}

static uint32_t written(const cs_insn *found)
{
	const cs_x86 *x86 = &found->detail->x86;
	/* Capstone 4 lacks registers that these write. */
	if (found->id == X86_INS_CMPXCHG || found->id == X86_INS_ENTER || found->id == X86_INS_XLATB)
		return ANY_REGISTER;
	if (found->id == X86_INS_TEST) /* Capstone says that it writes al */
		return 0;
	uint32_t bits = bits_of(found->detail->regs_write, found->detail->regs_write_count);
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_REG && (x86->operands[i].access & CS_AC_WRITE) != 0)
			bits |= bits_of(&(uint16_t){(uint16_t)x86->operands[i].reg}, 1);
	return bits;
}

static void set_sum(struct effect *effect, uint8_t base, uint8_t index, int64_t offset)
{
	effect->kind = EFFECT_SUM;
	effect->base = base;
	effect->index = index;
	effect->offset = offset;
}

static void set_from_memory(struct effect *effect, enum effect_kind kind, const x86_op_mem *memory)
{
	uint8_t base = number_of(memory->base);
	bool is_load_of_sum = kind == EFFECT_LOAD && memory->index != X86_REG_INVALID;
	if (memory->segment != X86_REG_INVALID || base == REGISTER_NONE || is_load_of_sum)
		return;
	set_sum(effect, base, number_of(memory->index), memory->disp);
	effect->kind = kind;
	effect->scale = (uint8_t)memory->scale;
}

/* The instruction's target is a register of 8 bytes. */
static void set_exactly(struct effect *effect, unsigned id, const cs_x86_op *source)
{
	uint8_t other = source->type == X86_OP_REG ? number_of(source->reg) : REGISTER_NONE;
	if (id == X86_INS_MOV && source->type == X86_OP_MEM)
		set_from_memory(effect, EFFECT_LOAD, &source->mem);
	else if (id == X86_INS_LEA)
		set_from_memory(effect, EFFECT_SUM, &source->mem);
	else if (id == X86_INS_MOV && other != REGISTER_NONE)
		set_sum(effect, other, REGISTER_NONE, 0);
	else if (id == X86_INS_ADD && other != REGISTER_NONE)
		set_sum(effect, effect->target, other, 0);
	else if ((id == X86_INS_ADD || id == X86_INS_SUB) && source->type == X86_OP_IMM)
		set_sum(effect, effect->target, REGISTER_NONE, id == X86_INS_ADD ? source->imm : -source->imm);
}

#ifdef STMLOG_CHECKS
static bool is_plain(const uint8_t *code, size_t len)
{
	struct instruction found = instruction_decode(code, len, 0);
	return found.kind == INSTRUCTION_PLAIN && found.len == len;
}
#endif

struct effect instruction_effect(const uint8_t *code, size_t len)
{
	REQUIRES(is_plain(code, len));
	struct effect effect = {.kind = EFFECT_OTHER, .index = REGISTER_NONE, .scale = 1, .written = ANY_REGISTER};
	const cs_insn *found = decode(code, len, 0);
	if (found == NULL)
		return effect;
	const cs_x86 *x86 = &found->detail->x86;
	effect.written = written(found);
	if (x86->op_count != 2 || x86->operands[0].type != X86_OP_REG || x86->operands[0].size != 8)
		return effect;
	effect.target = number_of(x86->operands[0].reg);
	if (effect.target != REGISTER_NONE)
		set_exactly(&effect, found->id, &x86->operands[1]);
	return effect;
}
