/* SPDX-License-Identifier: MIT
 * Decodes instructions by Capstone. Moves, additions and loads of 8 bytes are described exactly; of other instructions
 * only the registers that they write.
 *   Reads the machine code of a file, and finds the names of the functions that it calls. Functions of libraries are
 * called through a stub, which jumps to the address in a slot; the slot's relocation has the name. Or the slot is used
 * without a stub (-fno-plt). */
#include "code.h"

#include <string.h>

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

/* ---- where instructions lead ---- */

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
static uint8_t register_number_of(unsigned name)
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
		bits |= 1u << register_number_of(names[i]);
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
	uint8_t base = register_number_of(memory->base);
	bool is_load_of_sum = kind == EFFECT_LOAD && memory->index != X86_REG_INVALID;
	if (memory->segment != X86_REG_INVALID || base == REGISTER_NONE || is_load_of_sum)
		return;
	set_sum(effect, base, register_number_of(memory->index), memory->disp);
	effect->kind = kind;
	effect->scale = (uint8_t)memory->scale;
}

/* The instruction's target is a register of 8 bytes. */
static void set_exactly(struct effect *effect, unsigned id, const cs_x86_op *source)
{
	uint8_t other = source->type == X86_OP_REG ? register_number_of(source->reg) : REGISTER_NONE;
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
	effect.target = register_number_of(x86->operands[0].reg);
	if (effect.target != REGISTER_NONE)
		set_exactly(&effect, found->id, &x86->operands[1]);
	return effect;
}

/* ---- the code of a file ---- */

bool code_open(struct code *code, Dwfl_Module *module)
{
	GElf_Ehdr header;
	code->module = module;
	code->elf = dwfl_module_getelf(module, &code->bias);
	return code->elf != NULL && gelf_getehdr(code->elf, &header) != NULL && header.e_machine == EM_X86_64;
}

const uint8_t *code_bytes(const struct code *code, uint64_t address, size_t *size)
{
	size_t count, length;
	GElf_Phdr header;
	const char *file = elf_rawfile(code->elf, &length);
	if (file == NULL || elf_getphdrnum(code->elf, &count) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(code->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
			address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		uint64_t offset = header.p_offset + (address - header.p_vaddr);
		if (offset >= length)
			return NULL;
		*size = length - offset;
		return (const uint8_t *)file + offset;
	}
	return NULL;
}

struct instruction code_at(const struct code *code, uint64_t address)
{
	size_t size;
	const uint8_t *bytes = code_bytes(code, address, &size);
	if (bytes == NULL)
		return (struct instruction){INSTRUCTION_UNKNOWN, 0, 0};
	return instruction_decode(bytes, size, address);
}

/* Instructions cannot be decoded backwards. But bytes that look like a call directly before the return address of a
 * call are that call. */
struct instruction code_call_before(const struct code *code, uint64_t returned)
{
	enum { DIRECT = 5, BY_SLOT = 6 };
	for (size_t len = DIRECT; len <= BY_SLOT; len++) {
		struct instruction call = code_at(code, returned - len);
		bool is_call = call.kind == INSTRUCTION_CALL || call.kind == INSTRUCTION_CALL_SLOT;
		if (is_call && call.len == len)
			return call;
	}
	return (struct instruction){INSTRUCTION_UNKNOWN, 0, 0};
}

bool code_is_straight(const struct code *code, uint64_t start, uint64_t end)
{
	while (start < end) {
		struct instruction instruction = code_at(code, start);
		enum instruction_kind kind = instruction.kind;
		bool is_call =
			kind == INSTRUCTION_CALL || kind == INSTRUCTION_CALL_SLOT || kind == INSTRUCTION_CALL_ANY;
		if (kind != INSTRUCTION_PLAIN && !is_call)
			return false;
		start += instruction.len;
	}
	return start == end;
}

bool code_argument(const struct code *code, uint64_t address, uint32_t *argument)
{
	enum { MOV_EDI = 0xbf };
	size_t size;
	const uint8_t *bytes = code_bytes(code, address, &size);
	if (bytes == NULL || size < 1 + sizeof *argument || bytes[0] != MOV_EDI)
		return false;
	memcpy(argument, bytes + 1, sizeof *argument);
	return true;
}

/* ---- names ---- */

/* The name of a symbol of the symbol table in section `table`; NULL: it has none. */
static const char *symbol_name(Elf *elf, size_t table, size_t number, GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, table);
	GElf_Shdr header;
	if (section == NULL || gelf_getshdr(section, &header) == NULL ||
		gelf_getsym(elf_getdata(section, NULL), (int)number, symbol) == NULL)
		return NULL;
	const char *name = elf_strptr(elf, header.sh_link, symbol->st_name);
	return name != NULL && name[0] != '\0' ? name : NULL;
}

