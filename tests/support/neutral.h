/* SPDX-License-Identifier: MIT
 * What every output of the command must be, whatever names the recording has: else a name could act on the terminal or
 * on the program that reads the output. */
#ifndef NEUTRAL_H
#define NEUTRAL_H

#include <stdbool.h>
#include <stddef.h>

/* Valid UTF-8 without control characters other than newline and tab, and without characters that change the direction
 * or the lines of other text: U+0080 to U+009F, U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF. If
 * not, *at is where the first such character begins. */
bool text_is_neutral(const char *text, size_t len, size_t *at);

#endif
