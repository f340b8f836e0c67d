/* SPDX-License-Identifier: MIT */
#include "itm_call.h"

#include <string.h>

/* A program that is linked with the agent calls libitm's functions by another name. */
const char *itm_entry(const char *function)
{
	static const char wrapped[] = "__wrap_";
	if (strncmp(function, wrapped, sizeof wrapped - 1) == 0)
		function += sizeof wrapped - 1;
	return strncmp(function, "_ITM_", 5) == 0 ? function + 5 : NULL;
}

/* Instructions cannot be decoded backwards. But bytes that look like a call of a function of libitm, directly before
 * the return address of a call, are that call. */
static const char *call_of(const struct code *code, uint64_t address, size_t bytes)
{
	struct instruction instruction = code_at(code, address - bytes);
	bool is_call = instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_CALL_SLOT;
	const char *function = is_call && instruction.len == bytes ? code_callee(code, &instruction) : NULL;
	return function != NULL ? itm_entry(function) : NULL;
}

const char *itm_call_before(const struct code *code, uint64_t address)
{
	enum { CALL = 5, CALL_SLOT = 6 };
	const char *entry = call_of(code, address, CALL);
	return entry != NULL ? entry : call_of(code, address, CALL_SLOT);
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
