/* SPDX-License-Identifier: MIT
 * Finds calls: looks at each byte e8. */
#include "calls.h"

#include <string.h>

#define CALL 0xe8

static uintptr_t target_of(const unsigned char *call)
{
	int32_t distance;
	memcpy(&distance, call + 1, sizeof distance);
	return (uintptr_t)call + CALL_BYTES + (uintptr_t)(intptr_t)distance;
}

static void note(struct calls *calls, unsigned char *call, const uintptr_t *functions, size_t len)
{
	uintptr_t target = target_of(call);
	for (size_t i = 0; i < len; i++) {
		if (functions[i] != target)
			continue;
		if (calls->len < CALLS_MAX)
			calls->calls[calls->len] = (struct call){call, i};
		calls->len++;
		return;
	}
}

void calls_find(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len)
{
	unsigned char *end = code + size;
	while (end - code >= CALL_BYTES && (code = memchr(code, CALL, (size_t)(end - code) - CALL_BYTES + 1)) != NULL)
		note(calls, code++, functions, len);
}

size_t calls_of(const struct calls *calls, size_t function)
{
	size_t count = 0;
	for (size_t i = 0; i < calls->len && i < CALLS_MAX; i++)
		count += calls->calls[i].function == function;
	return count;
}
