/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <string.h>

/* A program that is linked with the agent calls libitm's functions by another name. */
const char *itm_entry(const char *function)
{
	static const char wrapped[] = "__wrap_";
	if (strncmp(function, wrapped, sizeof wrapped - 1) == 0)
		function += sizeof wrapped - 1;
	return strncmp(function, "_ITM_", 5) == 0 ? function + 5 : NULL;
}

const char *itm_call_before(const struct code *code, uint64_t address)
{
	struct instruction call = code_call_before(code, address);
	const char *function = code_callee(code, &call);
	return function != NULL ? itm_entry(function) : NULL;
}

/* "RU8", "WaWU4", "RfWD"; not "memcpyRtWt", whose address may be that of its source. */
bool itm_accesses_before(const struct code *code, uint64_t address)
{
	const char *entry = itm_call_before(code, address);
	return entry != NULL && (entry[0] == 'R' || entry[0] == 'W');
}

size_t itm_access_size(const char *entry)
{
	static const struct {
		const char *end;
		size_t size;
	} sizes[] = {{"U1", 1}, {"U2", 2}, {"U4", 4}, {"U8", 8}, {"F", 4}, {"D", 8}};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		size_t len = strlen(entry), end = strlen(sizes[i].end);
		if (len > end && strcmp(entry + len - end, sizes[i].end) == 0)
			return sizes[i].size;
	}
	return 0;
}

bool itm_begins_before(const struct code *code, uint64_t address)
{
	const char *entry = itm_call_before(code, address);
	return entry != NULL && strcmp(entry, "beginTransaction") == 0;
}

/* ---- the unsafe call ---- */

/* Follows all ways through the code from where libitm returned. Behind a call of _ITM_changeTransactionMode() the first
 * call on each way counts, since the compiler asks directly before the unsafe call. Behind a begin with the property
 * "goes irrevocable" it does not ask, and all calls up to the commit count. If all calls that count are of one
 * function, that function is the result. If anything on a way cannot be followed, there is no result. */

/* Instructions and branches beyond these are not followed, and then nothing is found. */
enum { STEPS_MAX = 4096, BRANCHES_MAX = 128 };

/* The property of a transaction in begin's argument: libitm's ABI. */
enum { GOES_IRREVOCABLE = 0x40 };

struct search {
	struct code code;
	bool is_first_only; /* only the first call on each way counts */
	bool has_failed;
	uint64_t branches[BRANCHES_MAX]; /* addresses at which ways begin; those below `done` were followed */
	size_t len, done, steps;
	struct unsafe_call found;
};

/* Functions for which the compiler has replacements, so that a transaction may call them. */
static bool is_safe(const char *function)
{
	static const char *const names[] = {"malloc", "calloc", "free", "memcpy", "memmove", "memset", "_Znwm", "_Znam",
		"_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "__cxa_allocate_exception", "__cxa_begin_catch",
		"__cxa_end_catch", "__cxa_throw"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

static void note_call(struct search *search, const char *function, uint64_t address)
{
	if (search->found.function == NULL)
		search->found = (struct unsafe_call){function, address + search->code.bias};
	else if (strcmp(search->found.function, function) != 0)
		search->has_failed = true;
}

static void note_branch(struct search *search, uint64_t address)
{
	for (size_t i = 0; i < search->len; i++)
		if (search->branches[i] == address)
			return;
	if (search->len == BRANCHES_MAX)
		search->has_failed = true;
	else
		search->branches[search->len++] = address;
}

/* A call, or a jump to another function. Returns whether the way goes on behind it. */
static bool call(struct search *search, const struct instruction *instruction, uint64_t address)
{
	const char *function = code_callee(&search->code, instruction);
	const char *entry = function != NULL ? itm_entry(function) : NULL;
	if (entry != NULL)
		return strncmp(entry, "commitTransaction", strlen("commitTransaction")) != 0;
	if (function == NULL)
		search->has_failed = true;
	else if (search->is_first_only || !is_safe(function))
		note_call(search, function, address);
	return !search->is_first_only;
}

/* Follows the instruction. Returns whether the way goes on behind it. */
static bool step(struct search *search, const struct instruction *instruction, uint64_t address)
{
	switch (instruction->kind) {
	case INSTRUCTION_PLAIN:
		return true;
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_SLOT:
		return call(search, instruction, address);
	case INSTRUCTION_JUMP:
		if (code_callee(&search->code, instruction) != NULL)
			call(search, instruction, address);
		else
			note_branch(search, instruction->target);
		return false;
	case INSTRUCTION_JUMP_SLOT:
		call(search, instruction, address);
		return false;
	case INSTRUCTION_BRANCH:
		note_branch(search, instruction->target);
		return true;
	default:
		search->has_failed = true; /* it leaves the function, or where it leads is not known */
		return false;
	}
}

static void follow(struct search *search, uint64_t address)
{
	bool goes_on = true;
	while (goes_on && !search->has_failed) {
		struct instruction instruction = code_at(&search->code, address);
		search->has_failed = ++search->steps > STEPS_MAX;
		goes_on = step(search, &instruction, address);
		address += instruction.len;
	}
}

static struct unsafe_call follow_all(struct search *search, uint64_t address)
{
	note_branch(search, address);
	while (search->done < search->len && !search->has_failed)
		follow(search, search->branches[search->done++]);
	return search->has_failed ? (struct unsafe_call){NULL, 0} : search->found;
}

/* ---- the call that returned to `address` ---- */

struct returned {
	const char *entry; /* of libitm; NULL: another function, or not known */
	uint32_t argument; /* the last number that was loaded as an argument before */
};

/* Decodes the function from its start, since instructions cannot be decoded backwards. */
static struct returned returned_before(const struct code *code, uint64_t address)
{
	struct returned returned = {NULL, 0};
	uint64_t at = code_function(code, address - 1).start;
	while (at != 0 && at < address) {
		struct instruction instruction = code_at(code, at);
		if (instruction.kind == INSTRUCTION_UNKNOWN)
			return returned;
		code_argument(code, at, &returned.argument);
		at += instruction.len;
		const char *function = at == address ? code_callee(code, &instruction) : NULL;
		returned.entry = function != NULL ? itm_entry(function) : NULL;
	}
	return returned;
}

struct unsafe_call unsafe_call_find(Dwfl_Module *module, uint64_t address)
{
	struct search search = {.found = {NULL, 0}};
	if (!code_open(&search.code, module))
		return search.found;
	address -= search.code.bias;
	struct returned returned = returned_before(&search.code, address);
	if (returned.entry == NULL)
		return search.found;
	search.is_first_only = strcmp(returned.entry, "changeTransactionMode") == 0;
	bool goes_irrevocable =
		strcmp(returned.entry, "beginTransaction") == 0 && (returned.argument & GOES_IRREVOCABLE) != 0;
	return search.is_first_only || goes_irrevocable ? follow_all(&search, address) : search.found;
}
