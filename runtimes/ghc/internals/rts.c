/* SPDX-License-Identifier: MIT
 * Recognises the RTS by its code. */
#include "rts.h"

#include <string.h>

struct ghc_rts ghc_rts;

/* How far behind its beginning `atomically` has called the function that begins an attempt. */
#define ATOMICALLY_BYTES 128

struct instruction {
	unsigned char len;
	unsigned char bytes[8];
};

/* The capability lies before its registers; a register names the TSO; and the TSO has its TRec where it is expected. */
static const struct instruction expected[] = {
	{4, {0x49, 0x8d, 0x4d, 0xe8}},                   /* lea -0x18(%r13),%rcx */
	{7, {0x49, 0x8b, 0x85, 0x68, 0x03, 0x00, 0x00}}, /* mov 0x368(%r13),%rax */
	{4, {0x48, 0x8b, 0x40, 0x50}},                   /* mov 0x50(%rax),%rax */
};

_Static_assert(offsetof(struct hs_capability, registers) == 0x18, "the first instruction");
_Static_assert(
	offsetof(struct hs_capability, current) - offsetof(struct hs_capability, registers) == 0x368, "the second");
_Static_assert(offsetof(struct hs_tso, trec) == 0x50, "the third");

bool ghc_rts_is_known(const unsigned char *atomically)
{
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		if (memmem(atomically, ATOMICALLY_BYTES, expected[i].bytes, expected[i].len) == NULL)
			return false;
	return true;
}
