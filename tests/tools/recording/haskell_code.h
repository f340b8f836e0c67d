/* SPDX-License-Identifier: MIT
 * Addresses in haskell_code.S. The test program is the module that has them. */
#ifndef HASKELL_CODE_H
#define HASKELL_CODE_H

#include <stdint.h>

enum haskell_place {
	WITHDRAW,
	WITHDRAW_BEHIND_READ,
	WITHDRAW_DEEPER,
	WITHDRAW_NO_NOTE,
	TRANSFER_BEHIND_WITHDRAW,
	TRANSFER_SIBLINGS,
	BETWEEN,
	SERVE_LOCAL,
	SERVE_INLINES,
	SERVE_INLINES_NAMELESS,
	SERVE_INLINES_AT_ONCE,
	MAIN3,
	MAIN3_BLOCK,
	PART,
	PART_GO_BLOCK,
	UNNAMED,
	APPEND,
	LOCAL,
	NUMBERED,
	GO,
	PLAIN,
	UNSIZED,
	LISTED,
	HASKELL_PLACES
};

extern const uint64_t haskell_code[HASKELL_PLACES];

#endif
