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
