/* SPDX-License-Identifier: MIT
 *
 * Finds the barrier in which an attempt failed between two bursts, when modules call libitm's barriers: before the
 * barrier's return address stands the call instruction, and that leads to the barrier. The instruction was executed, so
 * lazy binding has filled its slot. Each address is checked before it is read, since the bytes may be no call at all.
 */
#include "entries.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "loaded.h"

/* gcc -fanalyzer does not see that memcpy() fills the array from the address of code, which is a number. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

#define PLT_ENTRY 16

/* The instructions that may stand in an entry of the linkage table before its jmp *slot(%rip). */
static const struct {
	uint8_t len, skip; /* bytes to compare, bytes to skip */
	uint8_t bytes[4];
} prefixes[] = {
	{4, 4, {0xf3, 0x0f, 0x1e, 0xfa}}, /* endbr64 */
	{2, 6, {0x41, 0xbb}},             /* mov $index, %r11d */
	{1, 1, {0xf2}},                   /* bnd */
};

static int32_t displacement(const uint8_t *bytes)
{
	int32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static const void *slot_content(uintptr_t next, const uint8_t *bytes)
{
	uintptr_t slot = next + (uintptr_t)(intptr_t)displacement(bytes);
	if (slot % sizeof(void *) != 0 || !native_module_is_readable(slot, sizeof(void *)))
		return NULL;
	return *(const void *const *)slot;
}

static const void *through_linkage_table(uintptr_t entry)
{
	uint8_t code[PLT_ENTRY] = {0};
	if (!native_module_is_readable(entry, sizeof code))
		return NULL;
	memcpy(code, (const void *)entry, sizeof code);
	size_t at = 0;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (memcmp(code + at, prefixes[i].bytes, prefixes[i].len) == 0)
			at += prefixes[i].skip;
	if (at + 6 > PLT_ENTRY || code[at] != 0xff || code[at + 1] != 0x25)
		return NULL;
	return slot_content(entry + at + 6, code + at + 2);
}

const void *itm_access_target(const void *return_address)
{
	uintptr_t next = (uintptr_t)return_address;
	uint8_t code[6];
	if (!native_module_is_readable(next - sizeof code, sizeof code))
		return NULL;
	memcpy(code, (const void *)(next - sizeof code), sizeof code);
	if (code[0] == 0xff && code[1] == 0x15) /* call *slot(%rip) */
		return slot_content(next, code + 2);
	if (code[1] == 0xe8) /* call entry */
		return through_linkage_table(next + (uintptr_t)(intptr_t)displacement(code + 2));
	return NULL;
}
