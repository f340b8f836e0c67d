/* SPDX-License-Identifier: MIT
 * Blocks are the ranges that GHC's debug information has for a function. Within one, addresses of code are stored as
 * constants (movq $ADDRESS, -0x18(%r12)), or in code that may lie anywhere loaded first (lea ADDRESS(%rip), %rax). */
#include "haskell_calling.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "sort.h"

/* Registers in which GHC has its stack and its heap. */
enum { REGISTER_HEAP = 12 };

/* ---- info tables ---- */

enum haskell_code_kind haskell_code_kind(const struct code *code, uint64_t address)
{
	enum { TYPE_OFFSET = 8, FUN = 8, THUNK_SELECTOR = 22, RET_SMALL = 30, RET_FUN = 32 };
	uint32_t type;
	size_t size;
	const uint8_t *bytes = address > TYPE_OFFSET ? code_bytes(code, address - TYPE_OFFSET, &size) : NULL;
	if (bytes == NULL || size < sizeof type)
		return HASKELL_CODE_OTHER;
	memcpy(&type, bytes, sizeof type);
	if (type >= FUN && type <= THUNK_SELECTOR)
		return HASKELL_CODE_CLOSURE;
	return type >= RET_SMALL && type <= RET_FUN ? HASKELL_CODE_CONTINUATION : HASKELL_CODE_OTHER;
}

/* ---- one block ---- */

/* A block while it is read. Of each register: the address of code in it, or 0. */
struct reading {
	const struct code *code;
	const struct haskell_unit *unit;
	uint32_t function;
	struct haskell_block *block;
	uint64_t in_register[16];
};

/* What an instruction stores at a distance from a register. */
struct store {
	bool is_constant; /* or a register */
	uint8_t source;
	uint64_t constant;
	uint8_t base;
	int64_t offset;
};

/* "movq $constant, offset(%base)" or "mov %source, offset(%base)", of 8 bytes. */
static bool read_store(const uint8_t *bytes, size_t len, struct store *store)
{
	enum {
		REX_W = 0x48,
		REX_R = 4,
		REX_B = 1,
		MOV_CONSTANT = 0xc7,
		MOV_REGISTER = 0x89,
		BY_SIB = 4,
		NO_INDEX = 0x24
	};
	if (len < 3 || (bytes[0] & 0xf8) != REX_W || (bytes[1] != MOV_CONSTANT && bytes[1] != MOV_REGISTER))
		return false;
	uint8_t mode = bytes[2] >> 6, base = bytes[2] & 7;
	size_t at = 3;
	if (mode == 3 || (mode == 0 && base == REGISTER_RBP) || (base == BY_SIB && bytes[at++] != NO_INDEX))
		return false;
	int32_t offset = 0, constant = 0;
	int8_t short_offset = 0;
	if (mode == 1)
		memcpy(&short_offset, bytes + at, sizeof short_offset);
	else if (mode == 2)
		memcpy(&offset, bytes + at, sizeof offset);
	store->is_constant = bytes[1] == MOV_CONSTANT;
	if (store->is_constant)
		memcpy(&constant, bytes + len - sizeof constant, sizeof constant);
	store->constant = (uint64_t)(int64_t)constant;
	store->source = (bytes[2] >> 3 & 7) | ((bytes[0] & REX_R) != 0 ? 8 : 0);
	store->base = base | ((bytes[0] & REX_B) != 0 ? 8 : 0);
	store->offset = offset + short_offset;
	return true;
}

/* Whether the address is in the function that is read: frames that the run time defines are stored, too. */
static bool is_own(const struct reading *reading, uint64_t address)
{
	const struct haskell_range *range = haskell_unit_range(reading->unit, address);
	return range != NULL && reading->unit->scopes[range->scope].function == reading->function;
}

static void add_store(struct reading *reading, const struct store *store)
{
	struct haskell_block *block = reading->block;
	uint64_t stored = store->is_constant ? store->constant : reading->in_register[store->source];
	enum haskell_code_kind kind = stored != 0 ? haskell_code_kind(reading->code, stored) : HASKELL_CODE_OTHER;
	if (store->base == REGISTER_RBP && kind == HASKELL_CODE_CONTINUATION && is_own(reading, stored))
		block->continuation = stored;
	else if (store->base == REGISTER_HEAP && kind == HASKELL_CODE_CLOSURE &&
		 block->closure_count < HASKELL_CLOSURES)
		block->closures[block->closure_count++] =
			(struct haskell_closure){.code = stored, .place = store->offset};
}

/* The register gets the address of a closure; its lowest bits say of which kind that is. */
static void add_pointer(struct haskell_block *block, const struct effect *effect)
{
	for (size_t i = 0; i < block->closure_count; i++)
		if (effect->offset >= block->closures[i].place && effect->offset < block->closures[i].place + 8)
			block->closures[i].registers |= 1u << effect->target;
}

static void read_plain(struct reading *reading, const uint8_t *bytes, size_t len, uint64_t address)
{
	struct store store;
	if (read_store(bytes, len, &store)) {
		add_store(reading, &store);
		return;
	}
	struct effect effect = instruction_effect(bytes, len);
	for (size_t i = 0; i < 16; i++)
		if ((effect.written & 1u << i) != 0)
			reading->in_register[i] = 0;
	if (effect.kind != EFFECT_SUM || effect.index != REGISTER_NONE)
		return;
	if (effect.base == REGISTER_RIP)
		reading->in_register[effect.target] = address + len + (uint64_t)effect.offset;
	else if (effect.base == REGISTER_HEAP && effect.target != REGISTER_HEAP)
		add_pointer(reading->block, &effect);
}

