/* SPDX-License-Identifier: MIT
 * JSON values of what recordings hold: numbers of 64 bits, and texts of any bytes. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* Numbers above 2^63 - 1, the largest that jansson has, become that one. */
json_t *integer(uint64_t value);

/* NULL becomes null; bytes that are no UTF-8 become U+FFFD. */
json_t *string(const char *text);

/* The value as its text, which may be part of many values and is copied into theirs; gives up the reference. For the
 * functions below only: to others it is a string. Requires a value. */
json_t *json_value_raw(json_t *value);

/* Passes the text piece by piece to `write`, until that returns another value than 0, and returns this value. The text
 * is that of jansson; `flags` may have JSON_INDENT(), JSON_COMPACT and JSON_REAL_PRECISION(). But characters that act
 * on a terminal or a page (utf8.h) become escapes, such as \u202E, whose value is the same. Requires a value. */
int json_value_dump(const json_t *value, json_dump_callback_t write, void *arg, size_t flags);

/* Writes the value and gives up the reference. If `value` is NULL, as after a failed allocation, writes null. `flags`
 * are those of json_dumpf(). */
void json_value_write(FILE *out, json_t *value, size_t flags);

#endif
