/* SPDX-License-Identifier: MIT
 * Reads names in a recording as UTF-8, since they may contain any bytes, and hides characters that would act on a
 * terminal. */
#ifndef UTF8_READ_H
#define UTF8_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the UTF-8 sequence at the beginning of `text`, and its code point; 0 if there is none. Overlong
 * forms, surrogates and code points above U+10FFFF are not valid. Reads no byte after one that is not part of the
 * sequence. */
size_t utf8_read(const char *text, uint32_t *point);

/* Whether the character acts on the text around it rather than being shown: control characters (C0, DEL, C1), ends of
 * lines and paragraphs (U+2028, U+2029), changes of the direction of writing, and U+FEFF. With these a name could move
 * the cursor, or hide or change a part of a report. */
bool utf8_acts(uint32_t point);

/* Replaces in place each character that acts and each byte that is not part of valid UTF-8 by '?'. */
void utf8_hide(char *text);

#endif
