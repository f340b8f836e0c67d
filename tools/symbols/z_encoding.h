/* SPDX-License-Identifier: MIT
 * GHC's encoding of any name in letters and digits: "zi" is a dot, "z03bbU" the character of that code, "Z2T" the type
 * of pairs. */
#ifndef Z_ENCODING_H
#define Z_ENCODING_H

#include <stddef.h>

/* The name in UTF-8. NULL: the text is not encoded so. Otherwise, the caller frees it. */
char *z_decoded(const char *text, size_t len);

#endif
