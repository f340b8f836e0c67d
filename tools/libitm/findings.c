/* SPDX-License-Identifier: MIT
 * The text that the experiment prints, and that the agent is given: ",KEY=HEX" for each piece that was found. */
#include <string.h>

#include "libitm.h"

static const char *const keys[LIBITM_PIECES] = {
	[LIBITM_COUNTERS] = ",counters=",
	[LIBITM_COMMITS] = ",commits=",
	[LIBITM_LOCKS] = ",locks=",
	[LIBITM_DISPATCH] = ",dispatch=",
	[LIBITM_SERIAL] = ",serial=",
};

bool libitm_read(const char *findings, struct libitm_value values[LIBITM_PIECES])
{
	memset(values, 0, LIBITM_PIECES * sizeof *values);
	for (size_t i = 0; i < LIBITM_PIECES; i++) {
		size_t len = strlen(keys[i]);
		if (strncmp(findings, keys[i], len) != 0)
			continue;
		findings += len;
		size_t digits = strspn(findings, "0123456789abcdef");
		if (digits == 0 || digits >= sizeof values[i].hex)
			return false;
		memcpy(values[i].hex, findings, digits);
		findings += digits;
	}
	return *findings == '\0';
}

bool libitm_is_complete(const char *findings)
{
	struct libitm_value values[LIBITM_PIECES];
	bool is_whole = libitm_read(findings, values);
	for (size_t i = 0; i < LIBITM_PIECES; i++)
		is_whole = is_whole && values[i].hex[0] != '\0';
	return is_whole;
}
