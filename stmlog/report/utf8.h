/* SPDX-License-Identifier: MIT
 * Names in a recording may hold any byte. What goes out is always valid UTF-8, and what goes to a terminal holds
 * no control character that could steer it. */
#ifndef UTF8_H
#define UTF8_H

enum utf8_controls { UTF8_KEEP_CONTROLS, UTF8_HIDE_CONTROLS };

/* A copy of `text` (the caller frees it) in which each byte that is not part of valid UTF-8 has become U+FFFD, and
 * each control character '?' if they are to be hidden. */
char *utf8_clean(const char *text, enum utf8_controls controls);

/* The same without control characters, in place of `text`, which is freed. NULL stays NULL. */
char *utf8_cleaned(char *text);

#endif