static void add_next(struct haskell_block *block, uint64_t next)
{
	if (block->next_count < HASKELL_NEXT)
		block->next[block->next_count++] = next;
}

/* "jmp *(%rbp)" to the caller's continuation, or "jmp *offset(%r13)" to the collector. */
static bool is_return(const uint8_t *bytes, size_t len)
{
	static const uint8_t to_caller[] = {0xff, 0x65, 0}, to_collector[] = {0x41, 0xff, 0x65};
	return (len == sizeof to_caller && memcmp(bytes, to_caller, len) == 0) ||
	       (len == sizeof to_collector + 1 && memcmp(bytes, to_collector, sizeof to_collector) == 0);
}

/* Returns false at the end of what runs. */
static bool read_instruction(struct reading *reading, uint64_t address, struct instruction *instruction)
{
	size_t size = 0;
	const uint8_t *bytes = code_bytes(reading->code, address, &size);
	*instruction = code_at(reading->code, address);
	switch (instruction->kind) {
	case INSTRUCTION_PLAIN:
		read_plain(reading, bytes, instruction->len, address);
		return true;
	case INSTRUCTION_BRANCH:
		add_next(reading->block, instruction->target);
		return true;
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_SLOT:
	case INSTRUCTION_CALL_ANY: /* of C, which returns */
		return true;
	case INSTRUCTION_JUMP:
		reading->block->callee = instruction->target;
		add_next(reading->block, instruction->target);
		return false;
	default:
		reading->block->leaves = !is_return(bytes, instruction->len);
		return false;
	}
}

static void read_block(struct reading *reading)
{
	struct haskell_block *block = reading->block;
	struct instruction instruction;
	uint64_t address = block->start;
	bool goes_on = true;
	while (goes_on && address < block->end) {
		goes_on = read_instruction(reading, address, &instruction);
		address += instruction.len;
	}
	if (goes_on)
		add_next(block, block->end);
	if (block->continuation != 0)
		add_next(block, block->continuation);
}

/* ---- the function ---- */

static uint64_t start_at(const void *blocks, size_t index)
{
	return ((const struct haskell_block *)blocks)[index].start;
}

/* The number of the block that begins there; `len`: none does. */
static size_t block_at(const struct haskell_blocks *blocks, uint64_t address)
{
	size_t up_to = bisect(blocks->at, blocks->len, address, start_at);
	return up_to > 0 && blocks->at[up_to - 1].start == address ? up_to - 1 : blocks->len;
}

/* Whoever calls the function leaves it: it may be itself, by its first block. */
static void drop_next_outside(struct haskell_blocks *blocks, uint64_t entry)
{
	for (size_t i = 0; i < blocks->len; i++) {
		struct haskell_block *block = &blocks->at[i];
		size_t kept = 0;
		if (block->callee != entry && block_at(blocks, block->callee) < blocks->len)
			block->callee = 0;
		block->leaves |= block->callee != 0;
		for (size_t k = 0; k < block->next_count; k++)
			if (block->next[k] != entry && block_at(blocks, block->next[k]) < blocks->len)
				block->next[kept++] = block->next[k];
		block->next_count = kept;
	}
}

/* Newer GHCs say that a function begins at the byte before its code, which is aligned. */
static uint64_t entry_of(Dwarf_Die function)
{
	enum { ALIGNMENT = 8 };
	Dwarf_Addr start = 0;
	dwarf_lowpc(&function, &start);
	return start % ALIGNMENT == ALIGNMENT - 1 ? start + 1 : start;
}

void haskell_blocks_init(
	struct haskell_blocks *blocks, const struct code *code, const struct haskell_unit *unit, uint32_t function)
{
	size_t cap = 0;
	uint64_t entry = entry_of(unit->functions[function].die);
	*blocks = (struct haskell_blocks){.at = NULL};
	for (size_t i = 0; i < unit->range_count; i++) {
		const struct haskell_range *range = &unit->ranges[i];
		if (unit->scopes[range->scope].function != function)
			continue;
		bool is_first = range->start <= entry && entry < range->end;
		blocks->at = memory_grown(blocks->at, blocks->len, &cap, sizeof *blocks->at);
		blocks->at[blocks->len++] = (struct haskell_block){
			.start = is_first ? entry : range->start, .end = range->end, .scope = range->scope};
		struct reading reading = {code, unit, function, .block = &blocks->at[blocks->len - 1]};
		read_block(&reading);
	}
	drop_next_outside(blocks, entry);
}

void haskell_blocks_fini(struct haskell_blocks *blocks)
{
	free(blocks->at);
}

void haskell_blocks_reach(const struct haskell_blocks *blocks, size_t from, bool *reached)
{
	REQUIRES(from < blocks->len);
	size_t *waiting = memory_zeroed(blocks->len + 1, sizeof *waiting), len = 0;
	waiting[len++] = from;
	while (len > 0) {
		const struct haskell_block *block = &blocks->at[waiting[--len]];
		for (size_t i = 0; i < block->next_count; i++) {
			size_t next = block_at(blocks, block->next[i]);
			if (reached[next])
				continue;
			reached[next] = true;
			waiting[len++] = next;
		}
	}
	free(waiting);
}

bool haskell_blocks_is_last(const struct haskell_blocks *blocks, size_t number)
{
	REQUIRES(number < blocks->len);
	const struct haskell_block *block = &blocks->at[number];
	bool is_last = block->leaves && block->continuation == 0;
	for (size_t i = 0; i < blocks->len && is_last; i++) {
		const struct haskell_block *before = &blocks->at[i];
		bool is_behind = before->continuation == 0 || before->continuation == block->start;
		for (size_t k = 0; k < before->next_count && !is_behind; k++)
			is_last &= before->next[k] != block->start;
	}
	return is_last;
}
