/* SPDX-License-Identifier: MIT
 * Names in a recording may contain any bytes: reads them as UTF-8, and hides those that would act on a terminal. */
#ifndef UTF8_READ_H
#define UTF8_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the UTF-8 sequence at the beginning of `text`, and its code point; 0 if there is none. Overlong forms,
 * surrogates and code points above U+10FFFF are none. Reads no byte after one that is not part of the sequence. */
size_t utf8_read(const char *text, uint32_t *point);

/* Whether the character acts on the text around it rather than being shown: control characters (C0, DEL, C1), ends of
 * lines and paragraphs (U+2028, U+2029), changes of the direction of writing, and U+FEFF. With these a name could move
 * the cursor, hide a part of a report, or show another one. */
bool utf8_acts(uint32_t point);

/* Replaces, without memory, each character that acts and each byte that is not part of valid UTF-8 by '?'. */
void utf8_hide(char *text);

#endif
