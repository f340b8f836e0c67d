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

/* The first member of the capability that stmStartTransaction() loads is the list of free TRecs; or, of 4 bytes in a
 * threaded RTS or one for -debug, the one behind it. Returns where the list is; 0: the code is not known. */
static size_t find_free_trecs(const unsigned char *start)
{
	enum { FROM = 1024, TO = 2048, LOAD = 0x8b, MODE = 0xc0, WITH_DISTANCE = 0x80 };
	for (size_t at = 0; at + 6 <= GHC_START_BYTES; at++) {
		uint32_t distance;
		bool is_8_bytes = at > 0 && (start[at - 1] & 0xf8) == 0x48;
		memcpy(&distance, start + at + 2, sizeof distance);
		if (start[at] == LOAD && (start[at + 1] & MODE) == WITH_DISTANCE && distance >= FROM && distance < TO)
			return is_8_bytes ? distance : distance - 8;
	}
	return 0;
}

bool ghc_rts_is_known(const unsigned char *atomically, const unsigned char *start)
{
	ghc_rts.free_trecs = find_free_trecs(start);
	if (!loads_capability(atomically) || ghc_rts.free_trecs == 0)
		return false;
	const unsigned char *found = memmem(atomically, GHC_ATOMICALLY_BYTES - 1, tso, sizeof tso);
	if (found == NULL)
		return false;
	ghc_rts.tso_shift = found[sizeof tso] - offsetof(struct hs_tso, trec_);
	return ghc_rts.tso_shift == 0 || ghc_rts.tso_shift == TSO_SHIFT;
}
