/* SPDX-License-Identifier: MIT
 * A register is followed backwards from the call, through moves, sums and spilled values, until debug information has a
 * variable in it. The way back ends where another instruction leads to, so that what is found holds on each way to the
 * call; and in functions with jumps to computed addresses nothing is found. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sort.h"
#include "symbols.h"

/* Limits: of the instructions of a function; of those on the way back; of pointers that are followed. */
enum { INSTRUCTIONS_MAX = 1 << 16, STEPS_MAX = 256, POINTERS_MAX = 6 };

struct step {
	uint64_t address;
	struct instruction instruction;
	bool is_target; /* of a jump */
};

/* Invariant: steps ascend by their addresses. */
struct walk {
	const struct code *code;
	struct variables *variables;
	Dwarf_Die scopes[INLINING_SCOPES]; /* around the call, the function first */
	size_t scope_count;
	uint64_t dwarf_bias; /* an address of the debug information less the one in the file */
	struct step *steps;
	size_t len, cap;
	int left; /* how many instructions may still be looked at */
};

/* What is looked for before the instruction steps[at]: the value of a register, to which something is added later. */
struct search {
	size_t at;
	uint8_t reg;
	int64_t offset;
	bool is_indexed;
	int pointers; /* followed so far */
};

static bool pointer_find(struct walk *walk, struct search search, struct pointer *found);

/* ---- the instructions of the function ---- */

static bool add_range(struct walk *walk, uint64_t address, uint64_t end)
{
	while (address < end && walk->len < INSTRUCTIONS_MAX) {
		struct instruction instruction = code_at(walk->code, address);
		if (instruction.kind == INSTRUCTION_UNKNOWN || instruction.kind == INSTRUCTION_JUMP_ANY)
			return false;
		walk->steps = memory_grown(walk->steps, walk->len, &walk->cap, sizeof *walk->steps);
		walk->steps[walk->len++] = (struct step){address, instruction, false};
		address += instruction.len;
	}
	return walk->len < INSTRUCTIONS_MAX;
}

static int by_address(const void *a, const void *b)
{
	const struct step *left = a, *right = b;
	return (left->address > right->address) - (left->address < right->address);
}

static uint64_t address_at(const void *steps, size_t i)
{
	return ((const struct step *)steps)[i].address;
}

/* NULL: no instruction begins there. */
static struct step *step_at(const struct walk *walk, uint64_t address)
{
	size_t up_to = bisect(walk->steps, walk->len, address, address_at);
	struct step *step = up_to > 0 ? &walk->steps[up_to - 1] : NULL;
	return step != NULL && step->address == address ? step : NULL;
}

static void mark_targets(struct walk *walk)
{
	for (size_t i = 0; i < walk->len; i++) {
		const struct instruction *instruction = &walk->steps[i].instruction;
		bool is_jump = instruction->kind == INSTRUCTION_JUMP || instruction->kind == INSTRUCTION_BRANCH;
		struct step *target = is_jump ? step_at(walk, instruction->target) : NULL;
		if (target != NULL)
			target->is_target = true;
	}
}

/* All parts of the function, for each may jump into the others. */
static bool add_function(struct walk *walk)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	Dwarf_Die *function = &walk->scopes[0];
	while ((offset = dwarf_ranges(function, offset, &base, &start, &end)) > 0)
		if (!add_range(walk, start - walk->dwarf_bias, end - walk->dwarf_bias))
			return false;
	if (walk->len > 0)
		qsort(walk->steps, walk->len, sizeof *walk->steps, by_address);
	mark_targets(walk);
	return offset == 0;
}

/* ---- variables ---- */

static uint8_t register_of_dwarf(uint64_t number)
{
	static const uint8_t first[8] = {REGISTER_RAX, REGISTER_RDX, REGISTER_RCX, REGISTER_RBX, REGISTER_RSI,
		REGISTER_RDI, REGISTER_RBP, REGISTER_RSP};
	return number < 8 ? first[number] : number < 16 ? (uint8_t)number : REGISTER_NONE;
}

/* The structure that a pointer of this type points to. */
static bool points_to(const Dwarf_Die *type, Dwarf_Die *structure)
{
	Dwarf_Attribute attribute;
	Dwarf_Die pointer = *type, peeled;
	if (dwarf_peel_type(&pointer, &pointer) != 0)
		return false;
	int tag = dwarf_tag(&pointer);
	bool is_pointer =
		tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	if (!is_pointer || dwarf_formref_die(dwarf_attr(&pointer, DW_AT_type, &attribute), structure) == NULL ||
		dwarf_peel_type(structure, &peeled) != 0)
		return false;
	tag = dwarf_tag(&peeled);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool variable_type(Dwarf_Die *variable, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	return dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), type) != NULL;
}

/* Where a value is: in a register, or in memory at a register and an offset. */
struct spot {
	bool is_memory;
	uint8_t base;
	int64_t offset; /* of a register: what the variable has more than the register */
};

