/* SPDX-License-Identifier: MIT
 * Reads machine code, and finds the names of the functions that it calls. Functions of libraries are called through a
 * stub, which jumps to the address in a slot; the slot's relocation has the name. Or the slot is used without a stub
 * (-fno-plt). */
#include "code.h"

#include <string.h>

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
