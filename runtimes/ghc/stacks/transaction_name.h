/* SPDX-License-Identifier: MIT
 * The names that the program has given to transactions (atomicallyNamed in haskell/StmlogNames.hs). */
#ifndef GHC_TRANSACTION_NAME_H
#define GHC_TRANSACTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

/* Whether the program gives names. Set before the first one, and never cleared. */
extern bool transaction_names;

uintptr_t transaction_name_slow(const uintptr_t *frame);

/* The name of a transaction, as a number of tb_code_intern(); 0: it has none. `frame`: the first one outside of the
 * transaction; NULL: not known. */
static inline uintptr_t transaction_name(const uintptr_t *frame)
{
	return STMLOG_UNLIKELY(transaction_names) && frame != NULL ? transaction_name_slow(frame) : 0;
}

/* The site of a word that is a number of tb_code_intern() or an address; such numbers are no addresses. A name has
 * no line: the position, of which the lower 32 bits are the line, is not 0, by which the library knows sites that are
 * not known. */
static inline struct tb_site transaction_site(uintptr_t word)
{
	return word > TB_CODE_UNKNOWN ? tb_site_make(word, (uintptr_t)1 << 32) : tb_site_make(TB_CODE_ADDRESS, word);
}

#endif
