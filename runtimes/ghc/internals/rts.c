/* SPDX-License-Identifier: MIT
 * Recognises the RTS by its code. */
#include "rts.h"

#include <string.h>

struct ghc_rts ghc_rts;

/* The capability lies before its registers; one of these has the TSO, and the next instruction loads its TRec. */
static bool is_load_of_capability(const unsigned char *code) /* lea -0x18(%r13),REGISTER */
{
	return code[0] == 0x49 && code[1] == 0x8d && (code[2] & 0xc7) == 0x45 && code[3] == 0xe8;
}

static bool loads_capability(const unsigned char *code)
{
	for (size_t at = 0; at + 4 <= GHC_ATOMICALLY_BYTES; at++)
		if (is_load_of_capability(code + at))
			return true;
	return false;
}

static const unsigned char tso[] = {0x49, 0x8b, 0x85, 0x68, 0x03, 0x00, 0x00, /* mov 0x368(%r13),%rax */
	0x48, 0x8b, 0x40};                                                    /* mov TREC(%rax),%rax */

_Static_assert(offsetof(struct hs_capability, registers) == 0x18, "the first instruction");
_Static_assert(
	offsetof(struct hs_capability, current) - offsetof(struct hs_capability, registers) == 0x368, "the second");

#define TSO_SHIFT 8 /* in GHC 9.10 */

bool ghc_rts_is_known(const unsigned char *atomically)
{
	if (!loads_capability(atomically))
		return false;
	const unsigned char *found = memmem(atomically, GHC_ATOMICALLY_BYTES - 1, tso, sizeof tso);
	if (found == NULL)
		return false;
	ghc_rts.tso_shift = found[sizeof tso] - offsetof(struct hs_tso, trec_);
	return ghc_rts.tso_shift == 0 || ghc_rts.tso_shift == TSO_SHIFT;
}