/* The canonical frame address at the instruction, as a register and an offset. */
static bool frame_of(const struct walk *walk, uint64_t address, struct spot *frame)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(walk->code->module, &bias);
	Dwarf_Frame *found;
	Dwarf_Op *operations;
	size_t len;
	if (cfi == NULL || dwarf_cfi_addrframe(cfi, address + walk->code->bias - bias, &found) != 0)
		return false;
	bool is_known = dwarf_frame_cfa(found, &operations, &len) == 0 && len == 1;
	if (is_known && operations[0].atom == DW_OP_bregx)
		*frame = (struct spot){true, register_of_dwarf(operations[0].number), (int64_t)operations[0].number2};
	else if (is_known && operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31)
		*frame = (struct spot){
			true, register_of_dwarf(operations[0].atom - DW_OP_breg0), (int64_t)operations[0].number};
	else
		is_known = false;
	free(found);
	return is_known;
}

static bool is_frame_the_cfa(struct walk *walk)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t len;
	return dwarf_getlocation(dwarf_attr(&walk->scopes[0], DW_AT_frame_base, &attribute), &operations, &len) == 0 &&
	       len == 1 && operations[0].atom == DW_OP_call_frame_cfa;
}

/* False: the variable is in no such place there, or in several. */
static bool spot_of(struct walk *walk, Dwarf_Die *variable, uint64_t address, struct spot *spot)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t len;
	if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL ||
		dwarf_getlocation_addr(&attribute, address + walk->dwarf_bias, &operations, &len, 1) != 1 || len == 0)
		return false;
	uint8_t atom = operations[0].atom;
	if (len == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		*spot = (struct spot){false, register_of_dwarf(atom - DW_OP_reg0), 0};
		return true;
	}
	if (len == 1 && atom == DW_OP_fbreg && is_frame_the_cfa(walk) && frame_of(walk, address, spot)) {
		spot->offset += (int64_t)operations[0].number;
		return true;
	}
	bool is_sum = atom >= DW_OP_breg0 && atom <= DW_OP_breg31;
	bool is_value = len == 2 && operations[1].atom == DW_OP_stack_value;
	*spot = (struct spot){
		len == 1, register_of_dwarf(is_sum ? atom - DW_OP_breg0 : 16), (int64_t)operations[0].number};
	return is_sum && (len == 1 || is_value);
}

static bool is_size_enough(const Dwarf_Die *structure, int64_t offset)
{
	Dwarf_Die type = *structure;
	Dwarf_Word size;
	return offset >= 0 && dwarf_aggregate_size(&type, &size) == 0 && (uint64_t)offset < size;
}

/* Whether one of the scope's variables has the value: it is at `spot` there, and points to a structure that has the
 * offset. */
static bool find_in_scope(struct walk *walk, Dwarf_Die *scope, uint64_t address, const struct spot *spot,
	const struct search *search, struct pointer *found)
{
	Dwarf_Die variable, type;
	struct spot there;
	if (dwarf_child(scope, &variable) != 0)
		return false;
	do {
		int tag = dwarf_tag(&variable);
		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
			!spot_of(walk, &variable, address, &there) || there.is_memory != spot->is_memory ||
			there.base != spot->base || (there.is_memory && there.offset != spot->offset))
			continue;
		int64_t offset = search->offset - (there.is_memory ? 0 : there.offset);
		if (!variable_type(&variable, &type) || !points_to(&type, &found->type) ||
			!is_size_enough(&found->type, offset))
			continue;
		found->offset = (uint64_t)offset;
		found->is_indexed = search->is_indexed;
		return true;
	} while (dwarf_siblingof(&variable, &variable) == 0);
	return false;
}

static bool find_variable(struct walk *walk, uint64_t address, const struct spot *spot, const struct search *search,
	struct pointer *found)
{
	for (size_t i = walk->scope_count; i-- > 0;)
		if (dwarf_haspc(&walk->scopes[i], address + walk->dwarf_bias) > 0 &&
			find_in_scope(walk, &walk->scopes[i], address, spot, search, found))
			return true;
	return false;
}

/* ---- the way back ---- */

/* The value was loaded through the pointer that `from` looks for, so it is what the structure there has as a member. */
static bool find_loaded(struct walk *walk, struct search from, const struct search *search, struct pointer *found)
{
	struct pointer through;
	Dwarf_Die type;
	from.pointers = search->pointers + 1;
	if (from.pointers > POINTERS_MAX || !pointer_find(walk, from, &through))
		return false;
	struct member member = member_at(&through.type, through.offset);
	bool is_element = strchr(member.path, '[') != NULL;
	type = member.type;
	free(member.path);
	if ((through.is_indexed && !is_element) || member.rest != 0 || !points_to(&type, &found->type) ||
		!is_size_enough(&found->type, search->offset))
		return false;
	found->offset = (uint64_t)search->offset;
	found->is_indexed = search->is_indexed;
	return true;
}