/* The name in the relocation of the slot, of one section of relocations. */
static const char *slot_name_in(Elf *elf, Elf_Scn *section, uint64_t slot, GElf_Sym *symbol)
{
	GElf_Shdr header;
	GElf_Rela relocation;
	if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RELA)
		return NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	for (int i = 0; gelf_getrela(data, i, &relocation) != NULL; i++)
		if (relocation.r_offset == slot)
			return symbol_name(elf, header.sh_link, GELF_R_SYM(relocation.r_info), symbol);
	return NULL;
}

/* The name of the slot's symbol, which is filled in; NULL: it has none. */
static const char *slot_name(Elf *elf, uint64_t slot, GElf_Sym *symbol)
{
	const char *name = NULL;
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL && name == NULL;
		section = elf_nextscn(elf, section))
		name = slot_name_in(elf, section, slot, symbol);
	return name;
}

/* The slot of the stub at `address`; 0: there is no stub. */
static uint64_t stub_slot(const struct code *code, uint64_t address)
{
	struct instruction first = code_at(code, address);
	if (first.kind == INSTRUCTION_PLAIN && first.len == 4) /* endbr64 */
		first = code_at(code, address + first.len);
	return first.kind == INSTRUCTION_JUMP_SLOT ? first.target : 0;
}

/* The symbol at exactly that address. */
static const char *function_name(const struct code *code, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(code->module, address + code->bias, &offset, &symbol, NULL, NULL, NULL);
	return name != NULL && offset == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC ? name : NULL;
}

const char *code_callee(const struct code *code, const struct instruction *instruction)
{
	GElf_Sym symbol;
	if (instruction->kind == INSTRUCTION_CALL_SLOT || instruction->kind == INSTRUCTION_JUMP_SLOT)
		return slot_name(code->elf, instruction->target, &symbol);
	if (instruction->kind != INSTRUCTION_CALL && instruction->kind != INSTRUCTION_JUMP)
		return NULL;
	uint64_t slot = stub_slot(code, instruction->target);
	return slot != 0 ? slot_name(code->elf, slot, &symbol) : function_name(code, instruction->target);
}

uint64_t code_target(const struct code *code, const struct instruction *instruction)
{
	GElf_Sym symbol;
	bool is_slot = instruction->kind == INSTRUCTION_CALL_SLOT || instruction->kind == INSTRUCTION_JUMP_SLOT;
	uint64_t slot =
		is_slot || instruction->target == 0 ? instruction->target : stub_slot(code, instruction->target);
	if (slot == 0)
		return instruction->target;
	bool is_here = slot_name(code->elf, slot, &symbol) != NULL && symbol.st_shndx != SHN_UNDEF;
	return is_here ? symbol.st_value : 0;
}

struct code_function code_function(const struct code *code, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(code->module, address + code->bias, &offset, &symbol, NULL, NULL, NULL);
	if (name == NULL || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || offset >= symbol.st_size)
		return (struct code_function){.name = NULL};
	return (struct code_function){address - offset, address - offset + symbol.st_size, name};
}

bool code_are_parts(const struct code_function *left, const struct code_function *right)
{
	size_t len = strcspn(left->name, ".");
	return len == strcspn(right->name, ".") && memcmp(left->name, right->name, len) == 0;
}

/* Local functions of two files may have one name, and are no parts. */
bool code_is_one_function(const struct code *code, uint64_t address, uint64_t other)
{
	struct code_function left = code_function(code, address), right = code_function(code, other);
	if (left.name == NULL || right.name == NULL)
		return false;
	return left.start == right.start || (strcmp(left.name, right.name) != 0 && code_are_parts(&left, &right));
}