/* The address is that of a variable of the program. */
static bool find_global(
	struct walk *walk, size_t at, const struct effect *effect, const struct search *search, struct pointer *found)
{
	const struct step *step = &walk->steps[at];
	uint64_t address = step->address + step->instruction.len + (uint64_t)effect->offset;
	if (search->offset < 0 ||
		!variables_type(walk->variables, walk->code->module, address + walk->code->bias, &found->type))
		return false;
	found->offset = (uint64_t)search->offset;
	found->is_indexed = search->is_indexed;
	return true;
}

/* Behind a call of libitm nothing of the caller's has changed but its result. */
static bool find_behind_call(struct walk *walk, const struct step *step, struct search *search, struct pointer *found)
{
	const char *function = code_callee(walk->code, &step->instruction);
	const char *entry = function != NULL ? itm_entry(function) : NULL;
	if (entry == NULL || strncmp(entry, "abort", 5) == 0)
		return false;
	if ((EFFECT_OF_CALL & 1u << search->reg) == 0)
		return pointer_find(walk, *search, found);
	size_t len = strlen(entry);
	bool is_load = entry[0] == 'R' && len >= 2 && strcmp(entry + len - 2, "U8") == 0;
	struct search argument = {.at = search->at, .reg = REGISTER_RDI};
	return search->reg == REGISTER_RAX && is_load && find_loaded(walk, argument, search, found);
}

static bool find_behind_sum(struct walk *walk, const struct effect *effect, struct search search, struct pointer *found)
{
	if (effect->base == REGISTER_RIP)
		return find_global(walk, search.at, effect, &search, found);
	search.offset += effect->offset;
	search.reg = effect->base;
	search.is_indexed |= effect->index != REGISTER_NONE;
	/* Without a scale the other register may as well be the pointer, or have an offset of its own. */
	return (effect->index == REGISTER_NONE || effect->scale > 1) && pointer_find(walk, search, found);
}

static bool find_behind_load(
	struct walk *walk, const struct effect *effect, const struct search *search, struct pointer *found)
{
	struct spot spot = {true, effect->base, effect->offset};
	struct search from = {.at = search->at, .reg = effect->base, .offset = effect->offset};
	if (effect->base == REGISTER_RIP) {
		struct pointer global;
		if (!find_global(walk, search->at, effect, &from, &global) || !points_to(&global.type, &found->type))
			return false;
		found->offset = (uint64_t)search->offset;
		found->is_indexed = search->is_indexed;
		return is_size_enough(&found->type, search->offset);
	}
	return find_variable(walk, walk->steps[search->at].address, &spot, search, found) ||
	       find_loaded(walk, from, search, found);
}

/* Goes back by one instruction: `search` is before it now. */
static bool find_behind(struct walk *walk, struct search search, struct pointer *found)
{
	const struct step *step = &walk->steps[search.at];
	size_t size;
	switch (step->instruction.kind) {
	case INSTRUCTION_BRANCH:
		return pointer_find(walk, search, found);
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_SLOT:
		return find_behind_call(walk, step, &search, found);
	case INSTRUCTION_PLAIN:
		break;
	default:
		return false;
	}
	struct effect effect = instruction_effect(code_bytes(walk->code, step->address, &size), step->instruction.len);
	if ((effect.written & 1u << search.reg) == 0)
		return pointer_find(walk, search, found);
	if (effect.kind == EFFECT_OTHER || effect.target != search.reg)
		return false;
	return effect.kind == EFFECT_SUM ? find_behind_sum(walk, &effect, search, found)
					 : find_behind_load(walk, &effect, &search, found);
}

static bool pointer_find(struct walk *walk, struct search search, struct pointer *found)
{
	const struct step *step = &walk->steps[search.at];
	struct spot spot = {false, search.reg, 0};
	if (search.reg == REGISTER_RSP || walk->left-- <= 0)
		return false;
	if (find_variable(walk, step->address, &spot, &search, found))
		return true;
	const struct step *before = search.at > 0 ? step - 1 : NULL;
	if (before == NULL || step->is_target || before->address + before->instruction.len != step->address)
		return false;
	search.at--;
	return find_behind(walk, search, found);
}

/* ---- the whole ---- */

bool pointer_before_call(const struct code *code, struct inlining *inlining, struct variables *variables,
	uint64_t address, struct pointer *pointer)
{
	struct walk walk = {.code = code, .variables = variables, .left = STEPS_MAX};
	Dwarf_Addr bias = 0;
	bool is_found = false;
	walk.scope_count = inlining_scopes(inlining, code->module, address - 1 + code->bias, walk.scopes, &bias);
	walk.dwarf_bias = code->bias - bias;
	if (walk.scope_count > 0 && add_function(&walk)) {
		size_t behind = bisect(walk.steps, walk.len, address - 1, address_at);
		struct search search = {.at = behind > 0 ? behind - 1 : 0, .reg = REGISTER_RDI};
		const struct step *call = behind > 0 ? &walk.steps[search.at] : NULL;
		is_found = call != NULL && call->address + call->instruction.len == address &&
			   pointer_find(&walk, search, pointer);
	}
	free(walk.steps);
	return is_found;
}
